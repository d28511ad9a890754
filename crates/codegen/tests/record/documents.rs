//! Operations: their bodies, responses and parameters.

use super::{Case, Text::Paths};

pub(super) const CASES: &[Case] = &[
    Case {
        repository: "oxidecomputer/progenitor",
        number: 950,
        construct: "responses of several types",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      responses:
        '200': { description: A text., content: { application/json: { schema: { type: string } } } }
        '202': { description: A number., content: { application/json: { schema: { type: integer } } } }
        '429': { description: Slow., content: { application/json: { schema: { type: object, properties: { retry: { type: integer } } } } } }
",
        ),
        code: &["pub enum GetItResponse", "pub retry: Option<i64>"],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 344,
        construct: "a success with a body, and a default without one",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      responses:
        '200': { description: A text., content: { application/json: { schema: { type: string } } } }
        default: { description: Failed. }
",
        ),
        code: &["pub fn get_it("],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 1415,
        construct: "a body whose media type ends in `+json`",
        document: Paths(
            "
  /it:
    post:
      operationId: send_it
      requestBody: { required: true, content: { application/vnd.it+json: { schema: { type: object, properties: { name: { type: string } } } } } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &["\"application/vnd.it+json\"", "pub name: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 18554,
        construct: "a header that is a UUID",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      parameters: [{ name: X-Correlation-Id, in: header, required: true, schema: { type: string, format: uuid } }]
      responses: { '204': { description: Done. } }
",
        ),
        code: &["\"x-correlation-id\"", "Uuid"],
        notes: &[],
    },
];

//! Parameters of operations.

use super::{Case, Text::Paths};

pub(super) const CASES: &[Case] = &[
    Case {
        repository: "oxidecomputer/progenitor",
        number: 286,
        construct: "a required parameter that may be null, and an optional one",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      parameters:
        - { name: foo, in: query, required: true, schema: { type: [string, 'null'] } }
        - { name: bar, in: query, schema: { type: string } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &[
            "pub fn get_it(&self, foo: impl Into<String>)",
            "pub foo: String",
            "pub bar: Option<String>",
        ],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 1221,
        construct: "an object in the query",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      parameters:
        - name: filter
          in: query
          schema: { type: object, properties: { name: { type: string }, limit: { type: integer } } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &[
            "pub filter: Option<models::GetItFilter>",
            "query_members(&[\"name\", \"limit\"]",
            "pub limit: Option<i64>",
        ],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 730,
        construct: "a list in the query",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      parameters: [{ name: ids, in: query, schema: { type: array, items: { type: integer } } }]
      responses: { '204': { description: Done. } }
",
        ),
        code: &["pub ids: Vec<i64>", "request.query_all(\"ids\")"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 18984,
        construct: "a parameter that is a value or a list of values",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      parameters:
        - name: hash
          in: query
          required: true
          schema: { oneOf: [{ type: string }, { type: array, items: { type: string } }] }
      responses: { '204': { description: Done. } }
",
        ),
        code: &["pub hash: Vec<String>", "request.query_all(\"hash\")"],
        notes: &["a parameter must be"],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 15168,
        construct: "parameters of a path with dots in their names",
        document: Paths(
            "
  /schedule/{date.year}/{date.month}:
    get:
      operationId: get_schedule
      parameters:
        - { name: date.year, in: path, required: true, schema: { type: integer, format: int32 } }
        - { name: date.month, in: path, required: true, schema: { type: integer, format: int32 } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &[
            "pub date_year: i32",
            "pub date_month: i32",
            "request.path(\"date.year\")",
        ],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 1033,
        construct: "an enum in the query",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      parameters: [{ name: order, in: query, required: true, schema: { type: string, enum: [simple, full] } }]
      responses: { '204': { description: Done. } }
",
        ),
        code: &[
            "pub order: models::GetItOrder",
            "Simple = \"simple\"",
            "request.query(\"order\").choice()",
        ],
        notes: &[],
    },
];

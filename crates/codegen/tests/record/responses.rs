//! Bodies and responses of operations.

use super::{Case, Text::Paths};

pub(super) const CASES: &[Case] = &[
    Case {
        repository: "oxidecomputer/progenitor",
        number: 1155,
        construct: "an error with a body, and one without",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      responses:
        '200': { description: A text., content: { application/json: { schema: { type: string } } } }
        '404': { description: Nothing. }
        '409': { description: Conflict., content: { application/json: { schema: { type: object, properties: { with: { type: string } } } } } }
",
        ),
        code: &["pub enum GetItError {", "Conflict(models::GetItResponse409)", "pub with: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 928,
        construct: "a success and an error of two types, both by reference",
        document: Paths(
            "
  /it/{key}:
    get:
      operationId: get_it
      parameters: [{ name: key, in: path, required: true, schema: { type: string } }]
      responses: { '200': { $ref: '#/components/responses/Found' }, '404': { $ref: '#/components/responses/Missing' } }
components:
  responses:
    Found: { description: It., content: { application/json: { schema: { type: object, properties: { data: { type: string } } } } } }
    Missing: { description: No., content: { application/json: { schema: { type: object, properties: { errors: { type: array, items: { type: string } } } } } } }
",
        ),
        code: &[
            "-> impl Future<Output = ApiResult<models::Found>>",
            "pub enum GetItError {",
            "models::Missing",
            "pub data: Option<String>",
            "pub errors: Vec<String>",
        ],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 693,
        construct: "errors of two types, by a status and by default",
        document: Paths(
            "
  /it:
    get:
      operationId: get_it
      responses:
        '200': { description: A text., content: { application/json: { schema: { type: string } } } }
        '400': { description: Wrong., content: { application/json: { schema: { type: object, properties: { field: { type: string } } } } } }
        default: { description: Failed., content: { application/json: { schema: { type: object, properties: { reason: { type: string } } } } } }
",
        ),
        code: &["pub enum GetItError {", "pub field: Option<String>", "pub reason: Option<String>", "Default("],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 76,
        construct: "a body of four media types of JSON",
        document: Paths(
            "
  /it:
    post:
      operationId: send_it
      requestBody:
        required: true
        content:
          application/json-patch+json: { schema: { $ref: '#/components/schemas/It' } }
          application/json: { schema: { $ref: '#/components/schemas/It' } }
          text/json: { schema: { $ref: '#/components/schemas/It' } }
          application/*+json: { schema: { $ref: '#/components/schemas/It' } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    It: { type: object, required: [name], properties: { name: { type: string } } }
",
        ),
        code: &["pub fn send_it(&self, body: models::It)", "\"application/json\""],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 661,
        construct: "a body of the media type of another language",
        document: Paths(
            "
  /it:
    post:
      operationId: send_it
      requestBody:
        required: true
        content: { application/graphql: { schema: { type: object, properties: { query: { type: string } } } } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &["pub fn send_it(&self, body: impl Into<Upload>)", "\"application/graphql\""],
        notes: &["text and bytes have no schema of their own"],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 384,
        construct: "a body that is not required",
        document: Paths(
            "
  /it:
    post:
      operationId: send_it
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/It' } } } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    It: { type: object, required: [name], properties: { name: { type: string } } }
",
        ),
        code: &["pub fn send_it(&self) -> SendIt<'_>", "pub fn body(mut self, body: models::It)", "pub body: Option<models::It>"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 21144,
        construct: "two methods with bodies on one path",
        document: Paths(
            "
  /auth:
    delete: { operationId: log_out, responses: { '204': { description: Done. } } }
    post:
      operationId: log_in
      requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &["post(", "delete(", "fn log_out(", "fn log_in("],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 402,
        construct: "a media type without a slash",
        document: Paths(
            "
  /it:
    post:
      operationId: send_it
      requestBody: { content: { form-data: { schema: { type: object, properties: { file: { type: string, format: binary } } } } } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &[],
        notes: &["the media type `form-data` is unsupported here", "the operation is left out"],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 1240,
        construct: "a body of `multipart/related`",
        document: Paths(
            "
  /it:
    post:
      operationId: send_it
      requestBody:
        required: true
        content:
          multipart/related:
            schema: { type: object, properties: { metadata: { type: object }, file: { type: string, format: binary } } }
      responses: { '204': { description: Done. } }
",
        ),
        code: &["pub fn send_it(&self, body: impl Into<Upload>)", "\"multipart/related\""],
        notes: &["text and bytes have no schema of their own"],
    },
];

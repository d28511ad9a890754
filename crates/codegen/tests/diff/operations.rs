//! Small changes of operations, parameters, credentials and servers in `document.yaml`, each with its impact.

use wearlab_codegen::Impact::{Additive as More, Breaking as Breaks, None as Same};
use wearlab_codegen::Kind::*;

use super::{Row, both_ways, row};

const NEW_OPERATION: &str = "  /more:
    get:
      operationId: list_more
      summary: List more
      tags: [things]
      security: [{ key: [] }]
      responses:
        \"200\":
          description: More.
          content: { application/json: { schema: { $ref: \"#/components/schemas/Thing\" } } }
  /teams:\n";

const DELETE_BODY: &str = "      summary: Delete a thing
      requestBody:
        content: { application/json: { schema: { $ref: \"#/components/schemas/NewThing\" } } }
";

const MORE_RESPONSES: &str = "        \"204\": { description: It is gone. }
        \"202\": { description: It will be gone. }
        \"409\":
          description: It is in use.
          content: { application/json: { schema: { $ref: \"#/components/schemas/Team\" } } }
";

const HEADERS: &str = "          headers:
            Location: { description: Where it is., required: true, schema: { type: string } }
";

const OWN_SERVER: &str = "    post:
      servers: [{ url: \"{management_url}\", variables: { management_url: { default: \"http://127.0.0.2\" } } }]
";

/// Rows about operations, parameters, credentials and servers.
pub(crate) const ROWS: &[Row] = &[
    row(&[("127.0.0.1", "127.0.0.9")], &[(ServerDefault, Breaks, Same)]),
    row(
        &[("{management_url}", "{admin_url}"), ("management_url:", "admin_url:")],
        &[
            (ServerRemoved, Breaks, Breaks),
            (ServerAdded, More, More),
            (OperationServer, Breaks, Same),
            (Documentation, Same, Same),
        ],
    ),
    row(&[("    post:\n", OWN_SERVER)], &[(OperationServer, Breaks, Same)]),
    row(
        &[(
            "    token:\n",
            "    third:\n      type: apiKey\n      in: header\n      name: x-third\n    token:\n",
        )],
        &[(CredentialAdded, More, Breaks)],
    ),
    row(
        &[
            ("          token: []\n        - key: []\n", ""),
            (
                "    token:\n      type: apiKey\n      in: header\n      name: x-token\n",
                "",
            ),
        ],
        &[(OperationSecurity, Same, Breaks), (CredentialRemoved, Breaks, Breaks)],
    ),
    row(
        &[("name: x-token", "name: x-ticket")],
        &[(CredentialHeader, Breaks, Same)],
    ),
    row(
        &[(
            "name: x-key\n      x-header-aliases: [x-old-key]",
            "name: x-new-key\n      x-header-aliases: [x-key, x-old-key]",
        )],
        &[(CredentialHeader, More, Same)],
    ),
    row(&[("[x-old-key]", "[]")], &[(CredentialAlias, Breaks, Same)]),
    row(
        &[("[x-old-key]", "[x-old-key, x-older]")],
        &[(CredentialAlias, More, Same)],
    ),
    row(&[("  /teams:\n", NEW_OPERATION)], &[(OperationAdded, More, Breaks)]),
    both_ways(
        &[
            (
                "        - name: text\n",
                "        - { name: If-None-Match, in: header, schema: { type: string } }\n        - name: text\n",
            ),
            (
                "          description: A page.\n",
                "          description: A page.\n          headers: { ETag: { schema: { type: string } } }\n",
            ),
            (
                "        \"404\":\n",
                "        \"304\": { description: The caller has it. }\n        \"404\":\n",
            ),
        ],
        &[
            (ConditionalAdded, More, Same),
            (ErrorResponses, Same, Same),
            (Documentation, Same, Same),
        ],
        &[
            (ConditionalRemoved, Breaks, Same),
            (ErrorResponses, Same, Same),
            (Documentation, Same, Same),
        ],
    ),
    both_ways(
        &[("paths:\n", "x-parameter-aliases: { text: [words] }\npaths:\n")],
        &[(Alias, More, Same)],
        &[(Alias, Breaks, Same)],
    ),
    row(&[("    post:\n", "    put:\n")], &[(OperationMethod, Breaks, Same)]),
    row(
        &[("\"201\":", "\"202\":")],
        &[
            (OperationStatus, Breaks, Same),
            (ErrorResponses, Same, Same),
            (ErrorResponses, Same, Same),
        ],
    ),
    both_ways(
        &[(HEADERS, "")],
        &[
            (ResponseHeaders, Breaks, Breaks),
            (Documentation, Same, Same),
            (SchemaRemoved, Breaks, Breaks),
        ],
        &[
            (ResponseHeaders, More, Breaks),
            (Documentation, Same, Same),
            (SchemaAdded, More, More),
        ],
    ),
    both_ways(
        &[(
            "            Location: {",
            "            X-Count: { schema: { type: integer } }\n            Location: {",
        )],
        &[(Documentation, Same, Same), (FieldAdded, More, More)],
        &[(Documentation, Same, Same), (FieldRemoved, Breaks, Breaks)],
    ),
    row(
        &[("Where it is., required: true, ", "Where it is., ")],
        &[(Documentation, Same, Same), (FieldOptional, Breaks, More)],
    ),
    row(
        &[(
            "required: true, schema: { type: string } }\n          content",
            "required: true, schema: { type: integer } }\n          content",
        )],
        &[(Documentation, Same, Same), (FieldType, Breaks, Breaks)],
    ),
    both_ways(
        &[("        required: true\n        content", "        content")],
        &[(RequestBodyOptional, Breaks, Breaks)],
        &[(RequestBodyRequired, Breaks, Breaks)],
    ),
    row(
        &[(
            "schemas/NewThing\" }\n      responses",
            "schemas/Team\" }\n      responses",
        )],
        &[(RequestBodyType, Breaks, Breaks)],
    ),
    both_ways(
        &[("      summary: Delete a thing\n", DELETE_BODY)],
        &[(RequestBodyAdded, More, More), (Documentation, Same, Same)],
        &[(RequestBodyRemoved, Breaks, Breaks), (Documentation, Same, Same)],
    ),
    both_ways(
        &[("        \"204\": { description: It is gone. }\n", MORE_RESPONSES)],
        &[
            (OperationBody, Breaks, Breaks),
            (ErrorBody, Breaks, More),
            (ErrorResponses, Same, Same),
            (ErrorResponses, Same, Same),
        ],
        &[
            (OperationBody, Breaks, Breaks),
            (ErrorBody, Breaks, Breaks),
            (ErrorResponses, Same, Same),
            (ErrorResponses, Same, Same),
        ],
    ),
    row(
        &[("description: What it is to be.", "description: What it will be.")],
        &[(Documentation, Same, Same)],
    ),
    row(&[("list_teams", "all_teams")], &[(OperationRenamed, Breaks, Breaks)]),
    row(
        &[("list_teams", "all_teams"), ("  /teams:\n", "  /groups:\n")],
        &[(OperationRemoved, Breaks, Breaks), (OperationAdded, More, Breaks)],
    ),
    row(&[("  /teams:\n", "  /groups:\n")], &[(OperationPath, Breaks, Same)]),
    row(&[("  /teams:\n", "  /teams/:\n")], &[(OperationPath, More, Same)]),
    row(
        &[("  /things/:\n", "  /things:\n")],
        &[(OperationPath, Breaks, Same), (OperationPath, Breaks, Same)],
    ),
    row(
        &[("/things/{thing_id}:", "/things/{id}:"), ("name: thing_id", "name: id")],
        &[
            (ParameterRemoved, Breaks, Breaks),
            (ParameterAdded, Breaks, More),
            (ParameterRemoved, Breaks, Breaks),
            (ParameterAdded, Breaks, More),
        ],
    ),
    row(
        &[(
            "summary: Read a thing\n      tags: [things]",
            "summary: Read a thing\n      tags: [teams]",
        )],
        &[(OperationTag, Breaks, Breaks)],
    ),
    row(
        &[("tags: [teams]", "tags: [things]")],
        &[(OperationTag, Breaks, Breaks)],
    ),
    row(
        &[("          token: []\n        - key: []\n", "          token: []\n")],
        &[(OperationSecurity, Breaks, Breaks)],
    ),
    row(
        &[("          token: []\n        - key: []\n", "        - token: []\n")],
        &[(OperationSecurity, More, Breaks)],
    ),
    row(
        &[
            ("/ThingList\" }\n        \"404\"", "/Thing\" }\n        \"404\""),
            (
                "      x-pagination:\n        style: offset\n        items: things\n",
                "",
            ),
        ],
        &[(OperationBody, Breaks, Breaks), (PagingRemoved, Breaks, Breaks)],
    ),
    both_ways(
        &[(
            "      x-pagination:\n        style: offset\n        items: things\n",
            "",
        )],
        &[(PagingRemoved, Breaks, Breaks)],
        &[(PagingAdded, More, More)],
    ),
    row(
        &[
            ("        items: things\n", "        items: others\n"),
            ("[things, total", "[things, others, total"),
            (
                "        total:",
                "        others: { type: array, items: { $ref: \"#/components/schemas/Team\" } }\n        total:",
            ),
        ],
        &[(PagingChanged, Breaks, Breaks), (FieldAdded, More, Breaks)],
    ),
    row(
        &[(
            "        - name: text\n",
            "        - name: text\n          x-sensitive: true\n",
        )],
        &[(FieldSensitive, Same, Same)],
    ),
    row(
        &[(
            "        - name: text\n",
            "        - name: colour\n          in: query\n          schema: { type: string }\n        - name: text\n",
        )],
        &[(ParameterAdded, More, More)],
    ),
    row(
        &[(
            "        - name: text\n",
            "        - name: colour\n          in: query\n          required: true\n          schema: { type: string }\n        - name: text\n",
        )],
        &[(ParameterAdded, Breaks, More)],
    ),
    row(
        &[(
            "tags: [teams]\n",
            "tags: [teams]\n      parameters: [{ name: text, in: query, schema: { type: string } }]\n",
        )],
        &[(ParameterAdded, More, Breaks)],
    ),
    row(
        &[(
            "        - name: text\n          in: query\n          schema: { type: string, maxLength: 20 }\n",
            "",
        )],
        &[(ParameterRemoved, Breaks, Breaks)],
    ),
    row(
        &[("name: text\n          in: query", "name: text\n          in: header")],
        &[(ParameterLocation, Breaks, Same)],
    ),
    row(
        &[("type: string, maxLength: 20", "type: string, format: uuid")],
        &[(ParameterType, Breaks, Breaks)],
    ),
    both_ways(
        &[("name: text\n", "name: text\n          required: true\n")],
        &[(ParameterRequired, Breaks, Breaks)],
        &[(ParameterOptional, Breaks, Breaks)],
    ),
    // The client makes an idempotency key itself.
    both_ways(
        &[(
            "name: text\n          in: query",
            "name: Idempotency-Key\n          required: true\n          in: header",
        )],
        &[(ParameterRemoved, Breaks, Breaks), (ParameterAdded, Breaks, More)],
        &[(ParameterRemoved, Breaks, Breaks), (ParameterAdded, More, More)],
    ),
    row(
        &[(
            "        - $ref: \"#/components/parameters/ThingId\"\n        - { name: part, in: query, required: true, schema: { type: integer } }\n",
            "        - { name: part, in: query, required: true, schema: { type: integer } }\n        - $ref: \"#/components/parameters/ThingId\"\n",
        )],
        &[(ParameterOrder, Breaks, Same)],
    ),
    row(
        &[("maxLength: 20", "maxLength: 20, default: a")],
        &[(ParameterDefault, Breaks, Breaks)],
    ),
    row(&[("default: 100", "default: 50")], &[(ParameterDefault, Breaks, Same)]),
    both_ways(
        &[("maximum: 500", "maximum: 100")],
        &[(BoundTightened, Breaks, Same)],
        &[(BoundLoosened, More, Same)],
    ),
    row(&[("minimum: 1, ", "")], &[(BoundLoosened, More, Same)]),
    row(
        &[("minimum: 1, maximum: 500", "minimum: 0, maximum: 200")],
        &[(BoundLoosened, More, Same), (BoundTightened, Breaks, Same)],
    ),
    row(&[("maxLength: 20", "maxLength: 10")], &[(BoundTightened, Breaks, Same)]),
    row(
        &[(
            "summary: Read a thing",
            "summary: Read a thing\n      deprecated: true\n      x-deprecation: { advice: List them. }",
        )],
        &[(Deprecated, More, Same)],
    ),
    row(
        &[(
            "        \"404\":\n          $ref: \"#/components/responses/NotFound\"\n",
            "",
        )],
        &[(ErrorResponses, Same, Same)],
    ),
    row(
        &[("summary: Read a thing", "summary: Read one thing")],
        &[(Documentation, Same, Same)],
    ),
    row(
        &[("description: How many.", "description: How many at most.")],
        &[(Documentation, Same, Same)],
    ),
    row(
        &[("description: There is none.", "description: There is nothing.")],
        &[(Documentation, Same, Same)],
    ),
    row(&[("version: \"1\"", "version: \"2\"")], &[(Documentation, Same, Same)]),
    both_ways(
        &[("          token: []\n        - key: []\n", "")],
        &[(OperationSecurity, Same, Breaks)],
        &[(OperationSecurity, More, Breaks)],
    ),
    // An optional credential, and none at all.
    both_ways(
        &[(
            "          token: []\n        - key: []\n",
            "          token: []\n        - {}\n",
        )],
        &[(OperationSecurity, More, Breaks)],
        &[(OperationSecurity, Breaks, Breaks)],
    ),
    // Scopes of a credential that had none anywhere.
    both_ways(
        &[(
            "          token: []\n        - key: []\n",
            "          token: []\n        - key: [read]\n",
        )],
        &[(OperationScopes, Breaks, Breaks)],
        &[(OperationScopes, More, Breaks)],
    ),
    both_ways(
        &[(
            "      in: header\n      name: x-token\n",
            "      in: query\n      name: x-token\n",
        )],
        &[(CredentialPlace, Breaks, Same)],
        &[(CredentialPlace, Breaks, Same)],
    ),
    row(
        &[(
            "      type: apiKey\n      in: header\n      name: x-token\n",
            "      type: http\n      scheme: basic\n",
        )],
        &[(CredentialPlace, Breaks, Breaks)],
    ),
    row(
        &[(
            "      name: x-token\n",
            "      name: x-token\n      x-short-name: ticket\n",
        )],
        &[(CredentialSetter, Breaks, Same)],
    ),
    both_ways(
        &[("name: kinds\n", "name: kinds\n          explode: false\n")],
        &[(ParameterStyle, Breaks, Same)],
        &[(ParameterStyle, Breaks, Same)],
    ),
    both_ways(
        &[("style: deepObject, ", "")],
        &[(ParameterStyle, Breaks, Same)],
        &[(ParameterStyle, Breaks, Same)],
    ),
    row(
        &[(
            "style: deepObject, schema: { $ref: \"#/components/schemas/Span\" } }",
            "content: { application/json: { schema: { $ref: \"#/components/schemas/Span\" } } } }",
        )],
        &[(ParameterStyle, Breaks, Same), (Documentation, Same, Same)],
    ),
    row(
        &[(
            "content: { application/json: { schema: { type: array, items: { type: string } } } } }",
            "content: { application/json: { schema: { type: array, items: { type: integer } } } } }",
        )],
        &[(ParameterType, Breaks, Breaks)],
    ),
    row(
        &[(
            "Span: { x-tag: things, type: object,",
            "Span: { x-tag: things, type: object, required: [days],",
        )],
        &[(FieldRequired, Breaks, Breaks)],
    ),
    both_ways(
        &[("name: kinds\n", "name: kinds\n          x-rust-name: sorts\n")],
        &[(RustName, Breaks, Breaks)],
        &[(RustName, Breaks, Breaks)],
    ),
    row(
        &[(
            "operationId: get_thing\n",
            "operationId: get_thing\n      x-rust-name: read_thing\n",
        )],
        &[(OperationRenamed, Breaks, Breaks)],
    ),
    both_ways(
        &[("maxItems: 3", "maxItems: 2")],
        &[(BoundTightened, Breaks, Same)],
        &[(BoundLoosened, More, Same)],
    ),
    row(
        &[("type: array, maxItems: 3, items: { type: string }", "type: string")],
        &[(ParameterType, Breaks, Breaks)],
    ),
    row(
        &[(
            "type: array, maxItems: 3",
            "type: array, maxItems: 3, uniqueItems: true",
        )],
        &[(BoundTightened, Breaks, Same)],
    ),
];

//! Small changes of operations, parameters, credentials and addresses in `document.yaml`, each with its verdict.

use wearlab_codegen::Impact::{Additive as More, Breaking as Breaks, None as Same};
use wearlab_codegen::Kind::*;

use super::Row;

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

/// Rows about operations, parameters, credentials and addresses.
pub(crate) const ROWS: &[Row] = &[
    (&[("127.0.0.1", "127.0.0.9")], &[(ServerDefault, Breaks, Same)]),
    (
        &[("{management_url}", "{admin_url}"), ("management_url:", "admin_url:")],
        &[
            (ServerRemoved, Breaks, Breaks),
            (ServerAdded, More, More),
            (OperationServer, Breaks, Same),
            (Words, Same, Same),
        ],
    ),
    (
        &[(
            "    token:\n",
            "    third:\n      type: apiKey\n      in: header\n      name: x-third\n    token:\n",
        )],
        &[(CredentialAdded, More, Breaks)],
    ),
    (
        &[
            ("          token: []\n        - key: []\n", ""),
            (
                "    token:\n      type: apiKey\n      in: header\n      name: x-token\n",
                "",
            ),
        ],
        &[(OperationSecurity, Same, Breaks), (CredentialRemoved, Breaks, Breaks)],
    ),
    (
        &[("name: x-token", "name: x-ticket")],
        &[(CredentialHeader, Breaks, Same)],
    ),
    (
        &[(
            "name: x-key\n      x-header-aliases: [x-old-key]",
            "name: x-new-key\n      x-header-aliases: [x-key, x-old-key]",
        )],
        &[(CredentialHeader, More, Same)],
    ),
    (&[("[x-old-key]", "[]")], &[(CredentialAlias, Breaks, Same)]),
    (
        &[("[x-old-key]", "[x-old-key, x-older]")],
        &[(CredentialAlias, More, Same)],
    ),
    (&[("  /teams:\n", NEW_OPERATION)], &[(OperationAdded, More, Breaks)]),
    (
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
            (ErrorAnswers, Same, Same),
            (Words, Same, Same),
        ],
    ),
    (&[("list_teams", "all_teams")], &[(OperationRenamed, Breaks, Breaks)]),
    (
        &[("list_teams", "all_teams"), ("  /teams:\n", "  /groups:\n")],
        &[(OperationRemoved, Breaks, Breaks), (OperationAdded, More, Breaks)],
    ),
    (&[("  /teams:\n", "  /groups:\n")], &[(OperationPath, Breaks, Same)]),
    (&[("  /teams:\n", "  /teams/:\n")], &[(OperationPath, More, Same)]),
    (&[("  /things/:\n", "  /things:\n")], &[(OperationPath, Breaks, Same)]),
    (
        &[("/things/{thing_id}:", "/things/{id}:"), ("name: thing_id", "name: id")],
        &[(ParameterRemoved, Breaks, Breaks), (ParameterAdded, Breaks, More)],
    ),
    (
        &[(
            "summary: Read a thing\n      tags: [things]",
            "summary: Read a thing\n      tags: [teams]",
        )],
        &[(OperationArea, Breaks, Breaks)],
    ),
    (&[("tags: [teams]", "tags: [things]")], &[(OperationArea, Breaks, Same)]),
    (
        &[("          token: []\n        - key: []\n", "          token: []\n")],
        &[(OperationSecurity, Breaks, Breaks)],
    ),
    (
        &[("          token: []\n        - key: []\n", "        - token: []\n")],
        &[(OperationSecurity, More, Breaks)],
    ),
    (
        &[
            ("/ThingList\" }\n        \"404\"", "/Thing\" }\n        \"404\""),
            (
                "      x-pagination:\n        style: offset\n        items: things\n",
                "",
            ),
        ],
        &[(OperationBody, Breaks, Breaks), (PagingRemoved, Breaks, Breaks)],
    ),
    (
        &[(
            "      x-pagination:\n        style: offset\n        items: things\n",
            "",
        )],
        &[(PagingRemoved, Breaks, Breaks)],
    ),
    (
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
    (
        &[(
            "        - name: text\n",
            "        - name: text\n          x-sensitive: true\n",
        )],
        &[(FieldSensitive, Same, Same)],
    ),
    (
        &[(
            "        - name: text\n",
            "        - name: colour\n          in: query\n          schema: { type: string }\n        - name: text\n",
        )],
        &[(ParameterAdded, More, More)],
    ),
    (
        &[(
            "        - name: text\n",
            "        - name: colour\n          in: query\n          required: true\n          schema: { type: string }\n        - name: text\n",
        )],
        &[(ParameterAdded, Breaks, More)],
    ),
    (
        &[(
            "tags: [teams]\n",
            "tags: [teams]\n      parameters: [{ name: text, in: query, schema: { type: string } }]\n",
        )],
        &[(ParameterAdded, More, Breaks)],
    ),
    (
        &[(
            "        - name: text\n          in: query\n          schema: { type: string, maxLength: 20 }\n",
            "",
        )],
        &[(ParameterRemoved, Breaks, Breaks)],
    ),
    (
        &[("name: text\n          in: query", "name: text\n          in: header")],
        &[(ParameterLocation, Breaks, Same)],
    ),
    (
        &[("type: string, maxLength: 20", "type: string, format: uuid")],
        &[(ParameterType, Breaks, Breaks)],
    ),
    (
        &[("name: text\n", "name: text\n          required: true\n")],
        &[(ParameterRequired, Breaks, Breaks)],
    ),
    (
        &[("maxLength: 20", "maxLength: 20, default: a")],
        &[(ParameterDefault, Breaks, Breaks)],
    ),
    (&[("default: 100", "default: 50")], &[(ParameterDefault, Breaks, Same)]),
    (&[("maximum: 500", "maximum: 100")], &[(BoundTightened, Breaks, Same)]),
    (&[("minimum: 1, ", "")], &[(BoundLoosened, More, Same)]),
    (
        &[("minimum: 1, maximum: 500", "minimum: 0, maximum: 200")],
        &[(BoundLoosened, More, Same), (BoundTightened, Breaks, Same)],
    ),
    (&[("maxLength: 20", "maxLength: 10")], &[(BoundTightened, Breaks, Same)]),
    (
        &[(
            "summary: Read a thing",
            "summary: Read a thing\n      deprecated: true\n      x-deprecation: { advice: List them. }",
        )],
        &[(Deprecated, More, Same)],
    ),
    (
        &[(
            "        \"404\":\n          $ref: \"#/components/responses/NotFound\"\n",
            "",
        )],
        &[(ErrorAnswers, Same, Same)],
    ),
    (
        &[("summary: Read a thing", "summary: Read one thing")],
        &[(Words, Same, Same)],
    ),
    (
        &[("description: How many.", "description: How many at most.")],
        &[(Words, Same, Same)],
    ),
    (
        &[("description: There is none.", "description: There is nothing.")],
        &[(Words, Same, Same)],
    ),
    (&[("version: \"1\"", "version: \"2\"")], &[(Words, Same, Same)]),
];

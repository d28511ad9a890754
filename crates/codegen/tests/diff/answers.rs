//! Small changes of schemas and events in `document.yaml`, each with its verdict.

use wearlab_codegen::Impact::{Additive as More, Breaking as Breaks, None as Same};
use wearlab_codegen::Kind::*;

use super::Row;

const NEW_EVENT: &str = "webhooks:
  EVENT:
    post:
      operationId: another_one
      summary: Another
      tags: [things]
      requestBody:
        content: { application/json: { schema: { $ref: \"#/components/schemas/ThingEvent\" } } }
      responses: { \"200\": { description: Taken. } }\n";

/// Rows about schemas and events.
pub(crate) const ROWS: &[Row] = &[
    (
        &[("webhooks:\n", NEW_EVENT), ("EVENT", "team.made")],
        &[(EventAdded, More, More)],
    ),
    (
        &[("webhooks:\n", NEW_EVENT), ("EVENT", "thing.bag.made")],
        &[(EventAdded, Breaks, More)],
    ),
    (&[("box_gone", "box_lost")], &[(EventRenamed, Breaks, Breaks)]),
    (&[("thing.box.gone", "thing.box.lost")], &[(EventType, Breaks, Breaks)]),
    (
        &[("thing.box.gone", "thing.box.lost"), ("box_gone", "box_lost")],
        &[(EventRemoved, Breaks, Breaks), (EventAdded, More, More)],
    ),
    (
        &[
            ("/ThingEvent\" }", "/BoxEvent\" }"),
            (
                "    ThingEvent:\n",
                "    BoxEvent:\n      x-area: things\n      type: object\n      required: [event_type]\n      properties:\n        event_type: { type: string }\n    ThingEvent:\n",
            ),
        ],
        &[(EventPayload, Breaks, Breaks), (SchemaAdded, More, More)],
    ),
    (
        &[("schemas/Zone", "schemas/Place"), ("    Zone:\n", "    Place:\n")],
        &[(SchemaRenamed, Breaks, Breaks)],
    ),
    (
        &[
            (
                "        - name: zone\n          in: query\n          schema: { $ref: \"#/components/schemas/Zone\" }\n",
                "",
            ),
            (
                "    Zone:\n      x-area: things\n      type: string\n      enum: [north, south]\n",
                "",
            ),
        ],
        &[(ParameterRemoved, Breaks, Breaks), (SchemaRemoved, Breaks, Breaks)],
    ),
    (
        &[("    Kind:\n      x-area: things", "    Kind:\n      x-area: teams")],
        &[(SchemaArea, Breaks, Breaks)],
    ),
    (
        &[("enum: [north, south]", "x-extensible-enum: [north, south]")],
        &[(SchemaKind, Breaks, Breaks)],
    ),
    (
        &[("      additionalProperties: true\n", "")],
        &[(SchemaOpenness, Breaks, Breaks)],
    ),
    (
        &[(
            "    Problem:\n      x-area: things\n",
            "    Problem:\n      x-area: things\n      additionalProperties: true\n",
        )],
        &[(SchemaOpenness, More, More)],
    ),
    (
        &[("        weight:", "        height: { type: number }\n        weight:")],
        &[(FieldAdded, More, More)],
    ),
    (
        &[
            ("[name, weight", "[name, height, weight"),
            ("        weight:", "        height: { type: number }\n        weight:"),
        ],
        &[(FieldAdded, More, Breaks)],
    ),
    (
        &[
            ("[name, weight", "[name, height, weight"),
            (
                "        weight:",
                "        height: { type: [number, \"null\"] }\n        weight:",
            ),
        ],
        &[(FieldAdded, More, More)],
    ),
    (
        &[("        colour: { type: string }\n", "")],
        &[(FieldRemoved, Breaks, Breaks)],
    ),
    (
        &[("        colour: {", "        color: {")],
        &[(FieldRemoved, Breaks, Breaks), (FieldAdded, More, More)],
    ),
    (
        &[("weight: { type: number }", "weight: { type: integer }")],
        &[(FieldType, Breaks, Breaks)],
    ),
    (&[("format: int32, ", "")], &[(FieldType, Breaks, Breaks)]),
    (
        &[("          propertyNames: { $ref: \"#/components/schemas/Kind\" }\n", "")],
        &[(FieldType, Breaks, Breaks)],
    ),
    (&[("[name, weight, ", "[name, ")], &[(FieldOptional, Breaks, More)]),
    (
        &[("[name, weight, parts, ", "[name, weight, ")],
        &[(FieldOptional, Breaks, More)],
    ),
    (
        &[("weight: { type: number }", "weight: { type: [number, \"null\"] }")],
        &[(FieldOptional, Breaks, More)],
    ),
    (&[("note, size]", "size]")], &[(FieldOptional, Breaks, More)]),
    (
        &[("note, size]", "note, size, colour]")],
        &[(FieldRequired, Breaks, Breaks)],
    ),
    (
        &[("note, size]", "note, size, colours]")],
        &[(FieldRequired, More, Breaks)],
    ),
    (
        &[("note: { type: [string, \"null\"] }", "note: { type: string }")],
        &[(FieldRequired, Breaks, Breaks)],
    ),
    (
        &[("colour: { type: string }", "colour: { type: string, default: red }")],
        &[(FieldDefault, Breaks, Same)],
    ),
    (&[("default: 1 }", "default: 2 }")], &[(FieldDefault, Breaks, Same)]),
    (&[(", default: 1 }", " }")], &[(FieldDefault, Breaks, Same)]),
    (
        &[(
            "colour: { type: string }",
            "colour: { type: string, x-sensitive: true }",
        )],
        &[(FieldSensitive, Same, Same)],
    ),
    (&[("[big, small]", "[big, medium, small]")], &[(ValueAdded, More, More)]),
    (
        &[("[large, little]", "[large, tiny, little]")],
        &[(ValueAdded, Breaks, More)],
    ),
    (
        &[("[north, south]", "[north, south, west]")],
        &[(ValueAdded, More, More)],
    ),
    (&[("[big, small]", "[big]")], &[(ValueRemoved, Breaks, Breaks)]),
    (
        &[("[big, small]", "[big, tiny]")],
        &[(ValueAdded, More, More), (ValueRemoved, Breaks, Breaks)],
    ),
    (
        &[("[big, small]", "[small, big]")],
        &[(ValuesReordered, Breaks, Breaks)],
    ),
    (
        &[(
            "          deprecated: true\n          x-deprecation: { advice: Read name. }\n",
            "",
        )],
        &[(DeprecationChanged, Same, Same)],
    ),
    (
        &[("advice: Read name.", "advice: Read name instead.")],
        &[(DeprecationChanged, Same, Same)],
    ),
    (
        &[("description: Its name.", "description: Its name, in full.")],
        &[(Words, Same, Same)],
    ),
    (
        &[("type: number }", "type: number, examples: [1.5] }")],
        &[(Words, Same, Same)],
    ),
];

/// Rows whose change is the other way round: the edited document is the older one.
pub(crate) const BACKWARDS: &[Row] = &[
    (
        &[(
            "      x-pagination:\n        style: offset\n        items: things\n",
            "",
        )],
        &[(PagingAdded, More, More)],
    ),
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
            (ConditionalRemoved, Breaks, Same),
            (ErrorAnswers, Same, Same),
            (Words, Same, Same),
        ],
    ),
    (
        &[("name: text\n", "name: text\n          required: true\n")],
        &[(ParameterOptional, More, Breaks)],
    ),
    (
        &[("          token: []\n        - key: []\n", "")],
        &[(OperationSecurity, More, Breaks)],
    ),
    (&[("maximum: 500", "maximum: 100")], &[(BoundLoosened, More, Same)]),
    (&[("note, size]", "size]")], &[(FieldRequired, More, Same)]),
    (
        &[("[name, weight, parts, ", "[name, weight, ")],
        &[(FieldRequired, More, Breaks)],
    ),
];

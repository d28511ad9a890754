//! Small changes of schemas and events in `document.yaml`, each with its verdict.

use wearlab_codegen::Impact::{Additive as More, Breaking as Breaks, None as Same};
use wearlab_codegen::Kind::*;

use super::{Row, both_ways, row};

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
    // A member of responses alone.
    both_ways(
        &[(
            "        amount: { type: integer }",
            "        amount: { type: integer, readOnly: true }",
        )],
        &[(FieldRemoved, Breaks, Breaks)],
        &[(FieldAdded, More, More)],
    ),
    // Exclusive and inclusive unions.
    both_ways(
        &[(
            "    Choice:\n      x-tag: things\n      oneOf:",
            "    Choice:\n      x-tag: things\n      anyOf:",
        )],
        &[(BoundLoosened, Breaks, Same)],
        &[(BoundTightened, Same, More)],
    ),
    // Limits of a request.
    both_ways(
        &[(
            "        label: { type: string }",
            "        label: { type: string, minLength: 2, pattern: a }",
        )],
        &[(BoundTightened, Breaks, Same), (BoundTightened, Breaks, Same)],
        &[(BoundLoosened, More, Same), (BoundLoosened, More, Same)],
    ),
    both_ways(
        &[(
            "        amount: { type: integer }",
            "        amount: { type: integer, minimum: 1, exclusiveMaximum: 9, multipleOf: 2 }",
        )],
        &[
            (BoundTightened, Breaks, Same),
            (BoundTightened, Breaks, Same),
            (BoundTightened, Breaks, Same),
        ],
        &[
            (BoundLoosened, More, Same),
            (BoundLoosened, More, Same),
            (BoundLoosened, More, Same),
        ],
    ),
    both_ways(
        &[(
            "      required: [label]\n",
            "      required: [label]\n      additionalProperties: false\n      maxProperties: 3\n",
        )],
        &[(BoundTightened, Breaks, Same), (BoundTightened, Breaks, Same)],
        &[(BoundLoosened, More, Same), (BoundLoosened, More, Same)],
    ),
    // Limits of a response.
    both_ways(
        &[(
            "        weight: { type: number }",
            "        weight: { type: number, exclusiveMinimum: 0, multipleOf: 0.5 }",
        )],
        &[(BoundTightened, Same, More), (BoundTightened, Same, More)],
        &[(BoundLoosened, Breaks, Same), (BoundLoosened, Breaks, Same)],
    ),
    both_ways(
        &[(
            "        colours:\n          type: array\n",
            "        colours:\n          type: array\n          minItems: 1\n          uniqueItems: true\n",
        )],
        &[(BoundTightened, Same, More), (BoundTightened, Same, More)],
        &[(BoundLoosened, Breaks, Same), (BoundLoosened, Breaks, Same)],
    ),
    both_ways(
        &[(
            "                type: array\n                items: { $ref: \"#/components/schemas/Team\" }",
            "                type: array\n                maxItems: 9\n                items: { $ref: \"#/components/schemas/Team\" }",
        )],
        &[(BoundTightened, Same, More)],
        &[(BoundLoosened, Breaks, Same)],
    ),
    row(
        &[("webhooks:\n", NEW_EVENT), ("EVENT", "team.made")],
        &[(EventAdded, More, More)],
    ),
    row(
        &[("webhooks:\n", NEW_EVENT), ("EVENT", "thing.bag.made")],
        &[(EventAdded, Breaks, More)],
    ),
    row(&[("box_gone", "box_lost")], &[(EventRenamed, Breaks, Breaks)]),
    row(&[("thing.box.gone", "thing.box.lost")], &[(EventType, Breaks, Breaks)]),
    row(
        &[("thing.box.gone", "thing.box.lost"), ("box_gone", "box_lost")],
        &[(EventRemoved, Breaks, Breaks), (EventAdded, More, More)],
    ),
    row(
        &[
            ("/ThingEvent\" }", "/BoxEvent\" }"),
            (
                "    ThingEvent:\n",
                "    BoxEvent:\n      x-tag: things\n      type: object\n      required: [event_type]\n      properties:\n        event_type: { type: string }\n    ThingEvent:\n",
            ),
        ],
        &[(EventPayload, Breaks, Breaks), (SchemaAdded, More, More)],
    ),
    row(
        &[("schemas/Zone", "schemas/Place"), ("    Zone:\n", "    Place:\n")],
        &[(SchemaRenamed, Breaks, Breaks)],
    ),
    row(
        &[
            (
                "        - name: zone\n          in: query\n          schema: { $ref: \"#/components/schemas/Zone\" }\n",
                "",
            ),
            (
                "    Zone:\n      x-tag: things\n      type: string\n      enum: [north, south]\n",
                "",
            ),
        ],
        &[(ParameterRemoved, Breaks, Breaks), (SchemaRemoved, Breaks, Breaks)],
    ),
    row(
        &[("    Kind:\n      x-tag: things", "    Kind:\n      x-tag: teams")],
        &[(SchemaTag, Breaks, Breaks)],
    ),
    row(
        &[("enum: [north, south]", "x-extensible-enum: [north, south]")],
        &[(SchemaKind, Breaks, Breaks)],
    ),
    row(
        &[("      additionalProperties: true\n", "")],
        &[(SchemaOpenness, Breaks, Breaks)],
    ),
    row(
        &[(
            "    Problem:\n      x-tag: things\n",
            "    Problem:\n      x-tag: things\n      additionalProperties: true\n",
        )],
        &[(SchemaOpenness, More, More)],
    ),
    row(
        &[(
            "Label: { x-tag: things, type: string }",
            "Label: { x-tag: things, type: integer }",
        )],
        &[
            (SchemaType, Breaks, Breaks),
            (FieldType, Breaks, Breaks),
            (FieldType, Breaks, Breaks),
        ],
    ),
    row(&[("[1, 2]", "[1, 2, 3]")], &[(ValueAdded, More, More)]),
    row(&[("[1, 2]", "[2]")], &[(ValueRemoved, Breaks, Breaks)]),
    row(
        &[(
            "additionalProperties: { type: integer }\n    Problem",
            "additionalProperties: { type: number }\n    Problem",
        )],
        &[(SchemaOpenness, Breaks, Breaks), (SchemaOpenness, Breaks, Breaks)],
    ),
    both_ways(
        &[(
            "        - { $ref: \"#/components/schemas/Team\" }\n    Shape",
            "        - { $ref: \"#/components/schemas/Team\" }\n        - { type: string }\n    Shape",
        )],
        &[(ValueAdded, More, More)],
        &[(ValueRemoved, Breaks, Breaks)],
    ),
    row(
        &[(
            "        - { $ref: \"#/components/schemas/Thing\" }\n        - { $ref: \"#/components/schemas/Team\" }\n    Shape",
            "        - { $ref: \"#/components/schemas/Team\" }\n        - { $ref: \"#/components/schemas/Thing\" }\n    Shape",
        )],
        &[(ValuesReordered, Breaks, Breaks)],
    ),
    row(
        &[("      discriminator: { propertyName: name }\n", "")],
        &[(UnionDiscriminator, Breaks, Breaks)],
    ),
    row(
        &[("        weight:", "        height: { type: number }\n        weight:")],
        &[(FieldAdded, More, More)],
    ),
    // Clients write the values of requests.
    row(
        &[
            ("[label]", "[label, height]"),
            ("        label:", "        height: { type: number }\n        label:"),
        ],
        &[(FieldAdded, Breaks, More)],
    ),
    both_ways(
        &[("[label]", "[label, amount]")],
        &[(FieldRequired, Breaks, Breaks)],
        &[(FieldOptional, Breaks, Breaks)],
    ),
    row(
        &[
            ("[name, weight", "[name, height, weight"),
            ("        weight:", "        height: { type: number }\n        weight:"),
        ],
        &[(FieldAdded, More, Breaks)],
    ),
    row(
        &[
            ("[name, weight", "[name, height, weight"),
            (
                "        weight:",
                "        height: { type: [number, \"null\"] }\n        weight:",
            ),
        ],
        &[(FieldAdded, More, More)],
    ),
    row(
        &[("        colour: { type: string }\n", "")],
        &[(FieldRemoved, Breaks, Breaks)],
    ),
    row(
        &[("        colour: {", "        color: {")],
        &[(FieldRemoved, Breaks, Breaks), (FieldAdded, More, More)],
    ),
    row(
        &[("weight: { type: number }", "weight: { type: integer }")],
        &[(FieldType, Breaks, Breaks)],
    ),
    row(&[("format: int32, ", "")], &[(FieldType, Breaks, Breaks)]),
    // The event's own type stays: only what becomes part of the cycle changes.
    row(
        &[(
            "        event_type: { type: string }\n",
            "        event_type: { type: string }\n        next: { $ref: \"#/components/schemas/ThingEvent\" }\n",
        )],
        &[(FieldAdded, More, More)],
    ),
    both_ways(
        &[(
            "        colour: { type: string }\n",
            "        colour: { type: string }\n        event: { $ref: \"#/components/schemas/ThingEvent\" }\n",
        )],
        &[(FieldAdded, More, More), (FieldBoxed, Breaks, Breaks)],
        &[(FieldRemoved, Breaks, Breaks), (FieldBoxed, Breaks, Breaks)],
    ),
    row(
        &[("          propertyNames: { $ref: \"#/components/schemas/Kind\" }\n", "")],
        &[(FieldType, Breaks, Breaks)],
    ),
    row(&[("[name, weight, ", "[name, ")], &[(FieldOptional, Breaks, More)]),
    both_ways(
        &[("[name, weight, parts, ", "[name, weight, ")],
        &[(FieldOptional, Breaks, More)],
        &[(FieldRequired, More, Breaks)],
    ),
    row(
        &[("weight: { type: number }", "weight: { type: [number, \"null\"] }")],
        &[(FieldOptional, Breaks, More)],
    ),
    both_ways(
        &[("note, size]", "size]")],
        &[(FieldOptional, Breaks, More)],
        &[(FieldRequired, More, Same)],
    ),
    row(
        &[("note, size]", "note, size, colour]")],
        &[(FieldRequired, Breaks, Breaks)],
    ),
    row(
        &[("note, size]", "note, size, colours]")],
        &[(FieldRequired, More, Breaks)],
    ),
    row(
        &[("note: { type: [string, \"null\"] }", "note: { type: string }")],
        &[(FieldRequired, Breaks, Breaks)],
    ),
    row(
        &[("colour: { type: string }", "colour: { type: string, default: red }")],
        &[(FieldDefault, Breaks, Same)],
    ),
    row(&[("default: 1 }", "default: 2 }")], &[(FieldDefault, Breaks, Same)]),
    row(&[(", default: 1 }", " }")], &[(FieldDefault, Breaks, Same)]),
    row(
        &[(
            "colour: { type: string }",
            "colour: { type: string, x-sensitive: true }",
        )],
        &[(FieldSensitive, Same, Same)],
    ),
    both_ways(
        &[(
            "colour: { type: string }",
            "colour: { type: [string, \"null\"], x-distinguish-null: true }",
        )],
        &[(FieldType, Breaks, Breaks), (FieldOptional, Breaks, More)],
        &[(FieldType, Breaks, Breaks), (FieldRequired, Breaks, Same)],
    ),
    both_ways(
        &[(
            "shade: { type: [string, \"null\"] }",
            "shade: { type: [string, \"null\"], x-distinguish-null: true }",
        )],
        &[(FieldType, Breaks, Breaks)],
        &[(FieldType, Breaks, Breaks)],
    ),
    row(&[("[big, small]", "[big, medium, small]")], &[(ValueAdded, More, More)]),
    row(
        &[("[big, small]", "[big, small]\n      x-rust-names: { big: Large }")],
        &[(RustName, Breaks, Breaks)],
    ),
    row(
        &[(
            "colour: { type: string }",
            "colour: { type: string, x-rust-name: color }",
        )],
        &[(RustName, Breaks, Breaks)],
    ),
    row(
        &[(
            "    Size:\n      x-tag: things\n",
            "    Size:\n      x-tag: things\n      x-rust-name: Extent\n",
        )],
        &[(Documentation, Same, Same), (SchemaRenamed, Breaks, Breaks)],
    ),
    row(&[("unit: kg", "unit: g")], &[(ValueAttribute, Breaks, Breaks)]),
    row(&[("The unit.", "The unit of it.")], &[(Documentation, Same, Same)]),
    both_ways(
        &[
            ("{ unit: The unit., ", "{ code: The code., unit: The unit., "),
            ("{ unit: t, ", "{ code: t, unit: t, "),
        ],
        &[(ValueAttribute, More, More)],
        &[(ValueAttribute, Breaks, Breaks)],
    ),
    row(&[("parts: [a, b]", "parts: a")], &[(ValueAttribute, Breaks, Breaks)]),
    row(
        &[
            ("[high, low]", "[high, medium, low]"),
            ("          low: {", "          medium: { unit: kg }\n          low: {"),
        ],
        &[(ValueAdded, More, More)],
    ),
    row(
        &[("[large, little]", "[large, tiny, little]")],
        &[(ValueAdded, Breaks, More)],
    ),
    row(
        &[("[north, south]", "[north, south, west]")],
        &[(ValueAdded, More, More)],
    ),
    row(&[("[big, small]", "[big]")], &[(ValueRemoved, Breaks, Breaks)]),
    row(
        &[("[big, small]", "[big, tiny]")],
        &[(ValueAdded, More, More), (ValueRemoved, Breaks, Breaks)],
    ),
    row(
        &[("[big, small]", "[small, big]")],
        &[(ValuesReordered, Breaks, Breaks)],
    ),
    row(
        &[(
            "          deprecated: true\n          x-deprecation: { advice: Read name. }\n",
            "",
        )],
        &[(DeprecationChanged, Same, Same)],
    ),
    row(
        &[("advice: Read name.", "advice: Read name instead.")],
        &[(DeprecationChanged, Same, Same)],
    ),
    row(
        &[("description: Its name.", "description: Its name, in full.")],
        &[(Documentation, Same, Same)],
    ),
    row(
        &[("type: number }", "type: number, examples: [1.5] }")],
        &[(Documentation, Same, Same)],
    ),
];

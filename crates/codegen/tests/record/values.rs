//! Null, enums, lists and maps.

use super::{Case, Text::Schemas};

pub(super) const CASES: &[Case] = &[
    Case {
        repository: "oxidecomputer/typify",
        number: 450,
        construct: "a closed tuple",
        document: Schemas(
            "
    It: { type: array, minItems: 2, items: false, prefixItems: [{ type: string }, { type: integer }] }
",
        ),
        code: &["Text(String)", "Integer(i64)"],
        notes: &["the items of a tuple have types of their own"],
    },
    Case {
        repository: "oxidecomputer/typify",
        number: 882,
        construct: "a reference into `$defs`",
        document: Schemas(
            "
    It:
      type: object
      $defs: { Foo: { type: object, properties: { names: { type: array, items: { type: string } } } } }
      properties: { foo: { $ref: '#/components/schemas/It/$defs/Foo' } }
",
        ),
        code: &["pub foo: Option<ItFoo>", "pub names: Vec<String>"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 942,
        construct: "an enum with null among its values",
        document: Schemas(
            "
    It: { type: object, properties: { title: { type: [string, 'null'], enum: [ceo, cto, null] } } }
",
        ),
        code: &["pub title: Option<ItTitle>", "Ceo = \"ceo\"", "Cto = \"cto\""],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 1617,
        construct: "a list of a type and null",
        document: Schemas(
            "
    It: { type: object, required: [room], properties: { room: { type: [string, 'null'] } } }
",
        ),
        code: &["pub room: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 1529,
        construct: "an enum without a type",
        document: Schemas(
            "
    It:
      type: object
      properties: { word: { enum: [a, b] }, flag: { enum: [true, false] }, mixed: { enum: [auto, 1, true] } }
",
        ),
        code: &[
            "pub word: Option<ItWord>",
            "pub flag: Option<bool>",
            "Auto = \"auto\"",
            "Boolean(bool)",
        ],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 2337,
        construct: "a required property that may be null",
        document: Schemas(
            "
    It: { type: object, required: [next], properties: { next: { type: string, nullable: true } } }
",
        ),
        code: &["pub next: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 19989,
        construct: "a map whose values may be null",
        document: Schemas(
            "
    It:
      type: object
      required: [all]
      properties: { all: { type: object, additionalProperties: { type: string, nullable: true } } }
",
        ),
        code: &["pub all: BTreeMap<String, Option<String>>"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 16472,
        construct: "a list that may be null",
        document: Schemas(
            "
    It: { type: object, properties: { bad: { type: array, nullable: true, items: { type: string } } } }
",
        ),
        code: &["pub bad: Option<Vec<String>>"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 11207,
        construct: "an enum of negative and positive numbers",
        document: Schemas(
            "
    It: { type: object, properties: { sign: { type: integer, enum: [-1, 0, 1] } } }
",
        ),
        code: &["Minus1 = -1", "Value0 = 0", "Value1 = 1"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 17795,
        construct: "a property that is a reserved word",
        document: Schemas(
            "
    It: { type: object, required: [ref, type], properties: { ref: { type: string }, type: { type: string } } }
",
        ),
        code: &["rename = \"ref\"", "rename = \"type\""],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 19704,
        construct: "a list with `prefixItems` alone",
        document: Schemas(
            "
    It: { type: object, properties: { pair: { type: array, prefixItems: [{ type: string }, { type: string }] } } }
",
        ),
        code: &["pub pair: Vec<JsonValue>"],
        notes: &["the items of a tuple have types of their own"],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 22826,
        construct: "`anyOf` of any value and null",
        document: Schemas(
            "
    It: { type: object, properties: { value: { anyOf: [{}, { type: 'null' }] } } }
",
        ),
        code: &["pub value: Option<JsonValue>"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1013,
        construct: "`oneOf` of a reference and null",
        document: Schemas(
            "
    It:
      type: object
      required: [other]
      properties: { other: { oneOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] } }
    Other: { type: object, properties: { name: { type: string } } }
",
        ),
        code: &["pub other: Option<Other>", "pub struct Other {"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1892,
        construct: "a tuple with further items of a type",
        document: Schemas(
            "
    It:
      type: object
      properties: { all: { type: array, prefixItems: [{ type: number }, { type: number }], items: { type: number } } }
",
        ),
        code: &["pub all: Vec<f64>"],
        notes: &["the items of a tuple have types of their own"],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1011,
        construct: "a tuple of the earlier form, with a list in `items`",
        document: Schemas(
            "
    It:
      type: object
      properties: { pair: { type: array, minItems: 2, maxItems: 2, items: [{ type: string }, { type: number }] } }
",
        ),
        code: &["Text(String)", "Number(f64)"],
        notes: &["the items of a tuple have types of their own"],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 24108,
        construct: "null in the forms of OpenAPI 3.1",
        document: Schemas(
            "
    It:
      type: object
      required: [a, b]
      properties: { a: { type: [integer, 'null'] }, b: { anyOf: [{ type: string }, { type: 'null' }] } }
",
        ),
        code: &["pub a: Option<i64>", "pub b: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1872,
        construct: "a named enum with null among its values",
        document: Schemas(
            "
    It: { type: object, required: [values], properties: { values: { $ref: '#/components/schemas/Values' } } }
    Values: { type: [string, 'null'], enum: [VALUE1, VALUE2, null] }
",
        ),
        code: &[
            "pub values: Option<Values>",
            "Value1 = \"VALUE1\"",
            "Value2 = \"VALUE2\"",
        ],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1564,
        construct: "`nullable` beside an enum, in OpenAPI 3.1",
        document: Schemas(
            "
    It: { type: object, required: [value], properties: { value: { type: string, enum: [a, b], nullable: true } } }
",
        ),
        code: &["pub value: Option<ItValue>", "A = \"a\"", "B = \"b\""],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/typify",
        number: 443,
        construct: "`allOf` that no value meets",
        document: Schemas(
            "
    It: { type: object, properties: { never: { allOf: [{ type: string }, { type: integer }] } } }
",
        ),
        code: &["pub never: Option<String>"],
        notes: &["`type` differs between the parts of this `allOf`"],
    },
];

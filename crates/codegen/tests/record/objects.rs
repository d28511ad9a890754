//! Objects: their members, and those of the parts of an `allOf`.

use super::{Case, Text::Schemas};

pub(super) const CASES: &[Case] = &[
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1474,
        construct: "`allOf` of a reference and a part that only requires a member",
        document: Schemas(
            "
    It: { allOf: [{ $ref: '#/components/schemas/Base' }, { required: [second] }] }
    Base: { type: object, required: [first], properties: { first: { type: string }, second: { type: string } } }
",
        ),
        code: &["pub struct It {", "pub second: String, }"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1520,
        construct: "`allOf` of an object without members",
        document: Schemas(
            "
    It: { allOf: [{ $ref: '#/components/schemas/Empty' }, { type: object, properties: { name: { type: string } } }] }
    Empty: { type: object }
",
        ),
        code: &["pub struct It {", "pub name: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 583,
        construct: "an object that does not say whether it has other members",
        document: Schemas(
            "
    It: { $ref: '#/components/schemas/Contract' }
    Contract: { type: object, required: [slug], properties: { slug: { type: string } } }
",
        ),
        code: &["pub struct Contract {", "pub slug: String"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 2162,
        construct: "a member that one use of a schema requires, beside a union of it",
        document: Schemas(
            "
    It:
      type: object
      properties: { pet: { $ref: '#/components/schemas/Update' }, cat: { $ref: '#/components/schemas/Cat' } }
    Update:
      oneOf: [{ $ref: '#/components/schemas/CatProps' }, { $ref: '#/components/schemas/DogProps' }]
      discriminator: { propertyName: kind, mapping: { cat: '#/components/schemas/CatProps', dog: '#/components/schemas/DogProps' } }
    Cat: { type: object, required: [kittens], allOf: [{ $ref: '#/components/schemas/CatProps' }] }
    CatProps: { type: object, required: [kind], properties: { kind: { type: string }, kittens: { type: number } } }
    DogProps: { type: object, required: [kind], properties: { kind: { type: string }, puppies: { type: number } } }
",
        ),
        code: &["CatProps(CatProps) = [\"cat\"]", "pub kittens: f64", "pub kittens: Option<f64>"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 18580,
        construct: "a named text with a pattern",
        document: Schemas(
            "
    It: { type: object, required: [mail], properties: { mail: { $ref: '#/components/schemas/Email' } } }
    Email: { type: string, pattern: '^[^@]+@[^@]+$' }
",
        ),
        code: &["pub type Email = String", "pub mail: String", "^[^@]+@[^@]+$"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 16849,
        construct: "a list of different values of an enum",
        document: Schemas(
            "
    It:
      type: object
      required: [bar]
      properties: { bar: { type: array, uniqueItems: true, items: { $ref: '#/components/schemas/Bar' } } }
    Bar: { type: string, enum: [one, two] }
",
        ),
        code: &["pub bar: Vec<Bar>", "pub fn new(bar: Vec<Bar>) -> Self", "unique: true"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 2424,
        construct: "an enum of texts that are digits",
        document: Schemas(
            "
    It: { type: object, required: [arg], properties: { arg: { type: string, enum: ['0', '1'] } } }
",
        ),
        code: &["Value0 = \"0\"", "Value1 = \"1\"", "pub arg: ItArg"],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/typify",
        number: 315,
        construct: "`allOf` that adds members to a base, requires one and narrows another",
        document: Schemas(
            "
    It:
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          required: [note]
          properties: { size: { type: string, enum: [small, large] }, colour: { type: string } }
    Base: { type: object, required: [size], properties: { size: { type: string }, note: { type: string } } }
",
        ),
        code: &["pub struct It {", "pub size: ItSize", "pub note: String", "pub colour: Option<String>"],
        notes: &[],
    },
];

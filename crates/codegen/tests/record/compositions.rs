//! Unions, and schemas that are composed of others.

use super::{Case, Text::Schemas};

pub(super) const CASES: &[Case] = &[
    Case {
        repository: "oxidecomputer/typify",
        number: 435,
        construct: "choices that only require members",
        document: Schemas(
            "
    It:
      type: object
      properties: { mail: { type: string }, phone: { type: string } }
      anyOf: [{ required: [mail] }, { required: [phone] }]
",
        ),
        code: &["pub struct It {", "pub mail: Option<String>", "pub phone: Option<String>"],
        notes: &["`anyOf` restricts which members an object has"],
    },
    Case {
        repository: "oxidecomputer/typify",
        number: 272,
        construct: "`oneOf` beside `properties`",
        document: Schemas(
            "
    It:
      type: object
      required: [name]
      properties: { name: { type: string } }
      oneOf: [{ $ref: '#/components/schemas/Path' }, { $ref: '#/components/schemas/Git' }]
    Path: { type: object, required: [path], properties: { path: { type: string } } }
    Git: { type: object, required: [url], properties: { url: { type: string } } }
",
        ),
        code: &[
            "pub enum It {",
            "ItPath(ItPath)", "ItGit(ItGit)", "pub struct ItGit {", "pub url: String", "pub name: String",
        ],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/typify",
        number: 829,
        construct: "`allOf` of a union and an object",
        document: Schemas(
            "
    It: { allOf: [{ $ref: '#/components/schemas/Shape' }, { $ref: '#/components/schemas/Base' }] }
    Base: { type: object, required: [id], properties: { id: { type: integer } } }
    Shape: { oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Line' }] }
    Circle: { type: object, required: [radius], properties: { radius: { type: number } } }
    Line: { type: object, required: [length], properties: { length: { type: number } } }
",
        ),
        code: &["pub enum It {", "ItCircle(ItCircle)", "pub id: i64", "pub radius: f64", "pub length: f64"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1464,
        construct: "`allOf` of a union with a discriminator and an inline object",
        document: Schemas(
            "
    It:
      allOf:
        - $ref: '#/components/schemas/Device'
        - { type: object, properties: { status: { type: string } } }
    Device:
      oneOf: [{ $ref: '#/components/schemas/Watch' }, { $ref: '#/components/schemas/Ring' }]
      discriminator: { propertyName: kind, mapping: { w: '#/components/schemas/Watch', r: '#/components/schemas/Ring' } }
    Watch: { type: object, required: [kind], properties: { kind: { const: w, type: string }, strap: { type: string } } }
    Ring: { type: object, required: [kind], properties: { kind: { const: r, type: string }, size: { type: integer } } }
",
        ),
        code: &["pub enum It {", "pub status: Option<String>", "pub strap: Option<String>", "pub size: Option<i64>"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1700,
        construct: "`discriminator` of a base, whose children refer to it by `allOf`",
        document: Schemas(
            "
    It: { type: array, items: { $ref: '#/components/schemas/Dog' } }
    Pet:
      type: object
      required: [kind]
      properties: { kind: { $ref: '#/components/schemas/PetKind' } }
      discriminator: { propertyName: kind, mapping: { Dog: '#/components/schemas/Dog' } }
    PetKind: { type: string, enum: [Dog, Cat] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { bark: { type: string } } }] }
",
        ),
        code: &["pub struct Dog {", "pub kind: PetKind", "pub bark: Option<String>", "Dog = \"Dog\", Cat = \"Cat\""],
        notes: &["discriminator"],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 2149,
        construct: "`discriminator` without a mapping, beside the values of its property",
        document: Schemas(
            "
    It:
      oneOf: [{ $ref: '#/components/schemas/TextNote' }, { $ref: '#/components/schemas/QuoteNote' }]
      discriminator: { propertyName: kind }
    TextNote: { type: object, required: [kind], properties: { kind: { type: string, enum: [text] } } }
    QuoteNote: { type: object, required: [kind], properties: { kind: { type: string, enum: [quote] } } }
",
        ),
        code: &["By = \"kind\"", "TextNote(TextNote) = [\"text\"]", "QuoteNote(QuoteNote) = [\"quote\"]"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1572,
        construct: "`discriminator` with a mapping",
        document: Schemas(
            "
    It:
      oneOf: [{ $ref: '#/components/schemas/Plain' }, { $ref: '#/components/schemas/Rich' }]
      discriminator:
        propertyName: kind
        mapping: { p: '#/components/schemas/Plain', r1: '#/components/schemas/Rich', r2: '#/components/schemas/Rich' }
    Plain: { type: object, required: [kind], properties: { kind: { type: string } } }
    Rich: { type: object, required: [kind], properties: { kind: { type: string } } }
",
        ),
        code: &["Plain(Plain) = [\"p\"]", "Rich(Rich) = [\"r1\", \"r2\"]"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 979,
        construct: "a mapping to schemas with `allOf`",
        document: Schemas(
            "
    It:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator: { propertyName: kind, mapping: { c: '#/components/schemas/Cat', d: '#/components/schemas/Dog' } }
    Pet: { type: object, required: [kind], properties: { kind: { type: string } } }
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { purrs: { type: boolean } } }] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { barks: { type: boolean } } }] }
",
        ),
        code: &["Cat(Cat) = [\"c\"]", "Dog(Dog) = [\"d\"]", "pub purrs: Option<bool>", "pub kind: String"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 932,
        construct: "`allOf` of an `allOf`, with members beside each",
        document: Schemas(
            "
    It: { type: object, properties: { data: { type: string } }, allOf: [{ $ref: '#/components/schemas/Raw' }] }
    Raw: { type: object, properties: { raw: { type: string } }, allOf: [{ $ref: '#/components/schemas/Base' }] }
    Base: { type: object, properties: { meta: { type: string }, links: { type: string } } }
",
        ),
        code: &["pub data: Option<String>", "pub raw: Option<String>", "pub meta: Option<String>", "pub links: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 1255,
        construct: "`oneOf` of extensions beside shared members",
        document: Schemas(
            "
    It:
      type: object
      required: [status]
      properties: { status: { type: integer } }
      oneOf: [{ $ref: '#/components/schemas/Failed' }, { $ref: '#/components/schemas/Ignored' }]
    Failed: { type: object, required: [error], properties: { error: { type: string } } }
    Ignored: { type: object, required: [reason], properties: { reason: { type: string } } }
",
        ),
        code: &["pub enum It {", "pub status: i64", "pub error: String", "pub reason: String"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 1595,
        construct: "`oneOf` of a boolean and an enum",
        document: Schemas(
            "
    It:
      type: object
      properties: { hold: { oneOf: [{ type: boolean, enum: [true, false] }, { type: string, enum: [auto] }] } }
",
        ),
        code: &["Boolean(bool)", "Auto = \"auto\""],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 20101,
        construct: "`oneOf` of objects",
        document: Schemas(
            "
    It: { oneOf: [{ $ref: '#/components/schemas/Hello' }, { $ref: '#/components/schemas/Goodbye' }] }
    Hello: { type: object, required: [hello], properties: { hello: { type: string } } }
    Goodbye: { type: object, required: [goodbye], properties: { goodbye: { type: string } } }
",
        ),
        code: &["pub enum It {", "Hello(Hello)", "Goodbye(Goodbye)"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 21894,
        construct: "`anyOf` of any string and an enum",
        document: Schemas(
            "
    It: { type: object, properties: { model: { anyOf: [{ type: string }, { type: string, enum: [small, large] }] } } }
",
        ),
        code: &["pub struct It {", "Small = \"small\"", "Large = \"large\""],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 13020,
        construct: "choices of a discriminator with an enum of the same name each",
        document: Schemas(
            "
    It:
      oneOf: [{ $ref: '#/components/schemas/Anchor' }, { $ref: '#/components/schemas/Image' }]
      discriminator: { propertyName: node, mapping: { a: '#/components/schemas/Anchor', img: '#/components/schemas/Image' } }
    Anchor: { type: object, required: [node], properties: { node: { type: string }, type: { type: string, enum: [a] } } }
    Image: { type: object, required: [node], properties: { node: { type: string }, type: { type: string, enum: [b] } } }
",
        ),
        code: &["pub enum AnchorType", "pub enum ImageType", "Anchor(Anchor) = [\"a\"]", "Image(Image) = [\"img\"]"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1690,
        construct: "`allOf` of another name of a union",
        document: Schemas(
            "
    It: { allOf: [{ $ref: '#/components/schemas/Alias' }, { type: object, properties: { name: { type: string } } }] }
    Alias: { $ref: '#/components/schemas/Choice' }
    Choice: { oneOf: [{ $ref: '#/components/schemas/Left' }, { $ref: '#/components/schemas/Right' }] }
    Left: { type: object, required: [left], properties: { left: { type: string } } }
    Right: { type: object, required: [right], properties: { right: { type: string } } }
",
        ),
        code: &["pub enum It {", "ItLeft(ItLeft)", "ItRight(ItRight)", "pub name: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 1185,
        construct: "choices with required members of their own",
        document: Schemas(
            "
    It: { oneOf: [{ $ref: '#/components/schemas/Build' }, { $ref: '#/components/schemas/Run' }] }
    Build: { type: object, required: [image], properties: { image: { type: string } } }
    Run: { type: object, required: [stage], properties: { stage: { type: string } } }
",
        ),
        code: &["(\"image\", true, Text)", "(\"stage\", true, Text)"],
        notes: &[],
    },
];

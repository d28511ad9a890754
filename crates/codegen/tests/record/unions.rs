//! Unions of objects, of scalars and of other unions.

use super::{Case, Text::Schemas};

pub(super) const CASES: &[Case] = &[
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1277,
        construct: "`oneOf` of inline objects beside `type: object`",
        document: Schemas(
            "
    It:
      type: object
      oneOf:
        - { title: DetailsId, type: object, required: [id], properties: { id: { type: string } } }
        - title: DetailsFrom
          type: object
          required: [from]
          properties: { from: { type: object, required: [step], properties: { stage: { type: string }, step: { type: string } } } }
",
        ),
        code: &["pub enum It {", "pub id: String", "pub step: String", "pub stage: Option<String>"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1879,
        construct: "`oneOf` of inline `allOf`s that have the value of the discriminator",
        document: Schemas(
            "
    It:
      oneOf:
        - allOf:
            - $ref: '#/components/schemas/FileEntity'
            - { type: object, required: [tag], properties: { tag: { type: string, enum: [File] } } }
        - allOf:
            - $ref: '#/components/schemas/FolderEntity'
            - { type: object, required: [tag], properties: { tag: { type: string, enum: [Folder] } } }
      discriminator: { propertyName: tag }
    FileEntity: { type: object, required: [size], properties: { size: { type: integer } } }
    FolderEntity: { type: object, required: [count], properties: { count: { type: integer } } }
",
        ),
        code: &["By = \"tag\"", "= [\"File\"]", "= [\"Folder\"]", "pub size: i64", "pub count: i64"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 894,
        construct: "`anyOf` of objects is one of them",
        document: Schemas(
            "
    It: { anyOf: [{ $ref: '#/components/schemas/Mail' }, { $ref: '#/components/schemas/Phone' }] }
    Mail: { type: object, required: [mail], properties: { mail: { type: string } } }
    Phone: { type: object, required: [phone], properties: { phone: { type: string } } }
",
        ),
        code: &["pub enum It {", "Mail(Mail)", "Phone(Phone)"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 2418,
        construct: "the discriminator, which choices declare themselves",
        document: Schemas(
            "
    It:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator: { propertyName: kind }
    Cat: { type: object, required: [kind], properties: { kind: { const: cat } } }
    Dog: { type: object, required: [kind], properties: { kind: { const: dog } } }
",
        ),
        code: &["Cat(Cat) = [\"cat\"]", "Dog(Dog) = [\"dog\"]"],
        notes: &[],
    },
    Case {
        repository: "OpenAPITools/openapi-generator",
        number: 17869,
        construct: "`oneOf` of two names of texts",
        document: Schemas(
            "
    It:
      type: object
      required: [login]
      properties: { login: { oneOf: [{ $ref: '#/components/schemas/Email' }, { $ref: '#/components/schemas/AccountName' }] } }
    Email: { type: string }
    AccountName: { type: string }
",
        ),
        code: &["pub enum EmailOrAccountName {", "Email(String)", "AccountName(String)"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 1013,
        construct: "`oneOf` of a union",
        document: Schemas(
            "
    It: { oneOf: [{ $ref: '#/components/schemas/Basic' }, { $ref: '#/components/schemas/Special' }] }
    Special: { oneOf: [{ $ref: '#/components/schemas/Left' }, { $ref: '#/components/schemas/Right' }] }
    Basic: { type: object, required: [name], properties: { name: { type: string } } }
    Left: { type: object, required: [left], properties: { left: { type: string } } }
    Right: { type: object, required: [right], properties: { right: { type: string } } }
",
        ),
        code: &["pub enum It {", "Basic(Basic)", "Special(Special)", "pub enum Special {", "Left(Left)", "Right(Right)"],
        notes: &[],
    },
    Case {
        repository: "ogen-go/ogen",
        number: 491,
        construct: "`anyOf` with a discriminator",
        document: Schemas(
            "
    It:
      anyOf: [{ $ref: '#/components/schemas/Point' }, { $ref: '#/components/schemas/Area' }]
      discriminator: { propertyName: shape, mapping: { POINT: '#/components/schemas/Point', AREA: '#/components/schemas/Area' } }
    Point: { type: object, required: [shape, at], properties: { shape: { type: string }, at: { type: number } } }
    Area: { type: object, required: [shape, size], properties: { shape: { type: string }, size: { type: number } } }
",
        ),
        code: &["By = \"shape\"", "Point(Point) = [\"POINT\"]", "Area(Area) = [\"AREA\"]"],
        notes: &[],
    },
    Case {
        repository: "openapi-ts/openapi-typescript",
        number: 1116,
        construct: "`allOf` of a union with a discriminator, which may be null",
        document: Schemas(
            "
    It: { type: object, properties: { favourite: { nullable: true, allOf: [{ $ref: '#/components/schemas/Pet' }] } } }
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator: { propertyName: kind, mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' } }
    Cat: { type: object, required: [kind], properties: { kind: { type: string } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string } } }
",
        ),
        code: &["pub favourite: Option<Pet>", "Cat(Cat) = [\"cat\"]", "Dog(Dog) = [\"dog\"]"],
        notes: &[],
    },
    Case {
        repository: "oxidecomputer/progenitor",
        number: 1252,
        construct: "a base with `oneOf` of its children, which refer to it by `allOf`",
        document: Schemas(
            "
    It:
      type: object
      required: [name, kind]
      properties: { name: { type: string }, kind: { type: string, enum: [A, B] } }
      discriminator: { propertyName: kind, mapping: { A: '#/components/schemas/KindA', B: '#/components/schemas/KindB' } }
      oneOf: [{ $ref: '#/components/schemas/KindA' }, { $ref: '#/components/schemas/KindB' }]
    KindA: { allOf: [{ $ref: '#/components/schemas/It' }, { type: object, properties: { a: { type: string } } }] }
    KindB: { allOf: [{ $ref: '#/components/schemas/It' }, { type: object, properties: { b: { type: string } } }] }
",
        ),
        code: &["pub name: String", "pub kind: ItKind", "extra"],
        notes: &["oneOf"],
    },
];

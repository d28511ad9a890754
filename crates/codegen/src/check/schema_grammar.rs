//! The grammar of schemas.

use super::shape::Shape::{self, Any, Bool, BoolOrSchema, Integer, List, Map, Number, Text, Texts, TypeNames, Values};
use super::shape::{Node, node, schema};

pub(super) static NAMED: Node = schema(
    "a named schema",
    &[
        "title",
        "description",
        "deprecated",
        "x-deprecation",
        "x-tag",
        "x-assumption",
    ],
    &[
        ("title", Text),
        ("description", Text),
        ("type", TypeNames),
        ("enum", Values),
        ("x-extensible-enum", Values),
        ("format", Text),
        ("const", Any),
        ("items", Shape::Node(&PART)),
        ("propertyNames", Shape::Node(&PART)),
        ("allOf", List(&Shape::Node(&COMPOSED))),
        ("oneOf", List(&Shape::Node(&PART))),
        ("anyOf", List(&Shape::Node(&PART))),
        ("discriminator", Shape::Node(&DISCRIMINATOR)),
        ("properties", Map(&Shape::Node(&PROPERTY))),
        ("required", Texts),
        ("additionalProperties", BoolOrSchema),
        ("examples", Values),
        ("deprecated", Bool),
        ("x-deprecation", Shape::Node(&DEPRECATION)),
        ("x-tag", Text),
        ("x-columns", Texts),
        ("x-assumption", Text),
    ],
);

static PROPERTY: Node = schema(
    "a property",
    &[
        "description",
        "deprecated",
        "x-deprecation",
        "x-assumption",
        "x-sensitive",
        "default",
    ],
    &[
        ("title", Text),
        ("description", Text),
        ("type", TypeNames),
        ("format", Text),
        ("additionalProperties", BoolOrSchema),
        ("propertyNames", Shape::Node(&PART)),
        ("items", Shape::Node(&PART)),
        ("allOf", List(&Shape::Node(&PART))),
        ("oneOf", List(&Shape::Node(&PART))),
        ("anyOf", List(&Shape::Node(&PART))),
        ("const", Any),
        ("default", Any),
        ("examples", Values),
        ("deprecated", Bool),
        ("x-deprecation", Shape::Node(&DEPRECATION)),
        ("x-sensitive", Bool),
        ("x-optional-for-readers", Bool),
        ("x-assumption", Text),
    ],
);

/// A schema within another one, or of a body.
pub(super) static PART: Node = schema(
    "a nested schema",
    &[],
    &[
        ("type", TypeNames),
        ("format", Text),
        ("additionalProperties", BoolOrSchema),
        ("propertyNames", Shape::Node(&PART)),
        ("items", Shape::Node(&PART)),
        ("allOf", List(&Shape::Node(&PART))),
        ("oneOf", List(&Shape::Node(&PART))),
        ("anyOf", List(&Shape::Node(&PART))),
        ("const", Any),
    ],
);

/// A part of an `allOf`.
static COMPOSED: Node = schema(
    "a part of `allOf`",
    &["description"],
    &[
        ("description", Text),
        ("type", TypeNames),
        ("properties", Map(&Shape::Node(&PROPERTY))),
        ("required", Texts),
        ("additionalProperties", BoolOrSchema),
    ],
);

static DISCRIMINATOR: Node = node(
    "`discriminator`",
    &["propertyName"],
    &[("propertyName", Text), ("mapping", Map(&Text))],
);

pub(super) static PARAMETER_SCHEMA: Node = schema(
    "a parameter's schema",
    &["default"],
    &[
        ("type", TypeNames),
        ("format", Text),
        ("oneOf", List(&Shape::Node(&PART))),
        ("default", Any),
        ("minimum", Number),
        ("maximum", Number),
        ("minLength", Integer),
        ("maxLength", Integer),
        ("items", Shape::Node(&PART)),
        ("minItems", Integer),
        ("maxItems", Integer),
        ("uniqueItems", Bool),
    ],
);

pub(super) static HEADER_SCHEMA: Node = schema("a header's schema", &[], SCALAR);

const SCALAR: &[(&str, Shape)] = &[
    ("type", TypeNames),
    ("format", Text),
    ("oneOf", List(&Shape::Node(&PART))),
    ("default", Any),
    ("minimum", Number),
    ("maximum", Number),
    ("minLength", Integer),
    ("maxLength", Integer),
];

pub(super) static DEPRECATION: Node = node("`x-deprecation`", &["advice"], &[("date", Text), ("advice", Text)]);

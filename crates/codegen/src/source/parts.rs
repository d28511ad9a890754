//! Parts of an OpenAPI document: the members of each object that are schemas, parameters, data, and so on.
//!
//! Only `check` lists the supported keys. This table serves the passes that move parts of a document before that.

/// A kind of object of an OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Document,
    Components,
    PathItem,
    Operation,
    Parameter,
    RequestBody,
    Response,
    Header,
    MediaType,
    Encoding,
    Example,
    Link,
    SecurityScheme,
    Callback,
    Schema,
    /// Attributes of the values of an enum.
    ValueAttributes,
    /// A reference to a schema that is not a part of the type around it.
    SchemaReference,
    /// An object with free keys, or a list, of such parts.
    Each(&'static Part),
    /// Anything else: names, texts, examples, extensions.
    Data,
}

use Part::{
    Callback, Components, Data, Document, Each, Encoding, Example, Header, Link, MediaType, Operation, Parameter,
    PathItem, RequestBody, Response, Schema, SchemaReference, SecurityScheme, ValueAttributes,
};

/// The methods of a path item.
pub(crate) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Sections of a document of Swagger 2.0, each with its place below `components` of OpenAPI 3.1.
pub(crate) const SWAGGER_SECTIONS: [(&str, &str); 4] = [
    ("definitions", "schemas"),
    ("parameters", "parameters"),
    ("responses", "responses"),
    ("securityDefinitions", "securitySchemes"),
];

impl Part {
    /// The kind of a member.
    pub(crate) fn member(self, key: &str) -> Self {
        match (self, key) {
            (Each(inner), _) => *inner,
            (Callback, _) => PathItem,
            (Document, "paths" | "webhooks") => Each(&PathItem),
            (Document, "components") => Components,
            // Of Swagger 2.0.
            (Document, "definitions") => Each(&Schema),
            (Document, "parameters") => Each(&Parameter),
            (Document, "responses") => Each(&Response),
            (Response, "schema") => Schema,
            (Components, "schemas") => Each(&Schema),
            (Components | PathItem | Operation, "parameters") => Each(&Parameter),
            (Components | Operation, "responses") => Each(&Response),
            (Components, "requestBodies") => Each(&RequestBody),
            (Components | Response | Encoding, "headers") => Each(&Header),
            (Components | Parameter | Header | MediaType, "examples") => Each(&Example),
            (Components | Response, "links") => Each(&Link),
            (Components, "securitySchemes") => Each(&SecurityScheme),
            (Components | Operation, "callbacks") => Each(&Callback),
            (Components, "pathItems") => Each(&PathItem),
            (PathItem, method) if METHODS.contains(&method) => Operation,
            (Operation, "requestBody") => RequestBody,
            (Parameter | Header | RequestBody | Response, "content") => Each(&MediaType),
            (Parameter | Header | MediaType, "schema") => Schema,
            (MediaType, "encoding") => Each(&Encoding),
            (Schema, key) => schema(key),
            (ValueAttributes, "values") => Each(&Each(&SchemaReference)),
            _ => Data,
        }
    }

    /// The kind of the component that a reference in its place names.
    pub(crate) fn target(self) -> Self {
        match self {
            SchemaReference => Schema,
            other => other,
        }
    }

    /// The section of `components` for this kind, if it may be a reference.
    pub(crate) fn section(self) -> Option<&'static str> {
        Some(match self {
            PathItem => "pathItems",
            Parameter => "parameters",
            RequestBody => "requestBodies",
            Response => "responses",
            Header => "headers",
            Example => "examples",
            Link => "links",
            SecurityScheme => "securitySchemes",
            Callback => "callbacks",
            Schema | SchemaReference => "schemas",
            _ => return None,
        })
    }
}

fn schema(key: &str) -> Part {
    match key {
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" | "allOf" | "oneOf"
        | "anyOf" | "prefixItems" => Each(&Schema),
        "items"
        | "additionalProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "unevaluatedProperties"
        | "unevaluatedItems" => Schema,
        "x-value-attributes" => ValueAttributes,
        _ => Data,
    }
}

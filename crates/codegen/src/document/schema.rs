//! Named schemas: objects, open enums, closed enums.

use serde_json::Value;

use super::{Area, Docs, known_area, text};
use crate::source::{Report, join};

/// A component schema.
pub(crate) struct Schema {
    pub(crate) name: String,
    pub(crate) area: String,
    pub(crate) docs: Docs,
    pub(crate) kind: SchemaKind,
    /// The schema as the document has it.
    pub(crate) value: Value,
}

pub(crate) enum SchemaKind {
    Object {
        properties: Vec<Property>,
        /// Whether members that are not listed are kept.
        open: bool,
    },
    /// Unknown values are kept.
    OpenEnum(Vec<String>),
    /// Unknown values are refused.
    ClosedEnum(Vec<String>),
}

/// A property of an object.
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) docs: Docs,
    pub(crate) ty: Type,
    /// What it is when it is null or absent.
    pub(crate) default: Option<Value>,
    /// Whether its value must not show in `Debug`.
    pub(crate) sensitive: bool,
}

/// The type of a property, a parameter, or a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    String {
        min: Option<u64>,
        max: Option<u64>,
    },
    /// `format: password`.
    Secret,
    Uuid,
    Date,
    DateTime,
    Integer {
        bits: u8,
        min: Option<i64>,
        max: Option<i64>,
    },
    Number,
    Boolean,
    /// An object with any members.
    Open,
    Ref(String),
    Array(Box<Type>),
    Map(Box<Type>),
    Nullable(Box<Type>),
}

pub(super) fn read_all(root: &Value, areas: &[Area], report: &mut Report<'_>) -> Vec<Schema> {
    let schemas = root.pointer("/components/schemas").and_then(Value::as_object);
    let schemas: Vec<_> = schemas
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| read(name, value, areas, report))
        .collect();
    check_defaults(&schemas, report);
    schemas
}

fn read(name: &str, value: &Value, areas: &[Area], report: &mut Report<'_>) -> Option<Schema> {
    let at = join("/components/schemas", name);
    let area = text(value, "/x-area");
    if value.get("x-area").is_none() {
        report.error(
            &at,
            format!("the schema `{name}` has no `x-area`"),
            "add `x-area: <tag>`: the module that the type is generated into",
        );
    } else {
        known_area(&area, &format!("{at}/x-area"), areas, report);
    }
    Some(Schema {
        name: name.to_owned(),
        area,
        docs: Docs::read(value, &at, report),
        kind: kind(value, &at, report)?,
        value: value.clone(),
    })
}

fn kind(value: &Value, at: &str, report: &mut Report<'_>) -> Option<SchemaKind> {
    if let Some(values) = value.get("x-extensible-enum") {
        return Some(SchemaKind::OpenEnum(enum_values(
            value,
            values,
            &join(at, "x-extensible-enum"),
            report,
        )));
    }
    if let Some(values) = value.get("enum") {
        return Some(SchemaKind::ClosedEnum(enum_values(
            value,
            values,
            &join(at, "enum"),
            report,
        )));
    }
    let Some(properties) = value.get("properties").and_then(Value::as_object) else {
        report.error(
            at,
            "a named schema is an object with `properties`, or an enum of strings",
            "write other types where they are used",
        );
        return None;
    };
    if value["type"] != "object" {
        report.error(
            at,
            "a schema with `properties` has `type: object`",
            "add `type: object`",
        );
    }
    let open = match value.get("additionalProperties") {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(Value::Bool(false)) => {
            report.error(
                &join(at, "additionalProperties"),
                "objects that refuse unknown members are not carried",
                "remove it: unknown members are ignored, or kept with `additionalProperties: true`",
            );
            false
        }
        Some(_) => {
            report.error(
                &join(at, "additionalProperties"),
                "typed `additionalProperties` beside `properties` are not carried",
                "write `additionalProperties: true`, or a property that is a map",
            );
            true
        }
    };
    let required: Vec<_> = value["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (index, name) in required.iter().enumerate() {
        if !properties.contains_key(*name) {
            report.value_error(
                &format!("{at}/required/{index}"),
                format!("`{name}` is required but is no property"),
                "add the property, or remove it from `required`",
            );
        }
    }
    let properties = properties
        .iter()
        .filter_map(|(name, value)| property(name, value, required.contains(&name.as_str()), at, report))
        .collect();
    Some(SchemaKind::Object { properties, open })
}

fn enum_values(schema: &Value, values: &Value, at: &str, report: &mut Report<'_>) -> Vec<String> {
    if schema["type"] != "string" {
        report.error(at, "an enum has `type: string`", "add `type: string`");
    }
    let values: Vec<_> = values
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (index, value) in values.iter().enumerate() {
        if values[..index].contains(value) {
            report.value_error(
                &format!("{at}/{index}"),
                format!("`{value}` stands here twice"),
                "remove one",
            );
        }
    }
    values.into_iter().map(str::to_owned).collect()
}

fn property(name: &str, value: &Value, required: bool, at: &str, report: &mut Report<'_>) -> Option<Property> {
    let at = join(&join(at, "properties"), name);
    for key in ["minimum", "maximum", "minLength", "maxLength"] {
        if value.get(key).is_some() {
            report.error(
                &join(&at, key),
                format!("`{key}` is carried for parameters only"),
                "describe the rule in `description`: readers of answers are lenient",
            );
        }
    }
    let ty = read_type(value, &at, report)?;
    if let Some(default) = value.get("default")
        && (required || !fits(default, &ty))
    {
        report.value_error(
            &join(&at, "default"),
            "this default is not carried",
            "an optional property has a string, number, boolean or enum value of its own type as its default",
        );
        return None;
    }
    Some(Property {
        name: name.to_owned(),
        required,
        docs: Docs::read(value, &at, report),
        ty,
        default: value.get("default").cloned(),
        sensitive: value["x-sensitive"] == true,
    })
}

/// Whether a default is a plain value of a type; whether an enum has it is checked once all schemas are known.
fn fits(default: &Value, ty: &Type) -> bool {
    match ty {
        Type::Nullable(inner) => fits(default, inner),
        Type::String { .. } | Type::Ref(_) => default.is_string(),
        Type::Integer { .. } => default.is_i64(),
        Type::Number => default.is_number(),
        Type::Boolean => default.is_boolean(),
        _ => false,
    }
}

/// Defaults of enums are values of these enums.
fn check_defaults(schemas: &[Schema], report: &mut Report<'_>) {
    for schema in schemas {
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            continue;
        };
        for property in properties {
            let (Some(default), Some(name)) = (&property.default, property.ty.reference()) else {
                continue;
            };
            let values = schemas.iter().find(|other| other.name == name).map(|other| &other.kind);
            let known = match values {
                Some(SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values)) => {
                    values.iter().any(|value| default == value)
                }
                _ => false,
            };
            if !known {
                let at = format!("{}/properties", join("/components/schemas", &schema.name));
                report.value_error(
                    &join(&join(&at, &property.name), "default"),
                    format!("the default is no value of `{name}`"),
                    "use one of its values",
                );
            }
        }
    }
}

impl Type {
    /// The named schema that this is, or is a nullable one of.
    pub(crate) fn reference(&self) -> Option<&str> {
        match self {
            Self::Ref(name) => Some(name),
            Self::Nullable(inner) => inner.reference(),
            _ => None,
        }
    }
}

/// Reads the type of a schema that is written where it is used.
pub(super) fn read_type(value: &Value, at: &str, report: &mut Report<'_>) -> Option<Type> {
    if let Some(name) = reference(value) {
        return Some(Type::Ref(name));
    }
    for (key, help) in [
        ("enum", "name the enum in `components.schemas`"),
        ("x-extensible-enum", "name the enum in `components.schemas`"),
        ("properties", "name the object in `components.schemas`"),
    ] {
        if value.get(key).is_some() {
            report.error(
                &join(at, key),
                format!("`{key}` is carried in named schemas only"),
                help,
            );
            return None;
        }
    }
    if let Some(choices) = value.get("oneOf") {
        return nullable_reference(choices, at, report);
    }
    let (name, nullable) = match &value["type"] {
        Value::Array(names) => (names[0].as_str().unwrap_or_default(), true),
        Value::String(name) => (name.as_str(), false),
        _ => {
            report.error(at, "a schema without a type", "add `type`, or a `$ref`");
            return None;
        }
    };
    stray_keys(value, name, at, report);
    let ty = match name {
        "string" => string(value, at, report),
        "integer" => integer(value, at, report),
        "number" => Type::Number,
        "boolean" => Type::Boolean,
        "array" => {
            let Some(items) = value.get("items") else {
                report.error(at, "an array without `items`", "add `items`");
                return None;
            };
            Type::Array(Box::new(read_type(items, &join(at, "items"), report)?))
        }
        "object" => object(value, at, report)?,
        _ => {
            report.error(
                at,
                "`type: \"null\"` stands alone",
                "write `type: [string, \"null\"]` or `oneOf`",
            );
            return None;
        }
    };
    Some(if nullable { Type::Nullable(Box::new(ty)) } else { ty })
}

/// Keywords that mean nothing for a type are refused: whoever wrote them expected something of them.
fn stray_keys(value: &Value, name: &str, at: &str, report: &mut Report<'_>) {
    const ANY: [&str; 9] = [
        "type",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "x-deprecation",
        "x-sensitive",
        "x-assumption",
    ];
    let own: &[&str] = match name {
        "string" => &["format", "minLength", "maxLength"],
        "integer" => &["format", "minimum", "maximum"],
        "array" => &["items"],
        "object" => &["additionalProperties", "propertyNames"],
        _ => &[],
    };
    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
        if !ANY.contains(&key.as_str()) && !own.contains(&key.as_str()) {
            report.error(
                &join(at, key),
                format!("`{key}` means nothing for a schema of type {name} that is written where it is used"),
                "remove it",
            );
        }
    }
}

fn reference(value: &Value) -> Option<String> {
    value["$ref"]
        .as_str()?
        .strip_prefix("#/components/schemas/")
        .map(str::to_owned)
}

fn nullable_reference(choices: &Value, at: &str, report: &mut Report<'_>) -> Option<Type> {
    let list = choices.as_array().map(Vec::as_slice).unwrap_or_default();
    if let [one, null] = list
        && let Some(name) = reference(one)
        && null["type"] == "null"
    {
        return Some(Type::Nullable(Box::new(Type::Ref(name))));
    }
    report.error(
        &join(at, "oneOf"),
        "this `oneOf` is not carried",
        "only a nullable reference is: `oneOf: [{$ref: ...}, {type: \"null\"}]`",
    );
    None
}

fn string(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let (min, max) = (value["minLength"].as_u64(), value["maxLength"].as_u64());
    match value["format"].as_str() {
        None => Type::String { min, max },
        Some("password") => Type::Secret,
        Some("uuid") => Type::Uuid,
        Some("date") => Type::Date,
        Some("date-time") => Type::DateTime,
        Some(other) => {
            report.value_error(
                &join(at, "format"),
                format!("the format `{other}` is not carried"),
                "carried for strings: uuid, date, date-time, password",
            );
            Type::String { min, max }
        }
    }
}

fn integer(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let bits = match value["format"].as_str() {
        Some("int32") => 32,
        Some("int64") | None => 64,
        Some(other) => {
            report.value_error(
                &join(at, "format"),
                format!("the format `{other}` is not carried"),
                "carried for integers: int32, int64",
            );
            64
        }
    };
    let (min, max) = (value["minimum"].as_i64(), value["maximum"].as_i64());
    for key in ["minimum", "maximum"] {
        if value.get(key).is_some_and(|bound| bound.as_i64().is_none()) {
            report.value_error(
                &join(at, key),
                format!("`{key}` of an integer is a whole number"),
                "write a whole number",
            );
        }
    }
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        report.error_with(
            &join(at, "minimum"),
            "no value meets these bounds",
            "make `minimum` the smaller one",
            (&join(at, "maximum"), "below the minimum"),
        );
    }
    Type::Integer { bits, min, max }
}

fn object(value: &Value, at: &str, report: &mut Report<'_>) -> Option<Type> {
    match value.get("additionalProperties") {
        None | Some(Value::Bool(true)) => Some(Type::Open),
        Some(Value::Bool(false)) => {
            report.error(
                at,
                "an object that can have no members",
                "name it and give it `properties`",
            );
            None
        }
        Some(items) => {
            let items = read_type(items, &join(at, "additionalProperties"), report)?;
            Some(Type::Map(Box::new(items)))
        }
    }
}

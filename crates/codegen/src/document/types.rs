//! Types that are written where they are used.

use serde_json::Value;

use crate::source::{Report, join};

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

/// Reads the type of a schema that is written where it is used.
pub(super) fn read_type(value: &Value, at: &str, report: &mut Report<'_>) -> Option<Type> {
    if let Some(name) = reference(value) {
        return Some(Type::Ref(name));
    }
    if let Some(choices) = value.get("oneOf") {
        stray_keys(value, "oneOf", at, report);
        return nullable_reference(choices, at, report);
    }
    let (name, nullable) = match &value["type"] {
        Value::Array(names) => (names.first().and_then(Value::as_str).unwrap_or_default(), true),
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
        "oneOf" => &["oneOf"],
        _ => &[],
    };
    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
        let typed_twice = name == "oneOf" && key == "type";
        if typed_twice || !ANY.contains(&key.as_str()) && !own.contains(&key.as_str()) {
            report.error(
                &join(at, key),
                match name {
                    "oneOf" => format!("`{key}` means nothing beside `oneOf`"),
                    _ => format!("`{key}` means nothing for a schema of type {name} that is written where it is used"),
                },
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
        && *null == serde_json::json!({ "type": "null" })
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
    ordered(min, max, ["minLength", "maxLength"], at, report);
    if value.get("format").is_some() {
        for key in ["minLength", "maxLength"] {
            if value.get(key).is_some() {
                report.error(
                    &join(at, key),
                    format!("`{key}` beside `format` is not carried"),
                    "the format decides the length: remove one of the two",
                );
            }
        }
    }
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
        let Some(bound) = value.get(key) else { continue };
        match bound.as_i64() {
            None => report.value_error(
                &join(at, key),
                format!("`{key}` of an integer is a whole number"),
                "write a whole number",
            ),
            Some(bound) if bits == 32 && i32::try_from(bound).is_err() => report.value_error(
                &join(at, key),
                format!("`{key}` is no 32-bit integer"),
                "write a smaller one, or `format: int64`",
            ),
            Some(_) => {}
        }
    }
    ordered(min, max, ["minimum", "maximum"], at, report);
    Type::Integer { bits, min, max }
}

/// Bounds that some value meets.
fn ordered<T: PartialOrd>(low: Option<T>, high: Option<T>, [min, max]: [&str; 2], at: &str, report: &mut Report<'_>) {
    if let (Some(low), Some(high)) = (low, high)
        && low > high
    {
        report.error_with(
            &join(at, min),
            "no value meets these bounds",
            format!("make `{min}` the smaller one"),
            (&join(at, max), "below it"),
        );
    }
}

fn object(value: &Value, at: &str, report: &mut Report<'_>) -> Option<Type> {
    if let Some(names) = value.get("propertyNames") {
        let at = join(at, "propertyNames");
        if reference(names).is_none() && *names != serde_json::json!({ "type": "string" }) {
            report.error(
                &at,
                "the keys of a map are strings, or of an enum",
                "refer to an enum, or write `type: string`",
            );
        }
        if !value["additionalProperties"].is_object() {
            report.error(
                &at,
                "`propertyNames` is carried for maps only",
                "give `additionalProperties` a schema",
            );
        }
    }
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

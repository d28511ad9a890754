//! Reads the types of inline schemas.

use serde_json::Value;

use super::scalars::{integer, number, string};
use super::{Type, limits};
use crate::Code;
use crate::source::{Report, join};

/// Reads the type of an inline schema.
pub(super) fn read_type(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    if let Some(name) = reference(value) {
        return Type::Ref(name);
    }
    if let Some(choices) = value.get("oneOf") {
        stray_keys(value, "oneOf", at, report);
        return nullable_reference(choices, at, report);
    }
    if is_any(value) {
        return Type::Any;
    }
    let (name, nullable) = match &value["type"] {
        Value::Array(names) => (names.first().and_then(Value::as_str).unwrap_or_default(), true),
        Value::String(name) => (name.as_str(), false),
        _ => {
            let help = "add `type`, or a `$ref` to a named schema";
            report.error(Code::NoType, at, "the schema has no `type`", help);
            return Type::broken();
        }
    };
    stray_keys(value, name, at, report);
    let ty = match name {
        "string" => string(value, at, report),
        "integer" => integer(value, at, report),
        "number" => number(value, at, report),
        "boolean" => Type::Boolean,
        "array" => match value.get("items") {
            Some(items) => Type::Array(
                Box::new(read_type(items, &join(at, "items"), report)),
                limits::items(value, at, report),
            ),
            None => {
                let help = "add `items`, the schema of each item";
                report.error(Code::NoItems, at, "the array has no `items`", help);
                Type::broken()
            }
        },
        "object" => object(value, at, report),
        _ => {
            report.error(
                Code::OnlyNull,
                at,
                "a value that can only be null is unsupported",
                "write `type: [string, \"null\"]`, or `oneOf` with a `$ref` before it",
            );
            Type::broken()
        }
    };
    if nullable { Type::Nullable(Box::new(ty)) } else { ty }
}

/// Whether a schema accepts any value: `true`, or one that says nothing of the value.
fn is_any(value: &Value) -> bool {
    match value {
        Value::Bool(any) => *any,
        Value::Object(members) => members.keys().all(|key| SAYING.contains(&key.as_str())),
        _ => false,
    }
}

/// Keywords that any schema may have, since they say nothing of the value.
const SAYING: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "x-deprecation",
    "x-sensitive",
    "x-optional-for-readers",
    "x-assumption",
];

/// Rejects keywords that have no effect for a type: their author expected one.
fn stray_keys(value: &Value, name: &str, at: &str, report: &mut Report<'_>) {
    let own: &[&str] = match name {
        "string" => &["format", "minLength", "maxLength"],
        "integer" => &["format", "minimum", "maximum"],
        "array" => &["items"],
        "object" => &["additionalProperties", "propertyNames"],
        "oneOf" => &["oneOf"],
        "number" => &["format"],
        "boolean" | "null" => &[],
        // Not a type, which is rejected elsewhere.
        _ => return,
    };
    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
        let typed = name != "oneOf" && key == "type";
        if typed || SAYING.contains(&key.as_str()) || own.contains(&key.as_str()) {
            continue;
        }
        let at = join(at, key);
        match (name, key.as_str()) {
            ("oneOf", _) => report.error(
                Code::StrayKeyword,
                &at,
                format!("`{key}` has no effect beside `oneOf`"),
                "remove it",
            ),
            ("number", "minimum" | "maximum") => report.error(
                Code::NumberBound,
                &at,
                format!("`{key}` of a number is unsupported; only integers have bounds"),
                "write `type: integer`, or describe the rule in `description`",
            ),
            _ => report.error(
                Code::StrayKeyword,
                &at,
                format!("`{key}` has no effect on a schema of type {name}"),
                match own {
                    [] => format!("remove it, or correct the `type`: {name} has no keywords of its own"),
                    _ => format!("remove it, or correct the `type`: {name} has {}", own.join(", ")),
                },
            ),
        }
    }
}

fn reference(value: &Value) -> Option<String> {
    value["$ref"]
        .as_str()?
        .strip_prefix("#/components/schemas/")
        .map(str::to_owned)
}

fn nullable_reference(choices: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let list = choices.as_array().map(Vec::as_slice).unwrap_or_default();
    if let [one, null] = list
        && let Some(name) = reference(one)
        && *null == serde_json::json!({ "type": "null" })
    {
        return Type::Nullable(Box::new(Type::Ref(name)));
    }
    report.error(
        Code::OneOf,
        &join(at, "oneOf"),
        "this `oneOf` is unsupported",
        "only a nullable reference is supported: `oneOf: [{$ref: ...}, {type: \"null\"}]`",
    );
    Type::broken()
}

/// Rejects keys of a map that are neither strings nor an enum.
pub(super) fn wrong_map_keys(at: &str, report: &mut Report<'_>) {
    report.error(
        Code::MapKeys,
        at,
        "the keys of a map must be strings or an enum",
        "refer to an enum, or write `type: string`",
    );
}

fn object(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    if let Some(names) = value.get("propertyNames") {
        let at = join(at, "propertyNames");
        if reference(names).is_none() && *names != serde_json::json!({ "type": "string" }) {
            wrong_map_keys(&at, report);
        }
        if !value["additionalProperties"].is_object() {
            report.error(
                Code::PropertyNamesWithoutMap,
                &at,
                "`propertyNames` is only supported for maps",
                "give `additionalProperties` a schema",
            );
        }
    }
    match value.get("additionalProperties") {
        None | Some(Value::Bool(true)) => Type::Open(limits::members(value, at, report)),
        Some(Value::Bool(false)) => {
            report.error(
                Code::MemberlessObject,
                &join(at, "additionalProperties"),
                "an object that cannot have members is unsupported",
                "define it in `components.schemas` with `properties`, or remove `additionalProperties`",
            );
            Type::broken()
        }
        Some(items) => Type::Map {
            keys: value.get("propertyNames").and_then(reference),
            values: Box::new(read_type(items, &join(at, "additionalProperties"), report)),
            size: limits::members(value, at, report),
        },
    }
}

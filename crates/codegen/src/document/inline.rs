//! Reads the types of inline schemas.

use serde_json::Value;

use super::forms::{Form, choices, form, is_nullable, reference, type_names};
use super::merge::merged;
use super::scalars::{constant, integer, number, string};
use super::stray_keys::{SAYING, stray_keys};
use super::{Type, limits};
use crate::Code;
use crate::source::{Report, join};

/// Reads the type of an inline schema.
pub(super) fn read_type(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    within(value, at, &mut Vec::new(), report)
}

/// The type of a named schema that is only another name of it.
pub(super) fn read_alias(name: &str, value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    within(value, at, &mut vec![name.to_owned()], report)
}

/// `path` holds the aliases that are being read.
fn within(value: &Value, at: &str, path: &mut Vec<String>, report: &mut Report<'_>) -> Type {
    if value["$ref"].is_string() {
        return referred(value, at, path, report);
    }
    if is_any(value) {
        return Type::Any;
    }
    let whole = merged(value, at, report);
    let value = &*whole;
    if value["$ref"].is_string() {
        return referred(value, at, path, report);
    }
    if whole_object(value) {
        let help = "name the object in `components.schemas`, and refer to it by `$ref`";
        report.error(
            Code::Composition,
            at,
            "an inline object with properties is unsupported",
            help,
        );
        return Type::broken();
    }
    let nullable = is_nullable(value);
    let ty = if let Some((keyword, choices)) = choices(value) {
        stray_keys(value, keyword, at, report);
        match choices.as_slice() {
            [(index, one)] => within(one, &format!("{at}/{keyword}/{index}"), path, report),
            _ => {
                let help = "name it in `components.schemas`, and refer to it by `$ref`";
                let message = format!("an inline `{keyword}` of several types is unsupported");
                report.error(Code::OneOf, &join(at, keyword), message, help);
                Type::broken()
            }
        }
    } else if value.get("enum").or(value.get("x-extensible-enum")).is_some() {
        // Values of several types, or of a type without an enum in Rust.
        mixed(value)
    } else {
        match (type_names(value).as_slice(), value.get("const")) {
            (["null"], _) => only_null(at, report),
            ([name], _) => typed(name, value, at, path, report),
            ([], Some(Value::Null)) => only_null(at, report),
            ([], Some(constant)) => self::constant(constant, at, report),
            _ => {
                let help = "add `type`, or a `$ref` to a named schema";
                report.error(Code::NoType, at, "the schema has no `type`", help);
                Type::broken()
            }
        }
    };
    match ty {
        Type::Nullable(_) => ty,
        ty if nullable => Type::Nullable(Box::new(ty)),
        ty => ty,
    }
}

fn only_null(at: &str, report: &mut Report<'_>) -> Type {
    report.error(
        Code::OnlyNull,
        at,
        "a value that can only be null is unsupported",
        "write `type: [string, \"null\"]`, or `oneOf` with a `$ref` beside it",
    );
    Type::broken()
}

/// Returns whether the parts of an `allOf` make an object of several properties.
fn whole_object(value: &Value) -> bool {
    value["properties"]
        .as_object()
        .is_some_and(|properties| !properties.is_empty())
}

fn typed(name: &str, value: &Value, at: &str, path: &mut Vec<String>, report: &mut Report<'_>) -> Type {
    stray_keys(value, name, at, report);
    match name {
        "string" => string(value, at, report),
        "integer" => integer(value, at, report),
        "number" => number(value, at, report),
        "boolean" => Type::Boolean,
        "array" => match value.get("items") {
            Some(items) => Type::Array(
                Box::new(within(items, &join(at, "items"), path, report)),
                limits::items(value, at, report),
            ),
            None => {
                let help = "add `items`, the schema of each item";
                report.error(Code::NoItems, at, "the array has no `items`", help);
                Type::broken()
            }
        },
        "object" => object(value, at, path, report),
        // Not a type, which is rejected elsewhere.
        _ => Type::broken(),
    }
}

/// The type of a reference; of an alias, its target.
fn referred(value: &Value, at: &str, path: &mut Vec<String>, report: &mut Report<'_>) -> Type {
    let Some(name) = reference(value) else {
        return Type::broken();
    };
    let pointer = join("/components/schemas", name);
    let Some(target) = report.root().pointer(&pointer).cloned() else {
        return Type::Ref(name.to_owned());
    };
    let mut silent = report.silent();
    let target = merged(&target, &pointer, &mut silent);
    if !matches!(form(&target), Form::Alias) {
        let ty = Type::Ref(name.to_owned());
        return if is_nullable(&target) {
            Type::Nullable(Box::new(ty))
        } else {
            ty
        };
    }
    if path.iter().any(|known| known == name) {
        report.error(
            Code::EndlessSchema,
            at,
            format!("`{name}` contains itself, and is not an object"),
            "write an object with a property that holds it",
        );
        return Type::broken();
    }
    path.push(name.to_owned());
    let ty = within(&target, &pointer, path, &mut silent);
    path.pop();
    ty
}

/// The type of the values of an enum that has no enum in Rust.
fn mixed(value: &Value) -> Type {
    let values = value["enum"].as_array().or(value["x-extensible-enum"].as_array());
    let mut named = values.into_iter().flatten().filter(|value| !value.is_null());
    if named.clone().all(Value::is_boolean) && named.next().is_some() {
        return Type::Boolean;
    }
    if named.clone().all(Value::is_number) && named.next().is_some() {
        return Type::Number(limits::NumberLimits::default());
    }
    if named.clone().all(Value::is_string) && named.next().is_some() {
        return Type::String(limits::TextLimits::default());
    }
    Type::Any
}

/// Returns whether a schema accepts any value: `true`, or one without conditions.
fn is_any(value: &Value) -> bool {
    match value {
        Value::Bool(any) => *any,
        Value::Object(members) => members.keys().all(|key| SAYING.contains(&key.as_str())),
        _ => false,
    }
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

fn object(value: &Value, at: &str, path: &mut Vec<String>, report: &mut Report<'_>) -> Type {
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
            keys: value.get("propertyNames").and_then(reference).map(str::to_owned),
            values: Box::new(within(items, &join(at, "additionalProperties"), path, report)),
            size: limits::members(value, at, report),
        },
    }
}

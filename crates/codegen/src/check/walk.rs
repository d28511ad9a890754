//! Walks the document along its grammar.

use serde_json::{Map, Value};

use super::grammar::{DOCUMENT, Node, SCHEMA, Shape, advice};
use crate::source::{Report, Source, join};

pub(super) fn walk(source: &Source<'_>, report: &mut Report<'_>) {
    node(report, &DOCUMENT, "", &source.value);
}

fn node(report: &mut Report<'_>, node: &Node, pointer: &str, value: &Value) {
    let Some(object) = value.as_object() else {
        return wrong(report, pointer, node.name, "an object", value);
    };
    let reference = object.contains_key("$ref");
    if reference && node.reference {
        return referred(report, node, pointer, object);
    }
    for (key, child) in object {
        let at = join(pointer, key);
        match node.keys.iter().find(|(known, _)| known == key) {
            Some((_, shape)) => self::shape(report, *shape, &at, key, child),
            None => unknown(report, node, &at, key),
        }
    }
    for key in node.required {
        if !object.contains_key(*key) {
            let at = join(pointer, key);
            report.error(&at, format!("{} has no `{key}`", node.name), format!("add `{key}`"));
        }
    }
}

/// A `$ref`: schemas may say more beside it, other objects may not.
fn referred(report: &mut Report<'_>, node: &Node, pointer: &str, object: &Map<String, Value>) {
    const BESIDE: [&str; 6] = [
        "description",
        "deprecated",
        "x-deprecation",
        "x-assumption",
        "x-sensitive",
        "default",
    ];
    for (key, child) in object {
        let at = join(pointer, key);
        if key == "$ref" {
            shape(report, Shape::Text, &at, key, child);
        } else if std::ptr::eq(node, &SCHEMA) && BESIDE.contains(&key.as_str()) {
            if let Some((_, known)) = node.keys.iter().find(|(known, _)| known == key) {
                shape(report, *known, &at, key, child);
            }
        } else {
            report.error(
                &at,
                format!("`{key}` beside `$ref` has no effect on {}", node.name),
                "remove it, or write it in the place that `$ref` names",
            );
        }
    }
}

fn unknown(report: &mut Report<'_>, node: &Node, at: &str, key: &str) {
    let help = match advice(node.name, key) {
        Some(advice) => advice.to_owned(),
        None => {
            let known: Vec<_> = node.keys.iter().map(|(key, _)| *key).collect();
            format!("carried here: {}", known.join(", "))
        }
    };
    report.error(at, format!("`{key}` in {} is not carried", node.name), help);
}

fn shape(report: &mut Report<'_>, shape: Shape, at: &str, key: &str, value: &Value) {
    let name = format!("`{key}`");
    let fits = match shape {
        Shape::Any => true,
        Shape::Text => value.is_string(),
        Shape::Bool => value.is_boolean(),
        Shape::Integer => value.is_u64(),
        Shape::Number => value.is_number(),
        Shape::Values => value.is_array(),
        Shape::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        Shape::TypeNames => type_names(value),
        Shape::Node(child) => return node(report, child, at, value),
        Shape::BoolOrSchema if value.is_boolean() => true,
        Shape::BoolOrSchema => return node(report, &SCHEMA, at, value),
        Shape::Map(child) => {
            if let Some(object) = value.as_object() {
                for (key, value) in object {
                    self::shape(report, *child, &join(at, key), key, value);
                }
            }
            value.is_object()
        }
        Shape::List(child) => {
            for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                self::shape(report, *child, &format!("{at}/{index}"), key, value);
            }
            value.is_array()
        }
    };
    if let (Shape::TypeNames, Value::String(name)) = (shape, value)
        && !fits
    {
        let known = format!("there are: {}", TYPES.join(", "));
        return report.value_error(at, format!("`{name}` is no type"), known);
    }
    if !fits {
        wrong(report, at, &name, expected(shape), value);
    }
}

const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

fn type_names(value: &Value) -> bool {
    let known = |v: &Value| v.as_str().is_some_and(|t| TYPES.contains(&t));
    match value {
        Value::Array(names) => match names.as_slice() {
            [name, null] => known(name) && null == "null",
            _ => false,
        },
        // The other half of a nullable `oneOf`; the schema reader refuses it elsewhere.
        name => known(name) || name == "null",
    }
}

fn expected(shape: Shape) -> &'static str {
    match shape {
        Shape::Any => "any value",
        Shape::Text => "a string",
        Shape::Bool => "true or false",
        Shape::Integer => "a whole number of 0 or more",
        Shape::Number => "a number",
        Shape::Texts => "a list of strings",
        Shape::Values | Shape::List(_) => "a list",
        Shape::TypeNames => "a type name, or a list of one type name and \"null\"",
        Shape::Node(_) | Shape::Map(_) => "an object",
        Shape::BoolOrSchema => "true, false or a schema",
    }
}

fn wrong(report: &mut Report<'_>, at: &str, name: &str, expected: &str, found: &Value) {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    report.value_error(
        at,
        format!("{name} must be {expected}, not {kind}"),
        format!("write {expected}"),
    );
}

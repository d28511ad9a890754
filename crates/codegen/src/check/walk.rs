//! Walks the document along its grammar.

use serde_json::{Map, Value};

use super::grammar::{DOCUMENT, Node, PART, Shape};
use super::{advice, references};
use crate::Code;
use crate::source::{Report, Source, join};
use crate::suggest;

/// Checks every key, every value's kind, and every `$ref`.
pub(super) fn walk(source: &Source<'_>, report: &mut Report<'_>) {
    Walk { source, report }.node(&DOCUMENT, "", &source.value);
}

struct Walk<'w, 's> {
    source: &'w Source<'w>,
    report: &'w mut Report<'s>,
}

impl Walk<'_, '_> {
    fn node(&mut self, node: &Node, pointer: &str, value: &Value) {
        let Some(object) = value.as_object() else {
            return wrong(self.report, pointer, node.name, "an object", value);
        };
        if let (Some(target), Some((component, beside))) = (object.get("$ref"), node.reference) {
            references::check(self.source, self.report, pointer, target, component);
            if references::is_component(pointer) {
                return;
            }
            return self.beside(node, beside, pointer, object);
        }
        let mut replaced = Vec::new();
        for (key, child) in object {
            let at = join(pointer, key);
            match node.keys.iter().find(|(known, _)| known == key) {
                Some((_, shape)) => self.shape(*shape, &at, key, child),
                None => replaced.extend(unlisted(self.report, node, &at, key, child)),
            }
        }
        for key in &replaced {
            self.report.replaced(join(pointer, key));
        }
        for key in node.required {
            if !object.contains_key(*key) && !replaced.contains(key) && !replaced.contains(&"$ref") {
                let at = join(pointer, key);
                let message = format!("{} has no `{key}`", node.name);
                self.report
                    .error(Code::MissingKey, &at, message, advice::missing(node, key));
            }
        }
    }

    /// What stands beside a `$ref`: properties may say more there, other objects may not.
    fn beside(&mut self, node: &Node, beside: &[&str], pointer: &str, object: &Map<String, Value>) {
        for (key, child) in object.iter().filter(|(key, _)| *key != "$ref") {
            let at = join(pointer, key);
            let known = node.keys.iter().find(|(known, _)| known == key);
            match known.filter(|(known, _)| beside.contains(known)) {
                Some((_, shape)) => self.shape(*shape, &at, key, child),
                None => self.report.error(
                    Code::KeyBesideReference,
                    &at,
                    format!("`{key}` beside `$ref` has no effect on {}", node.name),
                    "remove it, or write it in the place that `$ref` names",
                ),
            }
        }
    }

    fn shape(&mut self, shape: Shape, at: &str, key: &str, value: &Value) {
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
            Shape::Node(child) => return self.node(child, at, value),
            Shape::BoolOrSchema if value.is_boolean() => true,
            Shape::BoolOrSchema => return self.node(&PART, at, value),
            Shape::Map(child) => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    self.shape(*child, &join(at, key), key, value);
                }
                value.is_object()
            }
            Shape::List(child) => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    self.shape(*child, &format!("{at}/{index}"), key, value);
                }
                value.is_array()
            }
        };
        if let (Shape::TypeNames, Value::String(name)) = (shape, value)
            && !fits
        {
            let known = suggest::advice(name, TYPES);
            let message = format!("`{name}` is no type");
            return self.report.value_error(Code::UnknownType, at, message, known);
        }
        if !fits {
            wrong(self.report, at, &name, expected(shape), value);
        }
    }
}

/// Refuses a key; returns the one that belongs in its place.
fn unlisted(report: &mut Report<'_>, node: &Node, at: &str, key: &str, value: &Value) -> Option<&'static str> {
    let advice = advice::unlisted(node, key, value);
    let message = match (advice.code, value) {
        (Code::ParameterStyle, Value::String(value)) => format!("`{key}: {value}` in {} is not carried", node.name),
        (Code::ParameterStyle, Value::Bool(value)) => format!("`{key}: {value}` in {} is not carried", node.name),
        _ => format!("`{key}` in {} is not carried", node.name),
    };
    report.error(advice.code, at, message, advice.help);
    advice.instead
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
    let help = match found {
        Value::Bool(_) | Value::Number(_) if expected == "a string" => format!("quote it: `\"{found}\"`"),
        _ => format!("write {expected}"),
    };
    let message = format!("{name} must be {expected}, not {kind}");
    report.value_error(Code::WrongKind, at, message, help);
}

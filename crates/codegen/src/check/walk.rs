//! Walks the document by its grammar.

use serde_json::{Map, Value};

use super::grammar::{DOCUMENT, PARAMETER};
use super::schema_grammar::{PART, PROPERTY};
use super::security_grammar::{SECURITY_SCHEME, SECURITY_SCHEMES};
use super::shape::{Node, Shape};
use super::wrong_kind::wrong;
use super::{advice, references, types};
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
            if *value == true && [PART.name, PROPERTY.name].contains(&node.name) {
                return;
            }
            let help = self.as_object(node, value);
            return wrong(self.report, pointer, node.name, "an object", value, help);
        };
        if let (Some(target), Some((component, allowed))) = (object.get("$ref"), node.reference) {
            references::check(self.source, self.report, pointer, target, component);
            if references::is_component(pointer) && component != "schemas" {
                return;
            }
            return self.siblings(node, allowed, pointer, object);
        }
        if node.name == SECURITY_SCHEME.name
            && let Some(ty) = object.get("type").and_then(Value::as_str)
        {
            return match SECURITY_SCHEMES.iter().find(|(name, _)| *name == ty) {
                Some((_, node)) => self.keys(node, pointer, object),
                None => self.other_scheme(pointer, ty),
            };
        }
        self.keys(node, pointer, object);
    }

    fn keys(&mut self, node: &Node, pointer: &str, object: &Map<String, Value>) {
        let mut replaced = Vec::new();
        // A part in another place has its keys there.
        let elsewhere = node.reference.is_none() && object.contains_key("$ref");
        for (key, child) in object {
            let at = join(pointer, key);
            if elsewhere && key == "$ref" {
                let message = format!("{} cannot be a `$ref`", node.name);
                self.report
                    .error(Code::UnknownKey, &at, message, advice::reference(node));
                node.required
                    .iter()
                    .for_each(|key| self.report.replaced(join(pointer, key)));
                continue;
            }
            match node.keys.iter().find(|(known, _)| known == key) {
                Some((_, shape)) => self.shape(*shape, &at, key, child),
                None => replaced.extend(unlisted(self.report, node, &at, key, child)),
            }
        }
        for key in &replaced {
            self.report.replaced(join(pointer, key));
        }
        for key in node.required {
            // A value that is sent as JSON has its schema in there.
            if node.name == PARAMETER.name && *key == "schema" && object.contains_key("content") {
                continue;
            }
            if !elsewhere && !object.contains_key(*key) && !replaced.contains(key) && !replaced.contains(&"$ref") {
                let at = join(pointer, key);
                let message = format!("{} has no `{key}`", node.name);
                self.report
                    .error(Code::MissingKey, &at, message, advice::missing(node, key));
            }
        }
    }

    /// Help for a word that is written instead of a schema.
    fn as_object(&self, node: &Node, value: &Value) -> Option<String> {
        let (Some(("schemas", _)), Some(word)) = (node.reference, value.as_str()) else {
            return None;
        };
        if types::is_name(value) {
            return Some(format!("write `{{type: {word}}}`"));
        }
        let known = references::component(self.source, "schemas", word)?;
        Some(format!("write `{{$ref: \"{known}\"}}`"))
    }

    /// Rejects a security scheme of another type. Its other keys are not checked, since they differ.
    fn other_scheme(&mut self, pointer: &str, ty: &str) {
        let help = match ty {
            "mutualTLS" => "remove it: certificates are checked before a request is read".to_owned(),
            _ => suggest::advice(ty, SECURITY_SCHEMES.map(|(name, _)| name)),
        };
        let message = format!("`type: {ty}` is unsupported");
        let at = join(pointer, "type");
        self.report.value_error(Code::SecuritySchemeKind, &at, message, help);
        self.report.replaced(join(pointer, "name"));
    }

    /// Checks the siblings of a `$ref`: properties may have some, other objects may not.
    fn siblings(&mut self, node: &Node, allowed: &[&str], pointer: &str, object: &Map<String, Value>) {
        for (key, child) in object.iter().filter(|(key, _)| *key != "$ref") {
            let at = join(pointer, key);
            let known = node.keys.iter().find(|(known, _)| known == key);
            match known.filter(|(known, _)| allowed.contains(known)) {
                Some((_, shape)) => self.shape(*shape, &at, key, child),
                None => self.report.error(
                    Code::KeyBesideReference,
                    &at,
                    format!("`{key}` beside `$ref` has no effect on {}", node.name),
                    "remove it, or move it to the target of `$ref`",
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
            Shape::Texts if value.is_array() => return texts(self.report, at, key, value),
            Shape::Texts => false,
            Shape::TypeNames if value.is_array() => return types::check_list(self.report, at, value),
            Shape::TypeNames => types::is_name(value),
            Shape::Node(child) => return self.node(child, at, value),
            Shape::BoolOrSchema if value.is_boolean() => true,
            Shape::BoolOrSchema => return self.node(&PART, at, value),
            Shape::Attribute if value.is_string() || value.is_boolean() => true,
            Shape::Attribute if value.is_array() => return texts(self.report, at, key, value),
            Shape::Attribute if value.is_object() => return self.node(&PART, at, value),
            Shape::Attribute => false,
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
            return types::unknown(self.report, at, name);
        }
        if !fits {
            let help = match (shape, value) {
                (Shape::Values, Value::String(scheme)) if key == "security" => {
                    Some(format!("write `[{{{scheme}: []}}]`"))
                }
                (Shape::Texts, Value::String(text)) => Some(format!("write `[{text}]`")),
                _ => None,
            };
            wrong(self.report, at, &name, expected(shape), value, help);
        }
    }
}

/// Rejects a key; returns the one to write instead.
fn unlisted(report: &mut Report<'_>, node: &Node, at: &str, key: &str, value: &Value) -> Option<&'static str> {
    let advice = advice::unlisted(node, key, value);
    let message = match (advice.code, value) {
        (Code::ParameterStyle, Value::String(value)) => format!("`{key}: {value}` in {} is unsupported", node.name),
        (Code::ParameterStyle, Value::Bool(value)) => format!("`{key}: {value}` in {} is unsupported", node.name),
        _ => format!("`{key}` in {} is unsupported", node.name),
    };
    report.error(advice.code, at, message, advice.help);
    advice.instead
}

/// Rejects a list of strings that holds anything else, at the first such item.
fn texts(report: &mut Report<'_>, at: &str, key: &str, list: &Value) {
    let items = list.as_array().into_iter().flatten().enumerate();
    let mut others = items.filter(|(_, item)| !item.is_string());
    if let Some((index, item)) = others.next() {
        let name = match others.count() {
            0 => format!("item {} of `{key}`", index + 1),
            more => format!("item {} of `{key}`, and {more} more,", index + 1),
        };
        wrong(report, &format!("{at}/{index}"), &name, "a string", item, None);
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
        Shape::TypeNames => "a type name, or a list of a type name and `\"null\"`",
        Shape::Node(_) | Shape::Map(_) => "an object",
        Shape::BoolOrSchema => "true, false or a schema",
        Shape::Attribute => "a string, true or false, a list of strings, or a `$ref` to a schema",
    }
}

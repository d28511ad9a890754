//! `allOf`: merges its schemas into one.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::forms::reference;
use crate::Code;
use crate::source::{Report, join};

/// Nesting up to which a schema is compared with one that narrows it.
const NARROWING: usize = 8;

/// The schema with its `allOf` merged into it. If that is a single reference, beside documentation, it is the
/// reference.
pub(super) fn merged<'v>(value: &'v Value, at: &str, report: &mut Report<'_>) -> Cow<'v, Value> {
    if value["allOf"].as_array().is_none() {
        return Cow::Borrowed(value);
    }
    let mut path = Vec::new();
    Cow::Owned(Value::Object(flat(value, at, &mut path, report)))
}

/// Returns whether a keyword only documents: those of a part do not become the whole's.
fn is_words(key: &str) -> bool {
    matches!(
        key,
        "title" | "description" | "examples" | "example" | "deprecated" | "default" | "discriminator"
    ) || key.starts_with("x-") && key != "x-extensible-enum"
}

fn flat(value: &Value, at: &str, path: &mut Vec<String>, report: &mut Report<'_>) -> Map<String, Value> {
    let mut whole: Map<_, _> = value.as_object().cloned().unwrap_or_default();
    let Some(Value::Array(parts)) = whole.shift_remove("allOf") else {
        return whole;
    };
    let bare = whole.keys().all(|key| is_words(key));
    let saying = |part: &Value| {
        part.as_object()
            .is_some_and(|part| part.keys().all(|key| is_words(key)))
    };
    let said: Vec<_> = parts.iter().filter(|part| !saying(part)).collect();
    if let ([one], true) = (said.as_slice(), bare)
        && let Some(target) = one.get("$ref")
    {
        whole.insert("$ref".to_owned(), target.clone());
        return whole;
    }
    let own = std::mem::take(&mut whole);
    for (index, part) in parts.iter().enumerate() {
        let here = format!("{at}/allOf/{index}");
        let part = match reference(part) {
            Some(name) if path.iter().any(|known| known == name) => {
                let message = format!("`{name}` contains itself through `allOf`");
                report.error(Code::EndlessSchema, &here, message, "remove one of the references");
                continue;
            }
            Some(name) => {
                let target = report.root().pointer(&join("/components/schemas", name)).cloned();
                path.push(name.to_owned());
                let target = flat(
                    &target.unwrap_or_default(),
                    &join("/components/schemas", name),
                    path,
                    report,
                );
                path.pop();
                target
            }
            None => flat(part, &here, path, report),
        };
        add(&mut whole, part, &here, report);
    }
    let words: Map<_, _> = own.iter().filter(|(key, _)| is_words(key)).map(pair).collect();
    add(&mut whole, own, at, report);
    whole.extend(words);
    if whole.contains_key("properties") && !whole.contains_key("type") {
        whole.insert("type".to_owned(), json!("object"));
    }
    whole
}

fn pair((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

/// Adds another schema; both must hold.
fn add(whole: &mut Map<String, Value>, part: Map<String, Value>, at: &str, report: &mut Report<'_>) {
    for (key, value) in part.into_iter().filter(|(key, _)| !is_words(key)) {
        let Some(known) = whole.get_mut(&key) else {
            whole.insert(key, value);
            continue;
        };
        match key.as_str() {
            "properties" => properties(known, value, at, report),
            "required" => {
                let Some(names) = known.as_array_mut() else { continue };
                for name in value.as_array().into_iter().flatten() {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
            }
            "minLength" | "minItems" | "minProperties" | "minimum" | "exclusiveMinimum" => {
                if value.as_f64() > known.as_f64() {
                    *known = value;
                }
            }
            "maxLength" | "maxItems" | "maxProperties" | "maximum" | "exclusiveMaximum" => {
                if value.as_f64() < known.as_f64() {
                    *known = value;
                }
            }
            "uniqueItems" => *known = json!(*known == true || value == true),
            "additionalProperties" if *known == true => *known = value,
            "additionalProperties" if value == true => {}
            _ if *known == value => {}
            // A value may be null where a part allows it.
            "type" if report.is_tolerant() && with_null(&value) == with_null(known) => *known = with_null(known),
            _ => conflict(&key, at, report),
        }
    }
}

/// A type with null beside it.
fn with_null(ty: &Value) -> Value {
    match ty {
        Value::String(name) => json!([name, "null"]),
        other => other.clone(),
    }
}

fn properties(known: &mut Value, more: Value, at: &str, report: &mut Report<'_>) {
    let (Some(known), Value::Object(more)) = (known.as_object_mut(), more) else {
        return;
    };
    for (name, property) in more {
        match known.get_mut(&name) {
            None => drop(known.insert(name, property)),
            Some(own) if without_words(own) == without_words(&property) => {
                if let (Some(own), Value::Object(property)) = (own.as_object_mut(), property) {
                    own.extend(property);
                }
            }
            Some(own) if report.is_tolerant() && is_wider(own, &property, report.root(), NARROWING) => *own = property,
            Some(own) if report.is_tolerant() && is_wider(&property, own, report.root(), NARROWING) => {}
            Some(_) => conflict(&format!("properties/{name}"), at, report),
        }
    }
}

/// Returns whether another schema says all that this one does, and more: any object or any list of them, as the member of
/// a wrapper whose users say which.
fn is_wider(wide: &Value, narrow: &Value, root: &Value, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else {
        return false;
    };
    if without_words(wide) == without_words(narrow) {
        return true;
    }
    let target = |schema| reference(schema).and_then(|name| root.pointer(&join("/components/schemas", name)));
    let (wide, narrow) = (target(wide).unwrap_or(wide), target(narrow).unwrap_or(narrow));
    if let Some(parts) = narrow["allOf"].as_array() {
        return parts.iter().any(|part| is_wider(wide, part, root, below));
    }
    let mut keywords = wide.as_object().into_iter().flatten().filter(|(key, _)| !is_words(key));
    keywords.all(|(key, value)| match narrow.get(key) {
        Some(other) if key == "items" => is_wider(value, other, root, below),
        Some(other) if key == "properties" => {
            let mut members = value.as_object().into_iter().flatten();
            members.all(|(name, member)| {
                other
                    .get(name)
                    .is_some_and(|other| is_wider(member, other, root, below))
            })
        }
        Some(other) => other == value,
        None => false,
    })
}

fn without_words(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().filter(|(key, _)| !is_words(key)).map(pair).collect(),
        other => other.clone(),
    }
}

/// Rejects a keyword that differs between parts. The tolerant profile keeps that of the first part, which is the wider
/// one where a later part narrows it.
fn conflict(key: &str, at: &str, report: &mut Report<'_>) {
    let message = format!("`{key}` differs between the parts of this `allOf`");
    if report.is_tolerant() {
        return report.note(Code::Composition, at, message, "that of the first part is kept");
    }
    let help = "write the same in both, or keep it in one of them";
    report.error(Code::Composition, at, message, help);
}

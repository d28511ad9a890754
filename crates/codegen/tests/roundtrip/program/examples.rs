//! Comparison of an example with what the generated types make of it.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// The schemas of examples.
pub(crate) struct Examples<'d> {
    pub(crate) document: &'d Value,
}

/// The validity of the body of a request, by an independent validator.
pub(crate) struct Validity(Option<Validator>);

impl Validity {
    pub(crate) fn of_body(document: &Value, operation: &Value) -> Self {
        let fields = operation["fields"].as_array().into_iter().flatten();
        let mut bodies = fields.filter(|field| field["in"] == "body" && field["schema"].get("default").is_none());
        Self(bodies.next().map(|body| {
            let mut schema = body["schema"].clone();
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("components".to_owned(), document["components"].clone());
            }
            jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{}: {error}", operation["id"]))
        }))
    }

    pub(crate) fn holds(&self, input: &Map<String, Value>) -> bool {
        match (&self.0, input.get("body")) {
            (Some(validator), Some(body)) => validator.is_valid(body),
            _ => true,
        }
    }
}

/// The response that has an example as its body. None if it cannot be sent, or needs headers.
pub(crate) fn answer(operation: &Value, kind: &Value, index: usize, body: &Value) -> Option<Value> {
    if kind == "errors" {
        let status = operation["errors"][index]["status"].as_u64()?;
        return Some(json!({ "error": index, "status": status, "body": body }));
    }
    let headers = &operation["headers"][index];
    let single = operation["answers"].as_array()?.len() == 1;
    let mut answer = match (single, headers.is_null()) {
        (true, true) => return Some(body.clone()),
        (true, false) => json!({ "body": body }),
        (false, _) => json!({ "variant": index, "body": body }),
    };
    if !headers.is_null() {
        let required = headers["required"].as_array().is_some_and(|names| !names.is_empty());
        if required {
            return None;
        }
        answer["headers"] = json!({});
    }
    Some(answer)
}

/// Compares an example with its encoding by the generated types. Allowed differences: a member that is null is absent,
/// and so is one that the schema does not declare; a timestamp has another form; a number has a fraction of zero.
pub(crate) fn difference(examples: &Examples<'_>, schema: &Value, example: &Value, encoded: &Value) -> Option<String> {
    let mut at = String::new();
    differs(examples, &[schema], example, encoded, &mut at).map(|what| format!("differs at {at:?}: {what}"))
}

fn differs(examples: &Examples<'_>, schemas: &[&Value], example: &Value, encoded: &Value, at: &mut String) -> Option<String> {
    let schemas = examples.parts(schemas);
    match (example, encoded) {
        (Value::Object(members), Value::Object(others)) => {
            for (name, member) in members {
                let length = at.len();
                at.push('/');
                at.push_str(name);
                let below = declared(&schemas, name);
                let found = match others.get(name) {
                    Some(other) => differs(examples, &below, member, other, at),
                    None if is_empty(member) || below.is_empty() => None,
                    None => Some(format!("{member} is absent")),
                };
                if found.is_some() {
                    return found;
                }
                at.truncate(length);
            }
            let added = others.keys().find(|name| !members.contains_key(*name) && !has_default(&schemas, name));
            added.map(|name| format!("{name} is added"))
        }
        (Value::Array(items), Value::Array(others)) => {
            if items.len() != others.len() {
                return Some(format!("{} items are {}", items.len(), others.len()));
            }
            let below: Vec<_> = schemas.iter().filter_map(|schema| schema.get("items")).collect();
            items.iter().zip(others).enumerate().find_map(|(index, (item, other))| {
                let length = at.len();
                at.push_str(&format!("/{index}"));
                let found = differs(examples, &below, item, other, at);
                if found.is_none() {
                    at.truncate(length);
                }
                found
            })
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        (Value::String(a), Value::String(b)) if timestamp(a).is_some() && timestamp(a) == timestamp(b) => None,
        (a, b) if a == b => None,
        (a, b) => Some(format!("{a} is {b}")),
    }
}

/// Returns whether a member is written as absent: null, an empty list and an empty map.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A timestamp without differences of form: `Z` and `+00:00`, and zeros at the end of a fraction.
fn timestamp(text: &str) -> Option<String> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let zone = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone);
    let zone = match zone {
        "" | "Z" | "z" | "+00:00" | "-00:00" => "Z",
        zone => zone,
    };
    let time = if time.contains('.') { time.trim_end_matches('0').trim_end_matches('.') } else { time };
    let digits = |text: &str, others: &str| text.chars().all(|c| c.is_ascii_digit() || others.contains(c));
    (digits(date, "-") && digits(time, ":.")).then(|| format!("{date}T{time}{zone}"))
}

impl<'d> Examples<'d> {
    /// The schemas of a value with those that they are composed of.
    fn parts<'v>(&'v self, schemas: &[&'v Value]) -> Vec<&'v Value> {
        let mut parts: Vec<&Value> = Vec::new();
        let mut open: Vec<&Value> = schemas.to_vec();
        while let Some(schema) = open.pop() {
            if parts.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            parts.push(schema);
            let target = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
            open.extend(target.and_then(|pointer| self.document.pointer(pointer)));
            for key in ["allOf", "oneOf", "anyOf"] {
                open.extend(schema[key].as_array().into_iter().flatten());
            }
        }
        parts
    }
}

/// The schemas of a member. Empty if none declares it.
fn declared<'v>(schemas: &[&'v Value], name: &str) -> Vec<&'v Value> {
    let declared: Vec<_> = schemas.iter().filter_map(|schema| schema["properties"].get(name)).collect();
    let others = schemas.iter().filter_map(|schema| schema.get("additionalProperties"));
    match declared.is_empty() {
        false => declared,
        true => others.filter(|others| **others != Value::Bool(false)).collect(),
    }
}

fn has_default(schemas: &[&Value], name: &str) -> bool {
    declared(schemas, name).iter().any(|schema| schema.get("default").is_some())
}

//! The vendor's own examples: of bodies, and of schemas, by the parts of the document that the emitters read.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::described::{METHODS, essence, is_json, resolve};

/// Examples of a document, as far as they fit their schemas.
pub(crate) struct Vendor<'d> {
    /// The document as it was written, in one file.
    original: &'d Value,
    /// The document as the emitters read it.
    document: &'d Value,
    /// Its components, in which a value may be several choices of a union: readers take the first.
    readable: Value,
    validators: BTreeMap<String, jsonschema::Validator>,
    /// Examples that do not fit their schema, with the reason.
    pub(crate) unfit: Vec<String>,
}

impl<'d> Vendor<'d> {
    pub(crate) fn new(original: &'d Value, document: &'d Value) -> Self {
        Self {
            original,
            document,
            readable: readable(&document["components"]),
            validators: BTreeMap::new(),
            unfit: Vec::new(),
        }
    }

    /// The examples of bodies of an operation: of its request, and by status of its responses.
    pub(crate) fn bodies(&mut self, path: &str, method: &str) -> (Vec<Value>, Vec<(String, Value, Value)>) {
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        let (original, document) = (self.original, self.document);
        let (written, read) = (&original["paths"][path], &document["paths"][path][method]);
        let written = &resolve(original, written)[method];
        let body = resolve(document, &read["requestBody"]);
        if let Some((schema, key)) = json_schema(body) {
            let shared = written["parameters"].as_array().into_iter().flatten();
            let of_swagger = shared
                .map(|parameter| resolve(original, parameter))
                .find(|one| one["in"] == "body");
            let holder = resolve(original, &written["requestBody"]);
            let examples = match of_swagger {
                Some(parameter) => of_schema(&parameter["schema"]),
                None => of_media(original, &holder["content"][key]),
            };
            sent.extend(self.fitting(&format!("the body of {method} {path}"), schema, examples, true));
        }
        for (status, response) in read["responses"].as_object().into_iter().flatten() {
            let Some((schema, key)) = json_schema(resolve(document, response)) else {
                continue;
            };
            let own = written["responses"]
                .get(status)
                .or_else(|| written["responses"].get("default"));
            let Some(own) = own.map(|own| resolve(original, own)) else {
                continue;
            };
            let mut examples = of_media(original, &own["content"][key]);
            examples.extend(own["examples"].get(key).cloned());
            examples.extend(of_schema(&own["schema"]));
            let place = format!("the response {status} of {method} {path}");
            for example in self.fitting(&place, schema, examples, false) {
                received.push((status.clone(), schema.clone(), example));
            }
        }
        (sent, received)
    }

    /// The examples of schemas and of their members: `schema`, `value`, and `member`.
    pub(crate) fn schemas(&mut self) -> Vec<Value> {
        let mut all = Vec::new();
        let (original, document) = (self.original, self.document);
        let schemas = original.pointer("/components/schemas").or(original.get("definitions"));
        for (name, written) in schemas.and_then(Value::as_object).into_iter().flatten() {
            let Some((name, read)) = named(document, name) else {
                continue;
            };
            let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
            for value in self.fitting(&format!("the schema {name}"), &reference, of_schema(written), false) {
                all.push(json!({ "schema": name, "value": value }));
            }
            for (member, property) in written["properties"].as_object().into_iter().flatten() {
                let Some(schema) = read["properties"].get(member) else {
                    continue;
                };
                for value in self.fitting(
                    &format!("the member {member} of {name}"),
                    schema,
                    of_schema(property),
                    false,
                ) {
                    all.push(json!({ "schema": name, "member": member, "value": value }));
                }
            }
        }
        all
    }

    /// The examples that fit a schema. A text of a value that is no text is JSON.
    fn fitting(&mut self, place: &str, schema: &Value, examples: Vec<Value>, sent: bool) -> Vec<Value> {
        if examples.is_empty() {
            return Vec::new();
        }
        let components = if sent {
            &self.document["components"]
        } else {
            &self.readable
        };
        let validator = self.validators.entry(format!("{sent} {schema}")).or_insert_with(|| {
            let mut whole = if sent { schema.clone() } else { readable(schema) };
            if let Some(whole) = whole.as_object_mut() {
                whole.insert("components".to_owned(), components.clone());
            }
            // Of these, generated types check nothing.
            let texts = ["uri", "uri-reference", "email", "hostname", "time", "duration", "regex"];
            let options = jsonschema::options().should_validate_formats(true);
            let options = texts
                .iter()
                .fold(options, |options, name| options.with_format(*name, |_: &str| true));
            options.build(&whole).unwrap_or_else(|error| panic!("{place}: {error}"))
        });
        let mut fitting = Vec::new();
        for example in examples {
            let parsed = example
                .as_str()
                .and_then(|text| serde_json::from_str::<Value>(text).ok());
            let example = match parsed {
                Some(parsed) if !validator.is_valid(&example) => parsed,
                _ => example,
            };
            match validator.validate(&example) {
                Ok(()) if !is_in_range(self.document, schema, &example) => {
                    self.unfit
                        .push(format!("{place}: {example} is beyond the range of its format"));
                }
                Ok(()) => fitting.push(example),
                Err(error) => self.unfit.push(format!("{place}: {}: {error}", error.instance_path())),
            }
        }
        fitting
    }
}

/// A schema in which a value may be several choices of a union.
fn readable(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let key = |key: &String| {
                if key == "oneOf" {
                    "anyOf".to_owned()
                } else {
                    key.clone()
                }
            };
            members
                .iter()
                .map(|(name, member)| (key(name), readable(member)))
                .collect()
        }
        Value::Array(items) => items.iter().map(readable).collect(),
        other => other.clone(),
    }
}

/// Returns whether a number is in the range of its format, which validators do not check.
fn is_in_range(document: &Value, schema: &Value, example: &Value) -> bool {
    let schema = resolve(document, schema);
    let range = if schema["format"] == "int32" {
        i32::MIN.into()..=i32::MAX.into()
    } else {
        i64::MIN..=i64::MAX
    };
    example.as_i64().is_none_or(|number| range.contains(&number))
}

/// The schema of a body of JSON, and its media type.
fn json_schema(holder: &Value) -> Option<(&Value, &str)> {
    let (media_type, media) = holder["content"].as_object()?.iter().next()?;
    let schema = media.get("schema").filter(|_| is_json(&essence(media_type)))?;
    Some((schema, media_type))
}

/// The schema of a name, or of the type name that was made of it.
fn named<'d>(document: &'d Value, name: &str) -> Option<(&'d String, &'d Value)> {
    let schemas = document["components"]["schemas"].as_object()?;
    let letters = |name: &str| {
        name.chars()
            .filter(|c| c.is_alphanumeric())
            .collect::<String>()
            .to_lowercase()
    };
    let wanted = letters(name);
    let mut similar = schemas.iter().filter(|(known, _)| letters(known) == wanted);
    let exact = schemas.iter().find(|(known, _)| *known == name);
    exact.or_else(|| similar.next().filter(|_| similar.next().is_none()))
}

/// The examples beside a schema, and within it.
fn of_media(original: &Value, media: &Value) -> Vec<Value> {
    let mut all: Vec<_> = media.get("example").cloned().into_iter().collect();
    let named = media["examples"].as_object().into_iter().flat_map(Map::values);
    let values = named
        .map(|example| resolve(original, example))
        .filter_map(|example| example.get("value"));
    all.extend(values.cloned());
    all.extend(of_schema(&media["schema"]));
    all
}

/// The examples of a schema.
fn of_schema(schema: &Value) -> Vec<Value> {
    let listed = schema["examples"].as_array().into_iter().flatten();
    schema.get("example").into_iter().chain(listed).cloned().collect()
}

/// The path and the method of each operation, by its id.
pub(crate) fn places(document: &Value) -> BTreeMap<String, (String, String)> {
    let mut places = BTreeMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            if METHODS.contains(&method.as_str()) {
                let id = operation["x-rust-name"].as_str().or(operation["operationId"].as_str());
                places.insert(id.unwrap_or_default().to_owned(), (path.clone(), method.clone()));
            }
        }
    }
    places
}

//! Schema coverage of JSON values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(wearlab_server::OPENAPI_JSON).expect("the document"));

/// Returns the response schema of a path.
pub fn response(path: &str) -> &'static Value {
    let content = &DOCUMENT["paths"][path]["get"]["responses"]["200"]["content"];
    let kinds = ["application/json", "application/fhir+json"].iter();
    let mut schemas = kinds.map(|kind| &content[*kind]["schema"]);
    let schema = schemas.find(|schema| schema.is_object());
    schema.unwrap_or_else(|| panic!("{path} has no response"))
}

/// Family of events: the schema of its payload, with its own examples and those of the schema.
#[derive(Debug)]
pub struct Family {
    /// Event type, or the template of event types.
    pub name: &'static str,
    /// Schema of the payload, a `$ref`.
    pub schema: &'static Value,
    /// Examples. The first is the family's own.
    pub examples: Vec<&'static Value>,
}

/// Returns all families of events.
pub fn families() -> Vec<Family> {
    let webhooks = DOCUMENT["webhooks"].as_object().expect("webhooks");
    let family = |(name, webhook): (&'static String, &'static Value)| {
        let item = webhook["$ref"]
            .as_str()
            .and_then(|target| DOCUMENT.pointer(&target[1..]));
        let post = &item.unwrap_or_else(|| panic!("{name} leads nowhere"))["post"];
        let content = &post["requestBody"]["content"]["application/json"];
        let schema = &content["schema"];
        let payload = component(target(schema).unwrap_or_else(|| panic!("{name} has no payload")));
        let own = content.get("example").into_iter();
        Family {
            name: post["x-event-type"].as_str().expect("an event type"),
            schema,
            examples: own
                .chain(payload["examples"].as_array().into_iter().flatten())
                .collect(),
        }
    };
    webhooks.iter().map(family).collect()
}

/// Returns the names of all schemas of the document that are types of the models. Schemas that only list the known
/// values of open enums for third-party tools are left out.
pub fn schemas() -> impl Iterator<Item = &'static str> {
    let schemas = DOCUMENT["components"]["schemas"].as_object().expect("schemas");
    let known: BTreeSet<_> = schemas
        .values()
        .filter_map(|schema| target(&schema["anyOf"][0]))
        .collect();
    schemas
        .keys()
        .map(String::as_str)
        .filter(move |name| !known.contains(name))
}

/// Returns the examples of a schema. For an enum, its values.
pub fn examples(name: &'static str) -> Vec<&'static Value> {
    let schema = component(name);
    let lists = ["examples", "x-extensible-enum", "enum"].map(|key| schema[key].as_array());
    lists.into_iter().flatten().flatten().collect()
}

/// Returns the names of all schemas that are reachable by `$ref`.
pub fn reachable(schemas: impl IntoIterator<Item = &'static Value>) -> BTreeSet<&'static str> {
    let (mut names, mut open) = (BTreeSet::new(), Vec::from_iter(schemas));
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                let target = target(value).filter(|name| names.insert(*name));
                open.extend(target.map(component));
                let members = members
                    .iter()
                    .filter(|(key, _)| !["examples", "anyOf", "x-value-attributes"].contains(&key.as_str()));
                open.extend(members.map(|(_, member)| member));
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    names
}

fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn component(name: &str) -> &'static Value {
    let schema = &DOCUMENT["components"]["schemas"][name];
    assert!(schema.is_object(), "{name} is not in the document");
    schema
}

/// Coverage of a field.
#[derive(Debug, Default)]
struct Seen {
    value: bool,
    none: bool,
    may_be_none: bool,
}

/// Coverage of schemas, fields and enums.
#[derive(Debug, Default)]
pub struct Coverage {
    visited: BTreeSet<&'static str>,
    fields: BTreeMap<String, Seen>,
    enums: BTreeMap<&'static str, BTreeMap<String, bool>>,
}

impl Coverage {
    /// Records a value along its schema.
    pub fn walk(&mut self, schema: &'static Value, value: &Value) {
        if let Some(name) = target(schema) {
            return self.named(name, value);
        }
        for choice in schema["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|_| !value.is_null())
        {
            self.walk(choice, value);
        }
        for item in value.as_array().into_iter().flatten() {
            self.walk(&schema["items"], item);
        }
        for (key, item) in value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|_| schema["additionalProperties"].is_object())
        {
            self.walk(&schema["propertyNames"], &Value::from(key.as_str()));
            self.walk(&schema["additionalProperties"], item);
        }
    }

    /// Records a value of a named schema.
    pub fn named(&mut self, name: &'static str, value: &Value) {
        let schema = component(name);
        self.visited.insert(name);
        if let Some(known) = schema["x-extensible-enum"].as_array().or(schema["enum"].as_array()) {
            let seen = self.enums.entry(name).or_default();
            for value in known.iter().filter_map(Value::as_str) {
                seen.entry(value.to_owned()).or_default();
            }
            seen.insert(value.as_str().expect("an enum's value").to_owned(), true);
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            let seen = self.fields.entry(format!("{name}.{property}")).or_default();
            let nullable = schema["oneOf"].is_array() || schema["type"].is_array();
            let optional = nullable || !required.contains(&Value::from(property.as_str()));
            // A field with a default is always written.
            seen.may_be_none = optional && schema.get("default").is_none();
            match value.get(property) {
                None | Some(Value::Null) => seen.none = true,
                Some(field) => {
                    // An optional empty list is equivalent to an absent one.
                    seen.value |= field.as_array().is_none_or(|list| !list.is_empty());
                    self.walk(schema, field);
                }
            }
        }
    }

    /// Returns the missing coverage of these schemas: every schema, every field with a value and, if it is optional,
    /// without one, and every value of the enums.
    pub fn missing(&self, schemas: &BTreeSet<&'static str>) -> Vec<String> {
        let unseen = schemas.difference(&self.visited);
        let mut missing: Vec<_> = unseen.map(|name| format!("{name} is never seen")).collect();
        for (field, seen) in &self.fields {
            if !seen.value {
                missing.push(format!("{field} is never seen with a value"));
            }
            if seen.may_be_none && !seen.none {
                missing.push(format!("{field} is never seen without a value"));
            }
        }
        for (name, values) in &self.enums {
            let unseen = values.iter().filter(|(_, seen)| !**seen);
            missing.extend(unseen.map(|(value, _)| format!("{name}: {value} is never seen")));
        }
        missing
    }
}

//! Names of inline unions by their choices, so that equal ones of third-party documents are one type: `CustomerOrId`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::names::type_name;
use crate::source::schema_name;

/// The most choices that a name lists.
const CHOICES: usize = 3;

/// The most letters of such a name. A union with a longer one is named by its place.
const LENGTH: usize = 48;

/// Keys that do not change the values of a union, nor of its choices.
const ANNOTATIONS: [&str; 6] = ["description", "title", "example", "examples", "deprecated", "default"];

/// The unions of a document.
pub(super) struct SharedUnions {
    /// The schemas whose values are objects with an id.
    with_id: HashSet<String>,
    /// The choices of each shared union, by its name.
    known: HashMap<String, Value>,
}

/// An inline union whose choices have names.
pub(super) struct SharedUnion {
    pub(super) name: String,
    /// Its choices, which equal ones have, too.
    choices: Value,
    /// The names of the variants of choices that have none of their own.
    variants: Vec<Option<&'static str>>,
    keyword: &'static str,
}

impl SharedUnions {
    pub(super) fn new(root: &Value) -> Self {
        let empty = Map::new();
        let schemas = root["components"]["schemas"].as_object().unwrap_or(&empty);
        let mut with_id = HashSet::new();
        // Objects, unions of these, and unions of those.
        for _ in 0..CHOICES {
            for (name, schema) in schemas {
                let has_id = |name: Option<&str>| name.is_some_and(|name| with_id.contains(name));
                let choices = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
                let of_all = choices.is_some_and(|all| !all.is_empty() && all.iter().all(|one| has_id(referred(one))));
                if schema["properties"]["id"].is_object() || of_all {
                    with_id.insert(name.clone());
                }
            }
        }
        let known = HashMap::new();
        Self { with_id, known }
    }

    /// The union that a schema is, if it has nothing but choices with names.
    pub(super) fn read(&self, schema: &Value) -> Option<SharedUnion> {
        let members = schema.as_object()?;
        let mut keys = members.keys().filter(|key| !ANNOTATIONS.contains(&key.as_str()));
        let keyword = match (keys.next()?.as_str(), keys.next()) {
            ("anyOf", None) => "anyOf",
            ("oneOf", None) => "oneOf",
            _ => return None,
        };
        let choices = schema[keyword].as_array()?;
        let others = choices.iter().filter(|choice| choice["type"] != "null");
        if !(2..=CHOICES).contains(&others.clone().count()) {
            return None;
        }
        let references: Vec<_> = others.clone().filter_map(referred).collect();
        let has_ids = !references.is_empty() && references.iter().all(|name| self.with_id.contains(*name));
        let texts = others.clone().filter(|choice| is_text(choice)).count();
        let is_id =
            has_ids && !references.contains(&"Id") && texts == 1 && references.len() + 1 == others.clone().count();
        let mut words = Vec::new();
        for choice in others {
            match (referred(choice), is_id) {
                (Some(name), true) => words.push(deleted(name, &references)),
                (Some(name), false) => words.push(name.to_owned()),
                (None, true) => {}
                (None, false) => words.push(word(choice)?),
            }
        }
        words.extend(is_id.then(|| "Id".to_owned()));
        let variants = choices.iter().map(|choice| match choice {
            choice if is_empty_text(choice) => Some("Empty"),
            choice if is_id && is_text(choice) => Some("Id"),
            _ => None,
        });
        let name = type_name(&words.join("Or"));
        (name.len() <= LENGTH).then(|| SharedUnion {
            name,
            choices: json!({ keyword: choices.iter().map(plain).collect::<Vec<_>>() }),
            variants: variants.collect(),
            keyword,
        })
    }

    /// Returns whether a union is the one that has its name.
    pub(super) fn is_known(&self, union: &SharedUnion) -> bool {
        self.known.get(&union.name) == Some(&union.choices)
    }

    /// Keeps a union, and names the variants of the schema.
    pub(super) fn add(&mut self, union: &SharedUnion, schema: &mut Value) {
        let choices = schema[union.keyword].as_array_mut();
        for (choice, name) in choices.into_iter().flatten().zip(&union.variants) {
            if let (Some(members), Some(name)) = (choice.as_object_mut(), name) {
                members.entry("x-rust-name").or_insert_with(|| json!(name));
                // An enum of one would be a type of its own.
                if members.remove("enum").is_some() {
                    members.insert("const".to_owned(), json!(""));
                }
            }
        }
        self.known.insert(union.name.clone(), union.choices.clone());
    }
}

/// The word for a choice: of an inline object there is none.
fn word(choice: &Value) -> Option<String> {
    let members = choice.as_object()?;
    if is_empty_text(choice) {
        return Some("Empty".to_owned());
    }
    if let Some(name) = referred(choice) {
        return Some(name.to_owned());
    }
    let composed = [
        "enum",
        "const",
        "properties",
        "required",
        "oneOf",
        "anyOf",
        "allOf",
        "x-extensible-enum",
    ];
    if composed.iter().any(|key| members.contains_key(*key)) {
        return None;
    }
    let word = match (choice["type"].as_str()?, choice["format"].as_str()) {
        ("string", None) => "Text",
        ("string", Some("date-time")) => "DateTime",
        ("string", Some("date")) => "Date",
        ("string", Some("uuid")) => "Uuid",
        ("integer", _) => "Integer",
        ("number", _) => "Number",
        ("boolean", _) => "Boolean",
        ("array", _) => return Some(format!("{}List", word(choice.get("items")?)?)),
        ("object", _) => match choice.get("additionalProperties") {
            None | Some(Value::Bool(true)) => "Object",
            Some(values) => return Some(format!("{}Map", word(values)?)),
        },
        _ => return None,
    };
    Some(word.to_owned())
}

/// `Deleted` beside the object that is deleted.
fn deleted(name: &str, all: &[&str]) -> String {
    match name.strip_prefix("Deleted") {
        Some(rest) if all.contains(&rest) => "Deleted".to_owned(),
        _ => name.to_owned(),
    }
}

fn referred(choice: &Value) -> Option<&str> {
    schema_name(choice["$ref"].as_str()?)
}

fn is_text(choice: &Value) -> bool {
    choice["type"] == "string" && choice.get("enum").is_none() && choice.get("const").is_none()
}

/// Returns whether a choice is the empty text alone.
fn is_empty_text(choice: &Value) -> bool {
    choice["enum"] == json!([""]) || choice["const"] == ""
}

/// A choice without annotations.
fn plain(choice: &Value) -> Value {
    let members = choice.as_object().into_iter().flatten();
    let kept = members.filter(|(key, _)| !ANNOTATIONS.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

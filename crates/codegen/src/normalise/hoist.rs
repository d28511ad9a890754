//! Names inline objects, enums and unions: `Parent` + `Property` becomes a schema of the components.

use std::collections::HashSet;

use heck::ToUpperCamelCase;
use serde_json::{Map, Value, json};

use super::names::type_name;
use super::place;
use super::shared_unions::SharedUnions;
use crate::Profile;
use crate::source::{METHODS, Part, Source, join};

/// Keys that stay at the use of a schema: they are about that place.
const LOCAL: [&str; 11] = [
    "default",
    "deprecated",
    "x-deprecation",
    "x-sensitive",
    "x-optional-for-readers",
    "x-distinguish-null",
    "x-rounded",
    "x-aliases",
    "readOnly",
    "writeOnly",
    "x-rust-name",
];

/// Moves inline schemas to the components. Of the tolerant profile, equal unions become one.
pub(super) fn hoist(source: &mut Source<'_>, profile: Profile) {
    let mut root = std::mem::take(&mut source.value);
    let mut hoist = Hoist {
        names: root["components"]["schemas"]
            .as_object()
            .map(|all| all.keys().cloned().collect())
            .unwrap_or_default(),
        found: Vec::new(),
        tag: Value::Null,
        unions: (!profile.is_strict()).then(|| SharedUnions::new(&root)),
    };
    hoist.components(&mut root);
    for section in ["paths", "webhooks"] {
        for (path, item) in root
            .get_mut(section)
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten()
        {
            hoist.path_item(path, item, &join(&format!("/{section}"), path));
        }
    }
    let found = std::mem::take(&mut hoist.found);
    if !found.is_empty() {
        let Some(document) = root.as_object_mut() else { return };
        let components = document.entry("components").or_insert_with(|| json!({}));
        let components = components.as_object_mut();
        let schemas = components.map(|all| all.entry("schemas").or_insert_with(|| json!({})));
        let Some(schemas) = schemas.and_then(Value::as_object_mut) else {
            return;
        };
        for Found { name, at, schema } in found {
            let origin = source.origin(&at);
            source.moved(join("/components/schemas", &name), origin);
            schemas.insert(name, schema);
        }
    }
    source.value = root;
}

struct Hoist {
    names: HashSet<String>,
    found: Vec<Found>,
    /// The tag of the schema or operation around.
    tag: Value,
    unions: Option<SharedUnions>,
}

struct Found {
    name: String,
    at: String,
    schema: Value,
}

impl Hoist {
    fn components(&mut self, root: &mut Value) {
        let Some(components) = root.get_mut("components").and_then(Value::as_object_mut) else {
            return;
        };
        for (section, members) in components {
            let at = join("/components", section);
            for (name, value) in members.as_object_mut().into_iter().flatten() {
                let (at, parent) = (join(&at, name), type_name(name));
                self.tag = value["x-tag"].clone();
                match Part::Components.member(section) {
                    // A schema with a name: only inner schemas move.
                    Part::Each(Part::Schema) => self.inside(value, &parent, &at),
                    Part::Each(part) => self.holder(*part, value, &parent, &at),
                    _ => {}
                }
            }
        }
    }

    fn path_item(&mut self, path: &str, item: &mut Value, at: &str) {
        for (key, value) in item.as_object_mut().into_iter().flatten() {
            let at = join(at, key);
            if METHODS.contains(&key.as_str()) {
                let parent = match value["operationId"].as_str() {
                    Some(id) => type_name(id),
                    None => type_name(&format!("{key} {path}")),
                };
                self.tag = value["tags"][0].clone();
                self.holder(Part::Operation, value, &parent, &at);
            } else if key == "parameters" {
                self.tag = Value::Null;
                self.holder(Part::PathItem.member(key), value, &type_name(path), &at);
            }
        }
    }

    /// Parts that are not schemas.
    fn holder(&mut self, part: Part, value: &mut Value, parent: &str, at: &str) {
        let name = match part {
            Part::Parameter => format!("{parent}{}", value["name"].as_str().map(type_name).unwrap_or_default()),
            _ => parent.to_owned(),
        };
        match value {
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    let at = join(at, key);
                    match part.member(key) {
                        Part::Data | Part::Callback | Part::PathItem => {}
                        Part::Schema => self.schema(member, &name, &at, false),
                        Part::RequestBody => self.holder(Part::RequestBody, member, &format!("{name}Body"), &at),
                        below => {
                            let name = match (part, key.as_str()) {
                                (Part::Each(Part::Response), status) => format!("{name}{}", place::response(status)),
                                (Part::Each(Part::Header), header) => format!("{name}{}", type_name(header)),
                                // The form of a second media type is another type.
                                _ => name.clone(),
                            };
                            self.holder(below, member, &name, &at);
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.holder(part.member(""), item, &name, &format!("{at}/{index}"));
                }
            }
            _ => {}
        }
    }

    /// Names an inline schema, and those inside it.
    fn schema(&mut self, value: &mut Value, name: &str, at: &str, annotated: bool) {
        if !value.as_object().is_some_and(is_named) {
            return self.inside(value, name, at);
        }
        let (name, is_shared) = match self.shared_union(value) {
            Shared::Known(name) => {
                *value = usage(&name, value, annotated, false);
                return;
            }
            Shared::New(name) => (name, true),
            Shared::No => (self.free(name), false),
        };
        // A schema precedes those inside it.
        let place = self.found.len();
        self.found.push(Found {
            name: name.clone(),
            at: at.to_owned(),
            schema: Value::Null,
        });
        self.inside(value, &name, at);
        let Some(schema) = value.as_object() else { return };
        let types = schema.get("type").map(Value::as_array_or_empty).unwrap_or_default();
        let nullable = types.iter().any(|name| name == "null");
        let types: Vec<_> = types.iter().filter(|name| *name != "null").cloned().collect();
        let others = schema.iter().filter(|(key, _)| !LOCAL.contains(&key.as_str()));
        let mut named: Map<_, _> = others.map(|(key, member)| (key.clone(), member.clone())).collect();
        if nullable {
            let types = match types.as_slice() {
                [one] => one.clone(),
                _ => json!(types),
            };
            named.insert("type".to_owned(), types);
            for values in ["enum", "x-extensible-enum"] {
                if let Some(values) = named.get_mut(values).and_then(Value::as_array_mut) {
                    values.retain(|value| !value.is_null());
                }
            }
        }
        if !named.contains_key("x-tag") && !self.tag.is_null() {
            named.insert("x-tag".to_owned(), self.tag.clone());
        }
        if is_shared {
            // About this use alone.
            named.retain(|key, _| key != "description" && key != "title");
        }
        let used = usage(&name, value, annotated, nullable);
        self.found[place].schema = Value::Object(named);
        *value = used;
    }

    /// Finds the type of a union whose choices have names.
    fn shared_union(&mut self, value: &mut Value) -> Shared {
        let Some(unions) = &mut self.unions else {
            return Shared::No;
        };
        match unions.read(value) {
            Some(union) if unions.is_known(&union) => Shared::Known(union.name),
            Some(union) if self.names.insert(union.name.clone()) => {
                unions.add(&union, value);
                Shared::New(union.name)
            }
            _ => Shared::No,
        }
    }

    /// The schemas inside of one.
    fn inside(&mut self, value: &mut Value, parent: &str, at: &str) {
        for (keyword, member) in value.as_object_mut().into_iter().flatten() {
            let at = join(at, keyword);
            match (Part::Schema.member(keyword), member) {
                (Part::Schema, member) => {
                    let name = format!("{parent}{}", place::step(keyword, None, member));
                    self.schema(member, &name, &at, false);
                }
                (Part::Each(_), Value::Object(members)) => {
                    for (key, member) in members {
                        let name = format!("{parent}{}", place::step(keyword, Some(key), member));
                        self.schema(member, &name, &join(&at, key), keyword == "properties");
                    }
                }
                (Part::Each(_), Value::Array(items)) => {
                    let choices = items.iter().filter(|item| item["type"] != "null").count();
                    for (index, member) in items.iter_mut().enumerate() {
                        // Of `X or null`, and of a merged `allOf`, the parts have no names of their own.
                        let step = match choices {
                            1 => String::new(),
                            _ => place::step(keyword, Some(&index.to_string()), member),
                        };
                        let at = format!("{at}/{index}");
                        if keyword == "allOf" {
                            self.inside(member, parent, &at);
                        } else {
                            self.schema(member, &format!("{parent}{step}"), &at, false);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A free name in the case of types: of `GetA` and `P`, `GetAp`.
    fn free(&mut self, wanted: &str) -> String {
        let wanted = wanted.to_upper_camel_case();
        let numbered = (2_u32..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        let name = names.find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.insert(name.clone());
        name
    }
}

/// The type of a union that others are, too.
enum Shared {
    Known(String),
    New(String),
    No,
}

/// The use of a schema that has a name now.
fn usage(name: &str, schema: &Value, annotated: bool, nullable: bool) -> Value {
    let target = json!({ "$ref": format!("#/components/schemas/{name}") });
    let mut used = match nullable {
        true => json!({ "oneOf": [target, { "type": "null" }] }),
        false => target,
    };
    let members = schema.as_object().into_iter().flatten();
    let local = members.filter(|(key, _)| LOCAL.contains(&key.as_str()) || annotated && *key == "description");
    if let Some(used) = used.as_object_mut() {
        used.extend(local.map(|(key, member)| (key.clone(), member.clone())));
    }
    used
}

/// Returns whether a schema needs a name: it is an object with properties, an enum, or a union.
fn is_named(schema: &Map<String, Value>) -> bool {
    if schema.contains_key("$ref") {
        return false;
    }
    let union = ["oneOf", "anyOf"].iter().any(|key| {
        let choices = schema.get(*key).map(Value::as_array_or_empty).unwrap_or_default();
        let null = |choice: &&Value| choice["type"] == "null";
        choices.len() > 2 || choices.len() == 2 && !choices.iter().any(|choice| null(&choice))
    });
    let merged = schema.get("allOf").map(Value::as_array_or_empty).unwrap_or_default();
    let inner = merged.first().and_then(Value::as_object).is_some_and(is_named);
    let own = schema.contains_key("properties") || schema.contains_key("required") && schema.contains_key("type");
    let merged = merged.len() > 1 || !merged.is_empty() && (own || inner);
    let values = schema.contains_key("enum") || schema.contains_key("x-extensible-enum");
    let boolean = schema.get("type").is_some_and(|ty| *ty == "boolean");
    union || merged || schema.get("properties").is_some_and(Value::is_object) || values && !boolean
}

trait Items {
    /// The items of a list. Empty for other values.
    fn as_array_or_empty(&self) -> &[Value];
}

impl Items for Value {
    fn as_array_or_empty(&self) -> &[Value] {
        self.as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

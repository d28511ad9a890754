//! Which operations and events carry a schema, and which operations take it.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::document::{Document, Type};

/// The body of every error, which operations need not name.
const PROBLEM: &str = "Problem";

/// Where each schema of a document goes.
pub(super) struct Reach {
    /// By schema, what carries it to readers, in the document's order.
    read: HashMap<String, Vec<String>>,
    /// Schemas that parameters have as their type.
    taken: BTreeSet<String>,
}

impl Reach {
    pub(super) fn of(document: &Document) -> Self {
        let mut reach = Self {
            read: HashMap::new(),
            taken: BTreeSet::new(),
        };
        for operation in &document.operations {
            reach.carry(document, named(&operation.body), &operation.id);
            let types = operation.parameters.iter().map(|parameter| &parameter.ty);
            reach.taken.extend(types.filter_map(named).map(str::to_owned));
        }
        for webhook in &document.webhooks {
            reach.carry(document, Some(&webhook.payload), &webhook.event_type);
        }
        reach.carry(document, Some(PROBLEM), "every error");
        reach
    }

    /// What carries a schema to readers.
    pub(super) fn carriers(&self, schema: &str) -> Vec<String> {
        self.read.get(schema).cloned().unwrap_or_default()
    }

    /// Whether readers meet it. What nothing uses counts as read: whoever uses it next might.
    pub(super) fn is_read(&self, schema: &str) -> bool {
        self.read.contains_key(schema) || !self.is_taken(schema)
    }

    /// Whether a parameter takes it.
    pub(super) fn is_taken(&self, schema: &str) -> bool {
        self.taken.contains(schema)
    }

    fn carry(&mut self, document: &Document, root: Option<&str>, carrier: &str) {
        let mut seen = BTreeSet::new();
        let mut rest: Vec<String> = root.map(str::to_owned).into_iter().collect();
        while let Some(name) = rest.pop() {
            let Some(schema) = document.schemas.iter().find(|schema| schema.name == name) else {
                continue;
            };
            if seen.insert(name.clone()) {
                self.read.entry(name).or_default().push(carrier.to_owned());
                references(&schema.value, &mut rest);
            }
        }
    }
}

/// The schema that a type names, itself or as its items.
fn named(ty: &Type) -> Option<&str> {
    match ty {
        Type::Ref(name) => Some(name),
        Type::Nullable(inner) | Type::Array(inner) | Type::Map(inner) => named(inner),
        _ => None,
    }
}

/// The schemas that a schema refers to, also as the keys of a map.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member) {
                    ("$ref", Value::String(target)) => {
                        found.extend(target.rsplit('/').next().map(str::to_owned));
                    }
                    ("examples" | "default", _) => {}
                    _ => references(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

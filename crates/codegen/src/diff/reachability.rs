//! Which operations and events contain a schema, and which operations accept it as a parameter.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::document::{Document, Type};

/// The body of every error, also where an operation does not declare it.
const PROBLEM: &str = "Problem";

/// The uses of each schema of a document.
pub(super) struct Reachability {
    /// By schema, the operations and events that contain it, in the document's order.
    read: HashMap<String, Vec<String>>,
    /// Schemas that are types of parameters.
    taken: BTreeSet<String>,
}

impl Reachability {
    pub(super) fn of(document: &Document) -> Self {
        let mut reachability = Self {
            read: HashMap::new(),
            taken: BTreeSet::new(),
        };
        for operation in &document.operations {
            reachability.add_users(document, named(&operation.body), &operation.id);
            let types = operation.parameters.iter().map(|parameter| &parameter.ty);
            reachability.taken.extend(types.filter_map(named).map(str::to_owned));
        }
        for webhook in &document.webhooks {
            reachability.add_users(document, Some(&webhook.payload), &webhook.event_type);
        }
        reachability.add_users(document, Some(PROBLEM), "every error");
        reachability
    }

    /// The operations and events that contain a schema.
    pub(super) fn users(&self, schema: &str) -> Vec<String> {
        self.read.get(schema).cloned().unwrap_or_default()
    }

    /// Whether clients read it. An unused schema counts as read.
    pub(super) fn is_read(&self, schema: &str) -> bool {
        self.read.contains_key(schema) || !self.is_taken(schema)
    }

    /// Whether it is the type of a parameter.
    pub(super) fn is_taken(&self, schema: &str) -> bool {
        self.taken.contains(schema)
    }

    fn add_users(&mut self, document: &Document, root: Option<&str>, user: &str) {
        let mut seen = BTreeSet::new();
        let mut rest: Vec<String> = root.map(str::to_owned).into_iter().collect();
        while let Some(name) = rest.pop() {
            let Some(schema) = document.schemas.iter().find(|schema| schema.name == name) else {
                continue;
            };
            if seen.insert(name.clone()) {
                self.read.entry(name).or_default().push(user.to_owned());
                references(&schema.value, &mut rest);
            }
        }
    }
}

/// The schema that a type refers to, directly or as its items.
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

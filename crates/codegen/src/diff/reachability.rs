//! Operations and events that contain a schema, and the direction in which its values are sent.

use std::collections::{BTreeSet, HashMap};

use super::change::Direction;
use crate::document::{Document, Schema, Type};

/// The body of every error, also where an operation does not declare it.
const PROBLEM: &str = "Problem";

/// The uses of each schema of a document.
pub(super) struct Reachability {
    /// The operations and events that contain a schema, in the document's order.
    users: HashMap<String, Vec<String>>,
    /// Schemas of responses and events.
    read: BTreeSet<String>,
    /// Schemas of requests: types of parameters, and the contents of bodies.
    taken: BTreeSet<String>,
}

impl Reachability {
    pub(super) fn of(document: &Document) -> Self {
        let mut reachability = Self {
            users: HashMap::new(),
            read: BTreeSet::new(),
            taken: BTreeSet::new(),
        };
        for operation in &document.operations {
            if let Some(body) = &operation.request {
                let found = Schema::within(&document.schemas, body.content.ty().and_then(named));
                reachability.add_users(&found, &operation.id);
                reachability.taken.extend(found);
            }
            for ty in operation.received_types() {
                reachability.add_read(document, named(ty), &operation.id);
            }
            let types = operation.parameters.iter().map(|parameter| &parameter.ty);
            for name in types.filter_map(named) {
                reachability.taken.extend(Schema::within(&document.schemas, [name]));
            }
        }
        for webhook in &document.webhooks {
            reachability.add_read(document, Some(&webhook.payload), &webhook.event_type);
        }
        reachability.add_read(document, Some(PROBLEM), "every error");
        reachability
    }

    /// The operations and events that contain a schema.
    pub(super) fn users(&self, schema: &str) -> Vec<String> {
        self.users.get(schema).cloned().unwrap_or_default()
    }

    /// Returns whether clients read it. An unused schema counts as read.
    pub(super) fn is_read(&self, schema: &str) -> bool {
        self.read.contains(schema) || !self.is_taken(schema)
    }

    /// Returns whether it is part of a request.
    pub(super) fn is_taken(&self, schema: &str) -> bool {
        self.taken.contains(schema)
    }

    /// The direction in which its values are sent.
    pub(super) fn direction(&self, schema: &str) -> Direction {
        match (self.is_read(schema), self.is_taken(schema)) {
            (true, true) => Direction::Both,
            (false, _) => Direction::ToServers,
            (true, false) => Direction::ToClients,
        }
    }

    fn add_read(&mut self, document: &Document, root: Option<&str>, user: &str) {
        let found = Schema::within(&document.schemas, root);
        self.add_users(&found, user);
        self.read.extend(found);
    }

    fn add_users(&mut self, schemas: &BTreeSet<String>, user: &str) {
        for schema in schemas {
            let users = self.users.entry(schema.clone()).or_default();
            if users.last().is_none_or(|last| last != user) {
                users.push(user.to_owned());
            }
        }
    }
}

/// The schema that a type refers to, directly or as its items.
fn named(ty: &Type) -> Option<&str> {
    match ty {
        Type::Ref(name) => Some(name),
        Type::Nullable(inner) | Type::Array(inner, _) | Type::Map { values: inner, .. } => named(inner),
        _ => None,
    }
}

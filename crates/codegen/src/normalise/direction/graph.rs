//! Graph of schemas: those with members of one direction, and those that requests and responses contain.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::source::{METHODS, Part, schema_name, walk};

pub(super) const READ_ONLY: &str = "readOnly";
pub(super) const WRITE_ONLY: &str = "writeOnly";

pub(super) type Names = HashSet<String>;

/// References of the named schemas.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) references: HashMap<String, Names>,
    /// Schemas that have other members in requests than in responses, or contain such a schema.
    pub(super) affected: Names,
    /// The members that are not in requests, and those that are not in responses.
    pub(super) hidden: HashMap<String, [Names; 2]>,
}

impl Graph {
    pub(super) fn of(schemas: &mut Map<String, Value>) -> Self {
        let mut graph = Self::default();
        for (name, schema) in schemas.iter_mut() {
            graph.references.insert(name.clone(), references(Part::Schema, schema));
        }
        let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
        for (user, used) in &graph.references {
            used.iter().for_each(|used| users.entry(used).or_default().push(user));
        }
        let marked = |schema: &Value| [READ_ONLY, WRITE_ONLY].iter().any(|mark| !own(schema, mark).is_empty());
        let mut rest: Vec<_> = schemas
            .iter()
            .filter(|(_, schema)| marked(schema))
            .map(|(name, _)| name.as_str())
            .collect();
        while let Some(name) = rest.pop() {
            if graph.affected.insert(name.to_owned()) {
                rest.extend(users.get(name).into_iter().flatten());
            }
        }
        for name in &graph.affected {
            let hidden = [READ_ONLY, WRITE_ONLY].map(|mark| {
                let mut hidden = Names::new();
                merged(schemas, name, mark, &mut hidden, &mut Names::new());
                hidden
            });
            graph.hidden.insert(name.clone(), hidden);
        }
        graph
    }

    pub(super) fn reachable(&self, from: Names) -> Names {
        let (mut found, mut rest) = (Names::new(), Vec::from_iter(from));
        while let Some(name) = rest.pop() {
            if let Some(next) = self.references.get(&name).filter(|_| !found.contains(&name)) {
                rest.extend(next.iter().cloned());
                found.insert(name);
            }
        }
        found
    }
}

/// The schemas that a part refers to.
fn references(part: Part, value: &mut Value) -> Names {
    let mut names = Names::new();
    walk(part, value, &mut |part, members| {
        if part == Part::Schema {
            names.extend(members.get("$ref").and_then(name_of).map(str::to_owned));
        }
    });
    names
}

pub(super) fn name_of(target: &Value) -> Option<&str> {
    schema_name(target.as_str()?)
}

/// The properties of a schema, and of the parts of its `allOf`, that have a mark.
fn own(schema: &Value, mark: &str) -> Names {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let marked = properties.filter(|(_, property)| property[mark] == true);
    let mut names: Names = marked.map(|(name, _)| name.clone()).collect();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        names.extend(own(part, mark));
    }
    names
}

/// The same, also of the references of its `allOf`.
fn merged(schemas: &Map<String, Value>, name: &str, mark: &str, hidden: &mut Names, seen: &mut Names) {
    let Some(schema) = schemas.get(name).filter(|_| seen.insert(name.to_owned())) else {
        return;
    };
    hidden.extend(own(schema, mark));
    for part in schema["allOf"].as_array().into_iter().flatten() {
        if let Some(base) = name_of(&part["$ref"]) {
            merged(schemas, base, mark, hidden, seen);
        }
    }
}

/// The schemas of the bodies of requests, and all others.
pub(super) fn roots(root: &mut Value) -> (Names, Names) {
    let (mut taken, mut read) = (Names::new(), Names::new());
    parts(root, &mut |is_request, part, value| {
        let names = references(part, value);
        if is_request {
            taken.extend(names)
        } else {
            read.extend(names)
        }
    });
    (taken, read)
}

/// Visits the parts that hold schemas, except the named schemas: true for the body of a request, and the part's kind.
pub(super) fn parts(root: &mut Value, visit: &mut impl FnMut(bool, Part, &mut Value)) {
    let sections = root.get_mut("components").and_then(Value::as_object_mut);
    for (section, value) in sections
        .into_iter()
        .flatten()
        .filter(|(section, _)| *section != "schemas")
    {
        visit(section == "requestBodies", Part::Components.member(section), value);
    }
    if let Some(webhooks) = root.get_mut("webhooks") {
        visit(false, Part::Document.member("webhooks"), webhooks);
    }
    let items = root
        .get_mut("paths")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten();
    for (key, value) in items.flat_map(|(_, item)| item.as_object_mut().into_iter().flatten()) {
        if !METHODS.contains(&key.as_str()) {
            visit(false, Part::PathItem.member(key), value);
            continue;
        }
        for (key, value) in value.as_object_mut().into_iter().flatten() {
            visit(key == "requestBody", Part::Operation.member(key), value);
        }
    }
}

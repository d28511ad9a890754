//! `readOnly` and `writeOnly`: splits a schema whose members differ between requests and responses in two, `User` for
//! reading, and `UserInput` for sending. If only one of them is needed, it keeps its name.

mod graph;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use self::graph::{Graph, Names, READ_ONLY, WRITE_ONLY, name_of, parts, roots};
use crate::source::{Part, Source, join, walk};

/// Splits the schemas of a document.
pub(super) fn split(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let schemas = root.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    let graph = schemas.map(Graph::of).unwrap_or_default();
    if !graph.affected.is_empty() {
        let (taken, read) = roots(&mut root);
        let (taken, read) = (graph.reachable(taken), graph.reachable(read));
        let mut forms = Forms {
            renamed: HashMap::new(),
            taken,
            read,
        };
        forms.name(&graph);
        forms.apply(&graph, &mut root, source);
    }
    source.value = root;
}

/// Forms of the schemas.
struct Forms {
    /// The names of schemas with another form in requests.
    renamed: HashMap<String, String>,
    taken: Names,
    read: Names,
}

impl Forms {
    fn name(&mut self, graph: &Graph) {
        let mut names: Vec<_> = graph
            .affected
            .iter()
            .filter(|name| self.taken.contains(*name))
            .collect();
        names.sort();
        for name in names.into_iter().filter(|name| self.read.contains(*name)) {
            let wanted = format!("{name}Input");
            let numbered = (2_u32..).map(|number| format!("{wanted}{number}"));
            let free = |name: &String| {
                !graph.references.contains_key(name) && !self.renamed.values().any(|taken| taken == name)
            };
            if let Some(free) = std::iter::once(wanted.clone()).chain(numbered).find(free) {
                self.renamed.insert(name.clone(), free);
            }
        }
    }

    fn apply(&self, graph: &Graph, root: &mut Value, source: &mut Source<'_>) {
        parts(root, &mut |is_request, part, value| {
            if is_request {
                self.rename(part, value);
            }
        });
        let Some(schemas) = root.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else {
            return;
        };
        let before = schemas.clone();
        let mut all = Map::new();
        for (name, mut schema) in std::mem::take(schemas) {
            let Some(hidden) = graph.hidden.get(&name) else {
                all.insert(name, schema);
                continue;
            };
            let mut input = schema.clone();
            self.tags(&before, &mut input);
            strip(&mut input, READ_ONLY, &hidden[0]);
            self.rename(Part::Schema, &mut input);
            match self.renamed.get(&name) {
                Some(other) => {
                    strip(&mut schema, WRITE_ONLY, &hidden[1]);
                    if let Some(input) = input.as_object_mut() {
                        // They are of the other form.
                        input.retain(|key, _| !["examples", "x-columns", "x-masked"].contains(&key.as_str()));
                        if let Some(Value::String(text)) = input.get_mut("description") {
                            text.push_str("\n\nThe form of requests.");
                        }
                    }
                    let origin = source.origin(&join("/components/schemas", &name));
                    source.moved(join("/components/schemas", other), origin);
                    all.insert(name, schema);
                    all.insert(other.clone(), input);
                }
                None if self.taken.contains(&name) => drop(all.insert(name, input)),
                None => {
                    strip(&mut schema, WRITE_ONLY, &hidden[1]);
                    all.insert(name, schema);
                }
            }
        }
        *schemas = all;
    }

    /// Refers to the forms of requests.
    fn rename(&self, part: Part, value: &mut Value) {
        let renamed = |target: &Value| Some(format!("#/components/schemas/{}", self.renamed.get(name_of(target)?)?));
        walk(part, value, &mut |part, members| {
            if part != Part::Schema {
                return;
            }
            if let Some(target) = members.get("$ref").and_then(renamed) {
                members.insert("$ref".to_owned(), json!(target));
            }
            let mapping = members
                .get_mut("discriminator")
                .and_then(|discriminator| discriminator.get_mut("mapping"));
            for (_, target) in mapping.and_then(Value::as_object_mut).into_iter().flatten() {
                let name = target.as_str().and_then(|name| self.renamed.get(name));
                if let Some(target_name) = name
                    .map(|name| json!(name))
                    .or_else(|| renamed(target).map(Value::from))
                {
                    *target = target_name;
                }
            }
        });
    }

    /// Keeps the name of a choice that a discriminator identifies by its schema.
    fn tags(&self, schemas: &Map<String, Value>, union: &mut Value) {
        let Some(property) = union["discriminator"]["propertyName"].as_str().map(str::to_owned) else {
            return;
        };
        let choices = ["oneOf", "anyOf"]
            .iter()
            .filter_map(|key| union[*key].as_array())
            .flatten();
        let names: Vec<_> = choices
            .filter_map(|choice| name_of(&choice["$ref"]))
            .map(str::to_owned)
            .collect();
        for name in names.into_iter().filter(|name| self.renamed.contains_key(name)) {
            let target = format!("#/components/schemas/{name}");
            let mapped = union["discriminator"]["mapping"].as_object().into_iter().flatten();
            let is_mapped = mapped
                .into_iter()
                .any(|(_, to)| *to == json!(target) || *to == json!(name));
            let own = &schemas.get(&name).unwrap_or(&Value::Null)["properties"][&property];
            let own = name_of(&own["$ref"]).and_then(|name| schemas.get(name)).unwrap_or(own);
            if !is_mapped && own.get("const").or(own.get("enum")).is_none() {
                union["discriminator"]["mapping"][name.as_str()] = json!(target);
            }
        }
    }
}

/// Removes the members with a mark, and all marks.
fn strip(schema: &mut Value, mark: &str, hidden: &Names) {
    let Some(schema) = schema.as_object_mut() else { return };
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    let mut stripped = false;
    if let Some(properties) = properties {
        let count = properties.len();
        properties.retain(|_, property| property[mark] != true);
        stripped = properties.len() < count;
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.retain(|key, value| !([READ_ONLY, WRITE_ONLY].contains(&key.as_str()) && value.is_boolean()));
        }
    }
    // A caller that sends back a received object is not rejected.
    if stripped && mark == READ_ONLY && schema.get("additionalProperties") == Some(&json!(false)) {
        schema.shift_remove("additionalProperties");
    }
    for key in ["required", "x-columns"] {
        if let Some(names) = schema.get_mut(key).and_then(Value::as_array_mut) {
            names.retain(|name| !name.as_str().is_some_and(|name| hidden.contains(name)));
        }
        if schema.get(key) == Some(&json!([])) {
            schema.shift_remove(key);
        }
    }
    for example in schema
        .get_mut("examples")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(example) = example.as_object_mut() {
            example.retain(|name, _| !hidden.contains(name));
        }
    }
    for part in schema
        .get_mut("allOf")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        strip(part, mark, hidden);
    }
}

//! Parameters that a path has and an operation of it does not declare.

use serde_json::{Value, json};

use crate::document::path::parameters_of;
use crate::source::{METHODS, Source, join, key_of};

/// The path that a pointer is at or below, if it has such parameters.
pub(super) fn path(root: &Value, pointer: &str) -> Option<String> {
    let item = pointer.split('/').take(3).collect::<Vec<_>>().join("/");
    let any = undeclared(root, &item).next().is_some();
    any.then_some(item)
}

/// Declares them as strings; returns whether there are any.
pub(super) fn declare(source: &mut Source<'_>, item: &str) -> bool {
    let missing: Vec<_> = undeclared(&source.value, item).collect();
    for (operation, name) in &missing {
        let Some(operation) = source.value.pointer_mut(operation).and_then(Value::as_object_mut) else {
            continue;
        };
        let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
        if let Some(parameters) = parameters.as_array_mut() {
            let schema = json!({ "type": "string" });
            parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        }
    }
    !missing.is_empty()
}

/// The pointers of operations with the names that they lack.
fn undeclared<'r>(root: &'r Value, item: &'r str) -> impl Iterator<Item = (String, String)> + 'r {
    let path = item.strip_prefix("/paths/").unwrap_or_default();
    let path = key_of(path);
    let names: Vec<_> = path
        .split('/')
        .filter_map(parameters_of)
        .flatten()
        .map(str::to_owned)
        .collect();
    let members = root.pointer(item).and_then(Value::as_object).into_iter().flatten();
    let operations = members.filter(|(method, operation)| METHODS.contains(&method.as_str()) && operation.is_object());
    operations.flat_map(move |(method, _)| {
        let operation = join(item, method);
        let declared = declared(root, &[item, &operation]);
        // One that is declared elsewhere is a mistake of another kind.
        let lacking = |name: &&String| !declared.iter().any(|parameter| parameter["name"] == ***name);
        let lacking: Vec<_> = names.iter().filter(lacking).cloned().collect();
        lacking.into_iter().map(move |name| (operation.clone(), name))
    })
}

/// The parameters of objects that have some.
fn declared<'r>(root: &'r Value, owners: &[&str]) -> Vec<&'r Value> {
    let lists = owners
        .iter()
        .filter_map(|owner| root.pointer(owner)?.get("parameters")?.as_array());
    let resolved = lists
        .flatten()
        .filter_map(|parameter| match parameter["$ref"].as_str() {
            Some(reference) => root.pointer(reference.strip_prefix('#')?),
            None => Some(parameter),
        });
    resolved.collect()
}

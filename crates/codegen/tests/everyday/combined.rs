//! All supported edits in one document, beside the project's own: one compilation for all of them.

use serde_json::{Map, Value, json};

use super::edit::Edit;

/// The document of an edit, with names of its own: its schemas begin with `E7`, its operations with `e7_`.
pub(crate) fn renamed(number: usize, edit: &Edit) -> Value {
    let mut document = edit.document();
    keep_what_is_used(&mut document, edit);
    let names: Vec<(String, String)> = ["schemas", "responses", "parameters", "headers", "requestBodies"]
        .iter()
        .flat_map(|kind| {
            let components = document["components"][kind].as_object().cloned().unwrap_or_default();
            let rename = move |name: &String| {
                (name != "Problem").then(|| {
                    (
                        format!("#/components/{kind}/{name}"),
                        format!("#/components/{kind}/E{number}{name}"),
                    )
                })
            };
            components.keys().filter_map(rename).collect::<Vec<_>>()
        })
        .collect();
    replace(&mut document, &mut |value| {
        if let Value::String(text) = value
            && let Some((_, renamed)) = names.iter().find(|(name, _)| name == text)
        {
            text.clone_from(renamed);
        }
    });
    for kind in ["schemas", "responses", "parameters", "headers", "requestBodies"] {
        rename_keys(&mut document["components"][kind], |name| match name {
            "Problem" => name.to_owned(),
            _ => format!("E{number}{name}"),
        });
    }
    rename_keys(&mut document["paths"], |path| format!("/e{number}{path}"));
    rename_keys(&mut document["webhooks"], |event| format!("e{number}.{event}"));
    for part in ["paths", "webhooks"] {
        replace(&mut document[part], &mut |value| {
            if let Some(Value::String(id)) = value.get_mut("operationId") {
                *id = format!("e{number}_{id}");
            }
        });
    }
    document
}

/// Drops the operation that lists things unless the edit is about it, and spells the security of all operations out.
fn keep_what_is_used(document: &mut Value, edit: &Edit) {
    if let Some(security) = document.get("security").cloned() {
        for item in document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
            for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
                if operation.get("responses").is_some() && operation.get("security").is_none() {
                    operation["security"] = security.clone();
                }
            }
        }
        document.as_object_mut().expect("an object").remove("security");
    }
    if !edit.sets("/paths/~1things~1/get") {
        document["paths"]["/things/"]
            .as_object_mut()
            .expect("an object")
            .remove("get");
        if document["paths"]["/things/"] == json!({}) {
            document["paths"].as_object_mut().expect("an object").remove("/things/");
        }
        document["components"]["schemas"]
            .as_object_mut()
            .expect("an object")
            .remove("ThingList");
    }
}

fn rename_keys(object: &mut Value, rename: impl Fn(&str) -> String) {
    if let Value::Object(members) = object {
        let renamed = std::mem::take(members)
            .into_iter()
            .map(|(key, value)| (rename(&key), value));
        *members = renamed.collect();
    }
}

/// Changes each value of a document, from the outside in.
fn replace(value: &mut Value, change: &mut impl FnMut(&mut Value)) {
    change(value);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, change)),
        Value::Object(members) => members.values_mut().for_each(|member| replace(member, change)),
        _ => {}
    }
}

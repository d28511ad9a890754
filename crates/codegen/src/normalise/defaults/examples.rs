//! Examples of bodies that the service sends, in responses and webhooks: those of their schemas.

use serde_json::{Map, Value};

use super::log::Log;
use crate::source::{Part, join};

/// Adds the first example of its schema to each such body of JSON that has none.
pub(super) fn expand(root: &mut Value, log: &mut Log) {
    let examples = examples(root);
    visit(Part::Document, root, "", &mut |media_type, at| {
        let schema = media_type.get("schema").and_then(|schema| schema["$ref"].as_str());
        let Some((target, example)) = schema.and_then(|target| examples.get_key_value(target)) else {
            return;
        };
        let (at, from) = (join(at, "example"), format!("{}/examples/0", &target[1..]));
        match media_type.get("example") {
            Some(own) if own == example => log.repeated(&at, &from),
            Some(_) => {}
            None if media_type.contains_key("examples") => {}
            None => {
                media_type.insert("example".to_owned(), example.clone());
                log.add(at, from);
            }
        }
    });
}

/// The first example of each schema that has one, by the reference to it.
fn examples(root: &Value) -> Map<String, Value> {
    let schemas = root.pointer("/components/schemas").and_then(Value::as_object);
    let with_example = schemas.into_iter().flatten().filter_map(|(name, schema)| {
        let example = schema["examples"].get(0)?;
        Some((format!("#{}", join("/components/schemas", name)), example.clone()))
    });
    with_example.collect()
}

/// Calls `found` with each JSON body of a document, and its pointer.
fn visit(part: Part, value: &mut Value, at: &str, found: &mut impl FnMut(&mut Map<String, Value>, &str)) {
    match value {
        Value::Object(members) => {
            if part == Part::MediaType && at.ends_with("json") && !at.ends_with("ndjson") {
                found(members, at);
            }
            let is_path = at.starts_with("/paths/");
            for (key, member) in members {
                let part = part.member(key);
                let is_request = part == Part::RequestBody && is_path || key == "requestBodies" && at == "/components";
                if part != Part::Data && !is_request {
                    visit(part, member, &join(at, key), found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                visit(part.member(""), item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

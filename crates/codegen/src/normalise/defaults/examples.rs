//! Examples of bodies that the service sends, in responses and webhooks: those of their schemas.

use serde_json::{Map, Value};

use super::log::Log;
use super::operations::operations;
use crate::document::{essence, is_json};
use crate::source::join;

/// Adds the first example of its schema to each such body of JSON that has none.
pub(super) fn expand(root: &mut Value, log: &mut Log) {
    let examples = examples(root);
    for section in ["paths", "webhooks"] {
        for (pointer, .., operation) in operations(root, section) {
            responses(operation, &pointer, &examples, log);
            // The service sends the request of a webhook.
            if section == "webhooks"
                && let Some(body) = operation.get_mut("requestBody")
            {
                bodies(body, &join(&pointer, "requestBody"), &examples, log);
            }
        }
    }
    if let Some(components) = root.get_mut("components") {
        responses(components, "/components", &examples, log);
    }
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

/// Adds examples to the responses of an operation, or of the components.
fn responses(holder: &mut Value, at: &str, examples: &Map<String, Value>, log: &mut Log) {
    let at = join(at, "responses");
    let responses = holder.get_mut("responses").and_then(Value::as_object_mut);
    for (key, response) in responses.into_iter().flatten() {
        bodies(response, &join(&at, key), examples, log);
    }
}

/// Adds examples to the bodies of a response, or of a request.
fn bodies(holder: &mut Value, at: &str, examples: &Map<String, Value>, log: &mut Log) {
    let at = join(at, "content");
    let content = holder.get_mut("content").and_then(Value::as_object_mut);
    for (key, media_type) in content.into_iter().flatten() {
        if let Some(media_type) = media_type.as_object_mut().filter(|_| is_json(&essence(key))) {
            body(media_type, &join(&at, key), examples, log);
        }
    }
}

fn body(media_type: &mut Map<String, Value>, at: &str, examples: &Map<String, Value>, log: &mut Log) {
    let schema = media_type.get("schema").and_then(|schema| schema["$ref"].as_str());
    let Some((target, example)) = schema.and_then(|target| examples.get_key_value(target)) else {
        return;
    };
    let (at, from) = (join(at, "example"), format!("{}/examples/0", &target[1..]));
    match media_type.get("example") {
        Some(own) if own == example => log.repeated_example(&at, from),
        Some(_) => {}
        None if media_type.contains_key("examples") => {}
        None => {
            media_type.insert("example".to_owned(), example.clone());
            log.add(at, from);
        }
    }
}

//! Bodies of third-party documents: selects one of the media types of a body, JSON if there is one.

use serde_json::{Map, Value};

use super::operations::each;
use super::streams::is_stream;
use crate::document::{EVENTS, FORM, essence, is_memberless};
use crate::source::Part;

/// Selects the most specific media type of a body. Any type (`*/*`) is JSON. A response keeps events beside JSON.
pub(super) fn content(part: Part, holder: &mut Map<String, Value>) {
    let Some(content) = holder.get_mut("content").and_then(Value::as_object_mut) else {
        return;
    };
    if content.is_empty() {
        holder.shift_remove("content");
        return;
    }
    let Some((name, media)) = best(content).and_then(|best| content.shift_remove_entry(&best)) else {
        return;
    };
    let essence = essence(&name);
    let name = match essence.as_str() {
        "*/*" | "application/*" | "text/json" => "application/json".to_owned(),
        _ => essence,
    };
    let mut events = content.iter().filter(|(other, _)| is_events_beside(other, &name));
    let events = events.next().filter(|_| part == Part::Response);
    let events = events.map(|(_, media)| (EVENTS.to_owned(), media.clone()));
    *content = [(name, media)].into_iter().chain(events).collect();
}

/// Returns whether a media type is that of events, beside JSON.
pub(super) fn is_events_beside(name: &str, kept: &str) -> bool {
    essence(name) == EVENTS && is_json(kept)
}

/// The media type of a body that is kept.
pub(super) fn best(content: &Map<String, Value>) -> Option<String> {
    content.keys().min_by_key(|name| rank(name)).cloned()
}

/// Returns whether the values of a media type are read as JSON.
pub(super) fn is_json(name: &str) -> bool {
    rank(name) <= 3
}

/// Returns whether a body of a media type is bytes, of which the caller knows the media type.
pub(super) fn is_bytes(name: &str) -> bool {
    rank(name) >= 7 && essence(name) != "text/plain"
}

/// Rank of a media type for generated code: the lowest is best.
fn rank(name: &str) -> usize {
    let essence = essence(name);
    match essence.as_str() {
        "application/json" => 0,
        "application/problem+json" => 1,
        essence if essence.ends_with("+json") => 2,
        "text/json" | "*/*" | "application/*" => 3,
        essence if is_stream(essence) => 4,
        "application/x-www-form-urlencoded" => 5,
        "multipart/form-data" => 6,
        "application/octet-stream" | "application/pdf" | "text/csv" | "text/plain" => 7,
        _ => 8,
    }
}

/// A status without a body has none, whatever the document declares.
pub(super) fn responses(operation: &mut Map<String, Value>) {
    for (status, response) in operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        if ["204", "205", "304"].contains(&status.as_str())
            && let Some(response) = response.as_object_mut()
        {
            response.shift_remove("content");
        }
    }
}

/// Removes a body that never has members: forms, and bodies of `get` and `head`. Nothing is sent.
pub(super) fn without_members(root: &mut Value) {
    let schemas = root["components"]["schemas"].clone();
    each(root, |_, method, operation| {
        let content = operation["requestBody"]["content"].as_object();
        let empty = content.is_some_and(|content| {
            content.iter().all(|(name, media)| {
                let target = media["schema"]["$ref"]
                    .as_str()
                    .and_then(|target| target.rsplit('/').next());
                let schema = target.map_or(&media["schema"], |name| &schemas[name]);
                (["get", "head"].contains(&method) || essence(name) == FORM) && is_memberless(schema)
            })
        });
        if empty && let Some(operation) = operation.as_object_mut() {
            operation.shift_remove("requestBody");
        }
    });
}

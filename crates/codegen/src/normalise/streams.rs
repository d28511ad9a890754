//! Streams of third-party documents: `itemSchema` is the schema of a value, and that of an event is the schema of its data.

use serde_json::{Value, json};

use crate::document::{EVENTS, LINES, essence, is_json};
use crate::source::{Part, Source, join, key_of, target, walk_at};

/// The fields of an event.
const FIELDS: [&str; 5] = ["data", "event", "id", "retry", "comment"];

/// Maximum depth of lists and unions within each other.
const DEPTH: usize = 16;

/// Returns whether a media type without parameters is one of streams of values.
pub(super) fn is_stream(essence: &str) -> bool {
    essence == EVENTS || LINES.contains(&essence)
}

/// Rewrites the schemas of streams.
pub(super) fn rewrite(source: &mut Source<'_>) {
    let (mut streams, mut items) = (Vec::new(), Vec::new());
    walk_at(Part::Document, "", &mut source.value, &mut |part, at, members| {
        let name = key_of(at.rsplit('/').next().unwrap_or_default());
        if part != Part::MediaType || !is_stream(&essence(&name)) {
            return;
        }
        if let Some(item) = members.shift_remove("itemSchema") {
            members.insert("schema".to_owned(), item);
            items.push(at.to_owned());
        }
        if essence(&name) == EVENTS {
            streams.push(join(at, "schema"));
        }
    });
    for at in items {
        let origin = source.origin(&join(&at, "itemSchema"));
        source.moved(join(&at, "schema"), origin);
    }
    for at in streams {
        let schema = source.value.pointer(&at);
        if let Some(data) = schema.and_then(|schema| data(&source.value, schema, 0))
            && let Some(schema) = source.value.pointer_mut(&at)
        {
            *schema = data;
        }
    }
}

/// The schema of the data of events, if a schema describes events, or a list of them.
fn data(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    let target = target(root, schema);
    if depth > DEPTH {
        return None;
    }
    if target["type"] == "array" {
        let items = target.get("items")?;
        return Some(data(root, items, depth + 1).unwrap_or_else(|| items.clone()));
    }
    let own = of_event(root, target);
    let choices = ["oneOf", "anyOf"].iter().find_map(|key| target[*key].as_array());
    let Some(choices) = choices else { return own };
    let mut all = Vec::new();
    for choice in choices {
        // A choice beside the fields of all events may say nothing of the data.
        let data = data(root, choice, depth + 1).or_else(|| own.clone())?;
        if !all.contains(&data) {
            all.push(data);
        }
    }
    Some(match all.as_slice() {
        [only] => only.clone(),
        all if all.contains(&text()) => text(),
        _ => json!({ "oneOf": all }),
    })
}

/// The schema of the data of an event with fields.
fn of_event(root: &Value, schema: &Value) -> Option<Value> {
    let properties = schema["properties"].as_object()?;
    if !properties.keys().all(|name| FIELDS.contains(&name.as_str())) {
        return None;
    }
    let data = properties.get("data")?;
    let field = target(root, data);
    if field["type"] != "string" {
        return Some(data.clone());
    }
    let encoded = field["contentMediaType"].as_str();
    Some(match (field.get("contentSchema"), encoded) {
        (Some(schema), None) => schema.clone(),
        (Some(schema), Some(media_type)) if is_json(&essence(media_type)) => schema.clone(),
        (None, Some(media_type)) if is_json(&essence(media_type)) => json!({}),
        _ => text(),
    })
}

fn text() -> Value {
    json!({ "type": "string" })
}

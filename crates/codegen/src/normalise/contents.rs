//! Bodies and responses of third-party documents: several media types, bodies without a schema, and `default` as the
//! only response.

use serde_json::{Map, Value, json};

use super::bodies;
use crate::diagnostic::Code;
use crate::source::{Part, Source, join, walk_at};

/// The status of any success.
const ANY_SUCCESS: &str = "2XX";

/// Rewrites the bodies of a document, and notes media types that are left out.
pub(super) fn rewrite(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let (mut several, mut defaults) = (Vec::new(), Vec::new());
    walk_at(Part::Document, "", &mut root, &mut |part, at, members| match part {
        Part::RequestBody | Part::Response => several.extend(content(part, members, at)),
        Part::Operation => defaults.extend(default_response(members, at)),
        _ => {}
    });
    source.value = root;
    for (at, message, consequence) in several {
        source.note(Code::SeveralMediaTypes, &at, message, &consequence);
    }
    for at in defaults {
        let origin = source.origin(&join(&at, "default"));
        source.moved(join(&at, ANY_SUCCESS), origin);
    }
}

/// Completes the schemas of a body. Returns the note on media types that are left out: place, message, consequence. Others
/// of the schema of a JSON body are encodings of the same values, without a note.
fn content(part: Part, holder: &mut Map<String, Value>, at: &str) -> Option<(String, String, String)> {
    let content = holder.get_mut("content")?.as_object_mut()?;
    for (name, media) in content.iter_mut() {
        let Some(media) = media.as_object_mut() else { continue };
        if !media.contains_key("schema") && bodies::is_json(name) {
            media.insert("schema".to_owned(), json!({}));
        }
    }
    let kept = bodies::best(content)?;
    let schema = content.get(&kept).map(|media| &media["schema"]);
    let is_same = |media: &Value| bodies::is_json(&kept) && Some(&media["schema"]) == schema;
    let is_events = |name: &str| part == Part::Response && bodies::is_events_beside(name, &kept);
    let others = content.iter().filter(|(name, _)| **name != kept);
    let left = others.filter(|(name, media)| is_events(name) || !is_same(media));
    let left: Vec<_> = left.map(|(name, _)| name).collect();
    let all = |is: &dyn Fn(&str) -> bool| left.iter().all(|name| is(name));
    let consequence = if all(&is_events) {
        format!("the client also reads events, by `send_events`; the server sends `{kept}` alone")
    } else if !bodies::is_bytes(&kept) || !all(&bodies::is_bytes) {
        format!("the body is sent and read as `{kept}` alone")
    } else if part == Part::Response {
        format!(
            "the client asks for `{kept}`, or for the `Accept` of a call's `header`; the server sends `{kept}` alone"
        )
    } else {
        format!(
            "the client sends `{kept}`, or the `Content-Type` of a call's `header`; the server reads `{kept}` alone"
        )
    };
    let names: Vec<_> = left.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("a body with several media types: `{kept}` and {}", names.join(", "));
    (!left.is_empty()).then(|| (join(at, "content"), message, consequence))
}

/// Makes `default` the success of an operation that declares no other response. Returns the place of the responses.
fn default_response(operation: &mut Map<String, Value>, at: &str) -> Option<String> {
    let responses = operation.get_mut("responses")?.as_object_mut()?;
    if responses.len() != 1 {
        return None;
    }
    let response = responses.shift_remove("default")?;
    responses.insert(ANY_SUCCESS.to_owned(), response);
    Some(join(at, "responses"))
}

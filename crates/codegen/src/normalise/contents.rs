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
        Part::RequestBody | Part::Response => several.extend(content(members, at)),
        Part::Operation => defaults.extend(default_response(members, at)),
        _ => {}
    });
    source.value = root;
    for (at, kept, left) in several {
        let message = format!("a body with several media types: `{kept}` and {left}");
        let consequence = format!("the body is sent and read as `{kept}` alone");
        source.note(Code::SeveralMediaTypes, &at, message, &consequence);
    }
    for at in defaults {
        let origin = source.origin(&join(&at, "default"));
        source.moved(join(&at, ANY_SUCCESS), origin);
    }
}

/// Completes the schemas of a body. Returns its place, the media type that is kept, and the others.
fn content(holder: &mut Map<String, Value>, at: &str) -> Option<(String, String, String)> {
    let content = holder.get_mut("content")?.as_object_mut()?;
    for (name, media) in content.iter_mut() {
        let Some(media) = media.as_object_mut() else { continue };
        if !media.contains_key("schema") && bodies::is_json(name) {
            media.insert("schema".to_owned(), json!({}));
        }
    }
    let kept = bodies::best(content)?;
    let left: Vec<_> = content.keys().filter(|name| **name != kept).collect();
    let left: Vec<_> = left.into_iter().map(|name| format!("`{name}`")).collect();
    (!left.is_empty()).then(|| (join(at, "content"), kept, left.join(", ")))
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

//! Bodies of requests, responses and events.

use serde_json::Value;

use super::content::{self, Sender};
use super::docs::first_paragraph;
use super::json::{resolve, text};
use super::media_type::{EVENTS, JSON, essence};
use super::{Content, ContentKind, Method, Schema, Type, form, multipart};
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, join};

/// Description of a body that the document does not describe.
const NO_DESCRIPTION: &str = "The body of the request.";

/// The body of a request.
pub(crate) struct Body {
    pub(crate) content: Content,
    pub(crate) required: bool,
    description: String,
}

impl Body {
    /// Description as one paragraph.
    pub(crate) fn line(&self) -> String {
        first_paragraph(&self.paragraphs()).unwrap_or_else(|| NO_DESCRIPTION.to_owned())
    }

    /// The paragraphs of a doc comment.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let description = rustdoc(&self.description);
        vec![if description.is_empty() {
            NO_DESCRIPTION.to_owned()
        } else {
            description
        }]
    }
}

/// The body of an operation's request.
pub(super) fn of_request(
    root: &Value,
    operation: &Value,
    method: Method,
    at: &str,
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Option<Body> {
    let value = operation.get("requestBody")?;
    let at = join(at, "requestBody");
    // Not all proxies and servers pass such a body on, but services of others read it.
    if matches!(method, Method::Get | Method::Head) && !report.is_tolerant() {
        report.error(
            Code::RequestBody,
            &at,
            format!("the request of `{}` has no body", method.key()),
            "describe the values as parameters, or write `post`",
        );
        return None;
    }
    let (value, pointer) = resolve(root, value, "requestBodies", &at);
    let mut content = content(value, &pointer, Sender::Client, report);
    if let Some((media_type, media)) = value["content"].as_object().and_then(|all| all.iter().next()) {
        let at = join(&join(&pointer, "content"), media_type);
        match &mut content.kind {
            ContentKind::Form(ty, _) => form::check(ty, media, &at, schemas, report),
            ContentKind::Multipart(ty, fields) => *fields = multipart::read(ty, media, &at, schemas, report),
            _ => {}
        }
    }
    Some(Body {
        content,
        required: value["required"] == true,
        description: text(value, "/description"),
    })
}

/// Checks the request bodies of the components, also unused ones.
pub(super) fn check_components(root: &Value, report: &mut Report<'_>) {
    let components = root.pointer("/components/requestBodies").and_then(Value::as_object);
    for (name, value) in components.into_iter().flatten() {
        content(value, &join("/components/requestBodies", name), Sender::Client, report);
    }
}

/// The content of the one media type of a request or a response.
pub(super) fn content(holder: &Value, at: &str, sender: Sender, report: &mut Report<'_>) -> Content {
    let Some((media_type, media)) = only(holder, at, JSON, report) else {
        return Content::json(Type::broken());
    };
    let at = join(&join(at, "content"), media_type);
    content::read(media_type, media, &at, sender, report)
}

/// The type of the one body of an event, or of a problem.
pub(super) fn read(holder: &Value, at: &str, wanted: &str, report: &mut Report<'_>) -> Type {
    let Some((media_type, media)) = only(holder, at, wanted, report) else {
        return Type::broken();
    };
    let at = join(&join(at, "content"), media_type);
    if media_type != wanted {
        report.error(
            Code::MediaType,
            &at,
            format!("the media type `{media_type}` is unsupported here"),
            format!("write `{wanted}`"),
        );
        return Type::broken();
    }
    content::named(media, &at, report)
}

/// The one media type of a body.
fn only<'v>(holder: &'v Value, at: &str, wanted: &str, report: &mut Report<'_>) -> Option<(&'v String, &'v Value)> {
    let content = holder["content"].as_object();
    let mut formats = content.into_iter().flatten();
    match (formats.next(), formats.next(), formats.next()) {
        (Some(only), None, None) => return Some(only),
        // The client reads either.
        (Some(json), Some((other, _)), None) if essence(other) == EVENTS && report.is_tolerant() => return Some(json),
        _ => {}
    }
    if let Some(content) = content.filter(|content| !content.is_empty()) {
        let found: Vec<_> = content.keys().map(|format| format!("`{format}`")).collect();
        let verb = if content.contains_key(wanted) { "keep" } else { "write" };
        report.error(
            Code::SeveralMediaTypes,
            &format!("{at}/content"),
            format!("a body with several media types is unsupported: {}", found.join(", ")),
            format!("{verb} only `{wanted}`"),
        );
    } else {
        report.error(
            Code::NoBody,
            at,
            "there is no body",
            format!("add `content` with `{wanted}` and its `schema`"),
        );
    }
    None
}

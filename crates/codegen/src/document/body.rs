//! Bodies of requests, responses and events.

use serde_json::Value;

use super::inline::read_type;
use super::json::{resolve, text};
use super::{Method, Type};
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, join};

/// The media type of values.
pub(super) const JSON: &str = "application/json";

/// The body of a request.
pub(crate) struct Body {
    pub(crate) ty: Type,
    pub(crate) required: bool,
    description: String,
}

impl Body {
    /// The paragraphs of a doc comment.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let description = rustdoc(&self.description);
        vec![if description.is_empty() {
            "The body of the request.".to_owned()
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
    report: &mut Report<'_>,
) -> Option<Body> {
    let value = operation.get("requestBody")?;
    let at = join(at, "requestBody");
    if method == Method::Get {
        report.error(
            Code::RequestBody,
            &at,
            "the request of `get` has no body",
            "describe the values as parameters, or write `post`",
        );
        return None;
    }
    let (value, pointer) = resolve(root, value, "requestBodies", &at);
    Some(Body {
        ty: read(value, &pointer, JSON, report),
        required: value["required"] == true,
        description: text(value, "/description"),
    })
}

/// Checks the request bodies of the components, also unused ones.
pub(super) fn check_components(root: &Value, report: &mut Report<'_>) {
    let components = root.pointer("/components/requestBodies").and_then(Value::as_object);
    for (name, value) in components.into_iter().flatten() {
        read(value, &join("/components/requestBodies", name), JSON, report);
    }
}

/// The type of the one body of a request, a response or an event.
pub(super) fn read(holder: &Value, at: &str, wanted: &str, report: &mut Report<'_>) -> Type {
    let content = holder["content"].as_object();
    let mut formats = content.into_iter().flatten();
    let (Some((format, media)), None) = (formats.next(), formats.next()) else {
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
        return Type::broken();
    };
    let at = join(&format!("{at}/content"), format);
    if format != wanted {
        report.error(
            Code::MediaType,
            &at,
            format!("the media type `{format}` is unsupported here"),
            format!("write `{wanted}`"),
        );
        return Type::broken();
    }
    if media.get("schema").is_none() {
        return Type::broken();
    }
    let schema_at = format!("{at}/schema");
    let ty = read_type(&media["schema"], &schema_at, report);
    match &ty {
        Type::Ref(_) => ty,
        Type::Array(items, _) if matches!(**items, Type::Ref(_)) => ty,
        _ => {
            report.error(
                Code::InlineBody,
                &schema_at,
                format!(
                    "a body must be a named schema, or a list of one; this one is {}",
                    ty.noun()
                ),
                "name it in `components.schemas`, and refer to it by `$ref`",
            );
            Type::broken()
        }
    }
}

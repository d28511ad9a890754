//! Content of a body, by its media type.

use serde_json::Value;

use super::inline::read_type;
use super::media_type::{BYTES, EVENTS, FORM, JSON, LINES, MULTIPART, SEQUENCE, essence, is_json};
use super::multipart::Field;
use super::{Type, form};
use crate::Code;
use crate::source::{Report, join};

/// Content of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) kind: ContentKind,
    /// The media type that is sent.
    pub(crate) media_type: String,
    /// The range of media types that are accepted, if the document has one.
    range: Option<String>,
    /// True if the secrets in it are masked.
    pub(crate) masked: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ContentKind {
    /// A JSON value.
    Json(Type),
    /// A stream of JSON values of this type, one a line or in a sequence.
    Lines(Type),
    /// A stream of events whose data are JSON values of this type, or text; in responses alone.
    Events(Option<Type>),
    /// The fields of an object, and those whose lists are written with numbers; in requests alone.
    Form(Type, Vec<String>),
    /// The parts of an object, some of which may be files; in requests alone.
    Multipart(Type, Vec<Field>),
    /// Text.
    Text,
    /// A stream of bytes.
    Bytes,
}

impl Content {
    pub(super) fn json(ty: Type) -> Self {
        Self {
            kind: ContentKind::Json(ty),
            media_type: JSON.to_owned(),
            range: None,
            masked: false,
        }
    }

    /// The type of its values, if it has any.
    pub(crate) fn ty(&self) -> Option<&Type> {
        match &self.kind {
            ContentKind::Json(ty)
            | ContentKind::Lines(ty)
            | ContentKind::Form(ty, _)
            | ContentKind::Multipart(ty, _) => Some(ty),
            ContentKind::Events(ty) => ty.as_ref(),
            ContentKind::Text | ContentKind::Bytes => None,
        }
    }

    /// The media type, or the range of them, that a reader accepts.
    pub(crate) fn accepted(&self) -> &str {
        self.range.as_ref().unwrap_or(&self.media_type)
    }

    /// Returns whether its media type is `application/json`.
    pub(crate) fn is_plain(&self) -> bool {
        self.media_type == JSON
    }

    /// Returns whether it is sent and received in parts.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(
            self.kind,
            ContentKind::Lines(_) | ContentKind::Events(_) | ContentKind::Bytes
        )
    }

    /// Returns whether its values are a sequence rather than lines.
    pub(crate) fn is_sequence(&self) -> bool {
        essence(&self.media_type) == SEQUENCE
    }
}

/// The side that sends a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    Client,
    Server,
}

/// The content of a body of one media type.
pub(super) fn read(media_type: &str, media: &Value, at: &str, sender: Sender, report: &mut Report<'_>) -> Content {
    let essence = essence(media_type);
    let named = |report: &mut Report<'_>| named(media, at, report);
    let kind = match essence.as_str() {
        json if is_json(json) => ContentKind::Json(named(report)),
        // Lines that are declared as bytes are read and written without decoding.
        lines if LINES.contains(&lines) && !is_binary(&media["schema"]) => ContentKind::Lines(named(report)),
        EVENTS if sender == Sender::Server && !is_binary(&media["schema"]) => {
            let text = media.get("schema").is_none_or(is_text);
            ContentKind::Events((!text).then(|| named(report)))
        }
        FORM if sender == Sender::Client => ContentKind::Form(named(report), form::deep(media, at, report)),
        MULTIPART if sender == Sender::Client => ContentKind::Multipart(named(report), Vec::new()),
        MULTIPART | FORM => return unsupported(media_type, at, "write `application/json`", report),
        range if report.is_tolerant() && is_range(range) => {
            let message = format!("the media type `{media_type}` is a range");
            report.note(
                Code::MediaType,
                at,
                message,
                format!("the range is accepted; `{BYTES}` is sent, or the `Content-Type` of a call's `header`"),
            );
            return Content {
                kind: ContentKind::Bytes,
                media_type: BYTES.to_owned(),
                range: Some(essence),
                masked: false,
            };
        }
        _ if essence.contains('*') || !essence.contains('/') => {
            return unsupported(
                media_type,
                at,
                "write one media type, such as `application/octet-stream`",
                report,
            );
        }
        "text/plain" => text(media, at, ContentKind::Text, report),
        _ => text(media, at, ContentKind::Bytes, report),
    };
    Content {
        kind,
        media_type: media_type.to_owned(),
        range: None,
        masked: false,
    }
}

/// Returns whether a media type is all of one kind, such as `image/*`.
fn is_range(essence: &str) -> bool {
    let kind = essence.strip_suffix("/*");
    kind.is_some_and(|kind| !kind.is_empty() && !kind.contains(['*', '/']))
}

fn unsupported(media_type: &str, at: &str, help: &str, report: &mut Report<'_>) -> Content {
    let message = format!("the media type `{media_type}` is unsupported here");
    report.error(Code::MediaType, at, message, help);
    Content::json(Type::broken())
}

/// Returns whether a schema says that its values are bytes.
fn is_binary(schema: &Value) -> bool {
    schema["type"] == "string" && schema["format"] == "binary"
}

/// Returns whether a schema is that of any text.
fn is_text(schema: &Value) -> bool {
    let mut rest = schema.as_object().into_iter().flat_map(|members| members.keys());
    schema["type"] == "string" && rest.all(|key| ["type", "title", "description"].contains(&key.as_str()))
}

/// Checks that text or bytes have no schema, or one of that kind.
fn text(media: &Value, at: &str, kind: ContentKind, report: &mut Report<'_>) -> ContentKind {
    let schema = &media["schema"];
    let format = schema["format"].as_str();
    let plain = schema["type"] == "string" && matches!(format, None | Some("binary"));
    if media.get("schema").is_some() && !plain {
        report.error(
            Code::TextSchema,
            &join(at, "schema"),
            "text and bytes have no schema of their own",
            "write `schema: {type: string}`, with `format: binary` for bytes, or `application/json` as the media type",
        );
    }
    kind
}

/// The type of a body of values.
pub(super) fn named(media: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let schema_at = join(at, "schema");
    let Some(schema) = media.get("schema") else {
        let help = "add `schema: {$ref: \"#/components/schemas/Name\"}`";
        report.error(Code::MissingKey, &schema_at, "a media type has no `schema`", help);
        return Type::broken();
    };
    let ty = read_type(schema, &schema_at, report);
    match &ty {
        _ if schema["$ref"].is_string() => ty,
        Type::Nullable(_) | Type::Secret(_) => {
            report.error(
                Code::InlineBody,
                &schema_at,
                format!(
                    "a body must be a named schema, a scalar, a list, a map or any value; this one is {}",
                    ty.noun()
                ),
                "remove null or `format: password`, or write an object with such a property",
            );
            Type::broken()
        }
        _ => ty,
    }
}

//! Media types of bodies.

/// The media type of values.
pub(super) const JSON: &str = "application/json";
/// The media type of a sequence of values (RFC 7464).
pub(crate) const SEQUENCE: &str = "application/json-seq";
/// The media types of streams of values: one a line, or a sequence.
pub(crate) const LINES: [&str; 5] = [
    SEQUENCE,
    "application/x-ndjson",
    "application/jsonl",
    "application/ndjson",
    "application/x-jsonlines",
];
/// The media type of bytes.
pub(super) const BYTES: &str = "application/octet-stream";
/// The media type of events.
pub(crate) const EVENTS: &str = "text/event-stream";
/// The media type of forms.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
/// The media type of bodies of several parts.
pub(crate) const MULTIPART: &str = "multipart/form-data";

/// Returns a media type without parameters, in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns whether a media type without parameters is one of JSON values.
pub(crate) fn is_json(essence: &str) -> bool {
    essence == JSON || essence.starts_with("application/") && essence.ends_with("+json")
}

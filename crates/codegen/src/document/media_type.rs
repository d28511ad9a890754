//! Media types of bodies.

/// The media type of values.
pub(super) const JSON: &str = "application/json";
/// The media types of values, one a line.
pub(super) const LINES: [&str; 4] = [
    "application/x-ndjson",
    "application/jsonl",
    "application/ndjson",
    "application/x-jsonlines",
];
/// The media type of forms.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";
/// The media type of bodies of several parts.
pub(super) const MULTIPART: &str = "multipart/form-data";

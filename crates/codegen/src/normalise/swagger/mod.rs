//! Converts Swagger 2.0 to OpenAPI 3.1. Each part that moves keeps its location.

mod bodies;
mod components;
mod conversion;
mod operations;
mod parameters;
mod responses;
mod schemas;
mod security;
mod servers;
mod texts;

use serde_json::Value;

use crate::source::Source;
use conversion::Conversion;

/// Rewrites the whole document, if it is one of Swagger 2.0.
pub(super) fn convert(source: &mut Source<'_>) {
    if source.value.get("swagger").is_none() {
        return;
    }
    let Value::Object(mut root) = std::mem::take(&mut source.value) else {
        return;
    };
    let mut conversion = Conversion::new(&mut root);
    let components = conversion.components(&mut root);
    root.insert("components".to_owned(), components);
    if let Some(paths) = root.get_mut("paths").and_then(Value::as_object_mut) {
        conversion.paths(paths);
    }
    if root.contains_key("x-ms-paths") {
        conversion.note(
            "/x-ms-paths",
            "`x-ms-paths` is unsupported",
            "its operations are left out",
        );
    }
    let mut root = Value::Object(root);
    schemas::convert(&mut root);
    source.value = root;
    conversion.record(source);
}

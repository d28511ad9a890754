//! Reads members and components of the raw document.

use serde_json::Value;

/// The string at a pointer, empty where there is none.
pub(super) fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The object itself, or the component that it refers to, with its pointer.
pub(crate) fn resolve<'v>(root: &'v Value, value: &'v Value, kind: &str, at: &str) -> (&'v Value, String) {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    let component = target
        .filter(|pointer| pointer.starts_with(&format!("/components/{kind}/")))
        .and_then(|pointer| Some((root.pointer(pointer)?, pointer.to_owned())));
    // A reference to anything else was already rejected.
    component.unwrap_or_else(|| (value, at.to_owned()))
}

/// The name in Rust that the document chooses for a part.
pub(super) fn rust_name(value: &Value) -> Option<String> {
    value["x-rust-name"].as_str().map(str::to_owned)
}

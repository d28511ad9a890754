//! Objects that never have members.

use serde_json::Value;

/// Returns whether a schema accepts only an object without members.
pub(crate) fn is_memberless(schema: &Value) -> bool {
    let declared = schema["properties"]
        .as_object()
        .is_some_and(|members| !members.is_empty());
    schema["additionalProperties"] == false
        && !declared
        && schema.get("allOf").is_none()
        && schema.get("oneOf").is_none()
}

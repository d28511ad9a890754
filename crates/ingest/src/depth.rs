//! Nesting depth of free-form values.

use serde_json::Value;
use wearlab_models::JsonObject;

use crate::{ExactValue, LineError};

/// Maximum levels of objects and lists of a value. Events, series and exports have up to ten more around it, and
/// readers of JSON commonly stop at 128.
const MAX_DEPTH: usize = 100;

/// Returns the error of a field that is nested deeper.
pub(crate) fn too_deep(path: impl Into<String>) -> LineError {
    LineError::new(path, format!("nesting is deeper than {MAX_DEPTH} levels"))
}

/// Returns true if a member of an object is nested deeper than the object may be.
pub(crate) fn is_too_deep(member: &ExactValue) -> bool {
    is_deeper(member, MAX_DEPTH - 1)
}

fn is_deeper(value: &ExactValue, levels: usize) -> bool {
    match value {
        ExactValue::Array(_) | ExactValue::Object(_) if levels == 0 => true,
        ExactValue::Array(values) => values.iter().any(|value| is_deeper(value, levels - 1)),
        ExactValue::Object(members) => members.iter().any(|(_, value)| is_deeper(value, levels - 1)),
        _ => false,
    }
}

/// Checks the members of a free-form object.
pub(crate) fn check(path: &str, object: &JsonObject) -> Result<(), LineError> {
    fn is_deeper(value: &Value, levels: usize) -> bool {
        match value {
            Value::Array(_) | Value::Object(_) if levels == 0 => true,
            Value::Array(values) => values.iter().any(|value| is_deeper(value, levels - 1)),
            Value::Object(members) => members.values().any(|value| is_deeper(value, levels - 1)),
            _ => false,
        }
    }
    match object.values().any(|value| is_deeper(value, MAX_DEPTH - 1)) {
        true => Err(too_deep(path)),
        false => Ok(()),
    }
}

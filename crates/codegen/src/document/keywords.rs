//! Rejects keywords that have no effect on a named schema.

use serde_json::Value;

use crate::Code;
use crate::source::{Report, join};

/// Rejects keywords that have no effect for a kind of schema: their author expected one.
pub(super) fn only(value: &Value, kind: &str, own: &[&str], at: &str, report: &mut Report<'_>) {
    const ANY: [&str; 9] = [
        "type",
        "title",
        "description",
        "examples",
        "deprecated",
        "x-deprecation",
        "x-tag",
        "x-assumption",
        "x-rust-name",
    ];
    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
        if !ANY.contains(&key.as_str()) && !own.contains(&key.as_str()) {
            report.error(
                Code::StrayKeyword,
                &join(at, key),
                format!("`{key}` has no effect on {kind}"),
                format!("remove it: {kind} may only have {}", own.join(", ")),
            );
        }
    }
}

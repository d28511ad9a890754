//! Rejects values of the wrong type.

use serde_json::Value;

use crate::Code;
use crate::source::Report;

/// Rejects a value of the wrong type. `help` replaces the default advice.
pub(super) fn wrong(
    report: &mut Report<'_>,
    at: &str,
    name: &str,
    expected: &str,
    found: &Value,
    help: Option<String>,
) {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    let help = help.unwrap_or_else(|| match found {
        Value::Null | Value::Bool(_) | Value::Number(_) if expected == "a string" => {
            format!("quote it: `\"{found}\"`")
        }
        _ => format!("write {expected}"),
    });
    let message = format!("{name} must be {expected}, not {kind}");
    report.value_error(Code::WrongKind, at, message, help);
}

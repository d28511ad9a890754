//! Names of types, and lists of a type and `"null"`.

use serde_json::Value;

use super::wrong_kind::wrong;
use crate::Code;
use crate::source::Report;
use crate::suggest;

const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

/// Returns whether a value is the name of a type.
///
/// `null` is the other half of a nullable `oneOf`; the reader of schemas rejects it elsewhere.
pub(super) fn is_name(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|name| TYPES.contains(&name) || name == "null")
}

/// Rejects a name that is not a type.
pub(super) fn unknown(report: &mut Report<'_>, at: &str, name: &str) {
    let message = format!("`{name}` is not a type");
    report.value_error(Code::UnknownType, at, message, help(name));
}

fn help(name: &str) -> String {
    if let Some((first, rest)) = name.split_once('|') {
        let names = [first.trim(), rest.trim().trim_matches('"')];
        if let [one, "null"] | ["null", one] = names {
            return format!("write `type: [{one}, \"null\"]`");
        }
    }
    let meant = match name.to_lowercase().as_str() {
        "date" => "string, format: date",
        "date-time" | "datetime" | "timestamp" => "string, format: date-time",
        "uuid" => "string, format: uuid",
        "password" => "string, format: password",
        "str" | "text" => "string",
        "int" | "long" => "integer",
        "int32" => "integer, format: int32",
        "int64" => "integer, format: int64",
        "float" | "double" | "decimal" => "number",
        "bool" => "boolean",
        "list" => "array",
        "map" | "dict" => "object",
        _ => return suggest::advice(name, TYPES),
    };
    format!("write `type: {}`", meant.replace(", ", "` and `"))
}

/// Rejects a list of types that is not one and `"null"`.
pub(super) fn check_list(report: &mut Report<'_>, at: &str, list: &Value) {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !is_name(item)) {
        let at = format!("{at}/{index}");
        match item.as_str() {
            Some(name) => unknown(report, &at, name),
            None => wrong(
                report,
                &at,
                &format!("item {} of `type`", index + 1),
                "a string",
                item,
                None,
            ),
        }
    }
    if !items.iter().all(is_name) {
        return;
    }
    let types: Vec<_> = items
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| *name != "null")
        .collect();
    let (message, help) = match (types.as_slice(), items) {
        ([_], _) => return,
        _ => {
            let message = format!("a value of several types is unsupported: this list has {}", items.len());
            (message, "keep one; only `\"null\"` may follow it".to_owned())
        }
    };
    report.value_error(Code::WrongKind, at, message, help);
}

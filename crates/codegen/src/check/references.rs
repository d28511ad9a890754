//! Every `$ref` leads to a component of the kind that belongs there.

use serde_json::Value;

use crate::source::{Report, Source, join};

/// Checks the `$ref` of the object at `pointer`, where a component of the kind `wanted` belongs.
pub(super) fn check(source: &Source<'_>, report: &mut Report<'_>, pointer: &str, target: &Value, wanted: &str) {
    let at = join(pointer, "$ref");
    let Some(target) = target.as_str() else {
        return report.value_error(&at, "`$ref` must be a string", "write a string");
    };
    let place = target
        .strip_prefix("#/components/")
        .and_then(|rest| rest.split_once('/'));
    let Some((kind, name)) = place else {
        return report.value_error(
            &at,
            format!("`{target}` leads out of the document's components"),
            "write `#/components/schemas/Name` (or parameters, responses, headers)",
        );
    };
    if kind != wanted {
        return report.value_error(
            &at,
            format!("`{target}` is no {wanted} component"),
            format!("here belongs `#/components/{wanted}/Name`"),
        );
    }
    let components = source
        .value
        .pointer(&format!("/components/{kind}"))
        .and_then(Value::as_object);
    if !components.is_some_and(|c| c.contains_key(name)) {
        let known: Vec<_> = components
            .into_iter()
            .flat_map(|c| c.keys())
            .map(String::as_str)
            .collect();
        report.value_error(
            &at,
            format!("`{target}` does not exist"),
            format!("there are: {}", known.join(", ")),
        );
    } else if let Some(next) = source.value.pointer(&format!("/components/{kind}/{name}/$ref")) {
        report.value_error(
            &at,
            format!("`{target}` is itself only a reference"),
            format!("refer to {next} directly"),
        );
    }
}

//! Every `$ref` leads to a component of the kind that belongs there.

use serde_json::Value;

use crate::source::{Report, Source, join};

pub(super) fn check(source: &Source<'_>, report: &mut Report<'_>) {
    visit(source, report, "", &source.value);
}

fn visit(source: &Source<'_>, report: &mut Report<'_>, pointer: &str, value: &Value) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(source, report, &format!("{pointer}/{index}"), item);
            }
        }
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref") {
                one(source, report, pointer, target);
            }
            for (key, member) in members {
                // Examples and defaults hold data, in which `$ref` means nothing.
                if !matches!(key.as_str(), "example" | "examples" | "default") {
                    visit(source, report, &join(pointer, key), member);
                }
            }
        }
        _ => {}
    }
}

fn one(source: &Source<'_>, report: &mut Report<'_>, pointer: &str, target: &str) {
    let at = join(pointer, "$ref");
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
    let wanted = kind_at(pointer);
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

/// Which components may stand at a place, told from the keys that lead there.
fn kind_at(pointer: &str) -> &'static str {
    let mut steps = pointer.rsplit('/');
    let (last, before) = (steps.next().unwrap_or(""), steps.next().unwrap_or(""));
    match (before, last) {
        ("properties", _) => "schemas",
        ("parameters", _) => "parameters",
        ("responses", _) => "responses",
        ("headers", _) => "headers",
        _ => "schemas",
    }
}

//! The table of choices: every `x-assumption` of the document, in its order.

use serde_json::Value;

use crate::source::{Source, join};

/// A Markdown table, a row each choice.
pub(crate) fn assumptions(source: &Source<'_>) -> String {
    let mut rows = Vec::new();
    collect(&source.value, "", &mut rows);
    let mut table = String::from("| where | choice |\n|---|---|\n");
    for (place, why) in rows {
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        table.push_str(&format!("| {place} | {why} |\n"));
    }
    table
}

fn collect(value: &Value, pointer: &str, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            if let Some(why) = members.get("x-assumption").and_then(Value::as_str) {
                rows.push((place(pointer, members), why.to_owned()));
            }
            for (key, member) in members {
                if !matches!(key.as_str(), "example" | "examples" | "default") {
                    collect(member, &join(pointer, key), rows);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &format!("{pointer}/{index}"), rows);
            }
        }
        _ => {}
    }
}

/// A place as people call it: `User.team_id`, `GET /v2/user/`, `limit of GET /v2/user/`.
fn place(pointer: &str, members: &serde_json::Map<String, Value>) -> String {
    let steps: Vec<_> = pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .collect();
    let steps: Vec<_> = steps.iter().map(String::as_str).collect();
    let parameter = members.get("in").and(members.get("name")).and_then(Value::as_str);
    match steps.as_slice() {
        ["paths", path, "get", "parameters", ..] => {
            format!("`{}` of `GET {path}`", parameter.unwrap_or("parameter"))
        }
        ["paths", path, "get", "responses", status] => format!("answer {status} of `GET {path}`"),
        ["paths", path, ..] => format!("`GET {path}`"),
        ["webhooks", event_type, ..] => format!("event `{event_type}`"),
        ["components", "schemas", name, "properties", property, ..] => format!("`{name}.{property}`"),
        ["components", "schemas", name, ..] => format!("`{name}`"),
        ["components", "parameters", name, ..] => format!("parameter `{}`", parameter.unwrap_or(name)),
        ["components", "responses", name, ..] => format!("answer `{name}`"),
        ["components", "securitySchemes", name, ..] => format!("credential `{name}`"),
        _ => format!("`{pointer}`"),
    }
}

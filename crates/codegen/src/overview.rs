//! The table of assumptions: every `x-assumption` of the document, in its order.

use serde_json::Value;

use crate::document::Method;
use crate::rustdoc::code_span;
use crate::source::{Source, join, key_of};

/// A Markdown table, one row per assumption.
pub(crate) fn assumptions(source: &Source<'_>) -> String {
    let mut rows = Vec::new();
    collect(&source.value, "", false, &mut rows);
    let mut table = String::from("| where | assumption |\n|---|---|\n");
    for (location, why) in rows {
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        table.push_str(&format!("| {location} | {why} |\n"));
    }
    table
}

/// Objects whose keys are names from the document.
const NAMED: [&str; 10] = [
    "content",
    "headers",
    "paths",
    "properties",
    "requestBodies",
    "responses",
    "schemas",
    "securitySchemes",
    "variables",
    "webhooks",
];

/// Collects the assumptions. `named` is true if the keys of `value` are names.
fn collect(value: &Value, pointer: &str, named: bool, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            let why = members.get("x-assumption").filter(|_| !named).and_then(Value::as_str);
            if let Some(why) = why {
                rows.push((location(pointer, members), why.to_owned()));
            }
            for (key, member) in members {
                // Examples and defaults hold data, where the keyword has no meaning.
                if named || !matches!(key.as_str(), "example" | "examples" | "default") {
                    // `parameters` is an object among the components, and a list elsewhere.
                    let names = NAMED.contains(&key.as_str()) || key == "parameters" && member.is_object();
                    collect(member, &join(pointer, key), !named && names, rows);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, &format!("{pointer}/{index}"), false, rows);
            }
        }
        _ => {}
    }
}

/// A readable name of a location: `User.team_id`, `GET /v2/user/`, `limit of GET /v2/user/`.
fn location(pointer: &str, members: &serde_json::Map<String, Value>) -> String {
    let steps: Vec<_> = pointer.split('/').skip(1).map(key_of).collect();
    let steps: Vec<_> = steps.iter().map(String::as_str).collect();
    let parameter = members.get("in").and(members.get("name")).and_then(Value::as_str);
    let endpoint = |path: &str, key: &str| {
        let method = Method::of_key(key).map(Method::name);
        code_span(&method.map_or(path.to_owned(), |method| format!("{method} {path}")))
    };
    let location = match steps.as_slice() {
        ["paths", path, key @ "parameters", ..] | ["paths", path, key, "parameters", ..] => {
            format!(
                "{} of {}",
                code_span(parameter.unwrap_or("parameter")),
                endpoint(path, key)
            )
        }
        ["paths", path, key, "responses", status] => format!("response {status} of {}", endpoint(path, key)),
        ["paths", path, key, "requestBody"] => format!("body of {}", endpoint(path, key)),
        ["servers", .., variable] | ["paths", _, "servers", .., variable] => {
            format!("server variable {}", code_span(variable))
        }
        ["paths", path] => code_span(path),
        ["paths", path, key, ..] => endpoint(path, key),
        ["webhooks", event_type, ..] => format!("event {}", code_span(event_type)),
        ["components", "schemas", name, "properties", property, ..] => code_span(&format!("{name}.{property}")),
        ["components", "schemas", name, ..] => code_span(name),
        ["components", "parameters", name, ..] => format!("parameter {}", code_span(parameter.unwrap_or(name))),
        ["components", "responses", name, ..] => format!("response {}", code_span(name)),
        ["components", "securitySchemes", name, ..] => format!("credential {}", code_span(name)),
        _ => code_span(pointer),
    };
    location.replace('|', "\\|")
}

//! Samples with `requests`.

use serde_json::Value;

use super::call::{Body, Call, Kind, LINES_FILE};

pub(super) fn write(call: &Call<'_>) -> String {
    let mut parts = vec![format!("f\"{{os.environ['{}']}}{}\"", call.url_variable(), call.path)];
    if !call.query.is_empty() {
        let query: Vec<_> = call
            .query
            .iter()
            .map(|(name, value)| format!("{}: {}", text(name), text(value)))
            .collect();
        parts.push(format!("params={{{}}}", query.join(", ")));
    }
    let mut headers: Vec<_> = call
        .credentials
        .iter()
        .map(|(header, variable)| format!("\"{header}\": os.environ[\"{variable}\"]"))
        .collect();
    if let Some(Body::Lines(kind)) = &call.body {
        headers.push(format!("\"content-type\": \"{kind}\""));
    }
    parts.push(format!("headers={{{}}}", headers.join(", ")));
    match &call.body {
        None => {}
        Some(Body::Json(value)) => parts.push(format!("json={}", literal(value, 4))),
        Some(Body::Lines(_)) => parts.push(format!("data=open(\"{LINES_FILE}\", \"rb\")")),
    }
    if matches!(call.response, Kind::Lines | Kind::File) {
        parts.push("stream=True".to_owned());
    }
    parts.push("timeout=30".to_owned());
    let method = call.operation.method;
    let read = match call.response {
        Kind::Nothing => "".to_owned(),
        Kind::Json => "\nprint(response.json())".to_owned(),
        Kind::Lines => "\nfor line in response.iter_lines():\n    print(line.decode())".to_owned(),
        Kind::File => format!(
            "\nwith open(\"{}\", \"wb\") as file:\n    for part in response.iter_content(65536):\n        file.write(part)",
            call.file()
        ),
    };
    format!(
        "\
import os

import requests

response = requests.{method}(
    {},
)
response.raise_for_status(){read}",
        parts.join(",\n    ")
    )
}

/// Formats a value as a Python literal, in lines.
fn literal(value: &Value, indent: usize) -> String {
    let inner = " ".repeat(indent + 4);
    let end = " ".repeat(indent);
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(string) => text(string),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| format!("{inner}{},\n", literal(item, indent + 4)))
                .collect();
            format!("[\n{}{end}]", items.concat())
        }
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, item)| format!("{inner}{}: {},\n", text(name), literal(item, indent + 4)))
                .collect();
            format!("{{\n{}{end}}}", members.concat())
        }
    }
}

/// Quotes a text. Escapes of JSON are valid in Python, except surrogate pairs, which are not escaped here.
fn text(string: &str) -> String {
    Value::from(string).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn values_are_written_as_python_reads_them() {
        let value = json!({"a": [true, null], "b": {}, "c": "d\n"});
        let written = "{\n    \"a\": [\n        True,\n        None,\n    ],\n    \"b\": {},\n    \"c\": \"d\\n\",\n}";
        assert_eq!(super::literal(&value, 0), written);
    }
}

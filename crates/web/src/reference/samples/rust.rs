//! Samples with the generated client. Its methods have the names of the document.

use serde_json::Value;

use super::super::schema;
use super::call::{Body, Call, Kind, LINES_FILE, pretty};

pub(super) fn write(call: &Call<'_>) -> String {
    let document = call.operation.document;
    let mut arguments: Vec<String> = call
        .arguments
        .iter()
        .map(|(parameter, value)| {
            let is_text = parameter.schema["format"].is_null() && schema::kind(document, parameter.schema) == "string";
            let open = !parameter.schema["$ref"].is_string() || !document.resolve(parameter.schema)["enum"].is_array();
            match is_text && open {
                true => literal(value),
                // An id, or a value of a closed enum.
                false => match parameter.schema["$ref"]
                    .as_str()
                    .and_then(|name| name.rsplit('/').next())
                {
                    Some(name) => format!("{}.parse::<wearlab_client::models::{name}>()?", literal(value)),
                    None => format!("{}.parse()?", literal(value)),
                },
            }
        })
        .collect();
    let mut lines = Vec::new();
    match &call.body {
        None => {}
        Some(Body::Json(value)) => {
            let json = pretty(value, 4);
            lines.push(format!(
                "let body = serde_json::from_value(serde_json::json!({json}))?;"
            ));
        }
        Some(Body::Lines(_)) => lines.push(format!("let body = std::fs::read(\"{LINES_FILE}\")?;")),
    }
    let mut setters = "";
    match (&call.body, call.operation.requires_body()) {
        (None, _) => {}
        (Some(_), true) => arguments.push("body".to_owned()),
        (Some(_), false) => setters = ".body(body)",
    }
    let deprecated = match call.operation.is_deprecated() {
        true => "#[allow(deprecated)]\n    ",
        false => "",
    };
    let (id, arguments) = (call.operation.id(), arguments.join(", "));
    let called = format!("client.{id}({arguments}){setters}.send().await?");
    match call.response {
        Kind::Nothing => lines.push(format!("{deprecated}{called};")),
        Kind::Json => {
            lines.push(format!("{deprecated}let response = {called};"));
            lines.push("println!(\"{:?}\", response.into_inner());".to_owned());
        }
        Kind::Lines if is_bytes(call) => {
            lines.push(format!("let mut bytes = {called}.into_inner();"));
            lines.push("while let Some(bytes) = bytes.try_next().await? {".to_owned());
            lines.push("    print!(\"{}\", String::from_utf8_lossy(&bytes));".to_owned());
            lines.push("}".to_owned());
        }
        Kind::Lines => {
            lines.push(format!("let mut lines = {called}.into_inner();"));
            lines.push("while let Some(line) = lines.try_next().await? {".to_owned());
            lines.push("    println!(\"{line:?}\");".to_owned());
            lines.push("}".to_owned());
        }
        Kind::File => {
            lines.push(format!("let mut bytes = {called}.into_inner();"));
            lines.push(format!("let mut file = std::fs::File::create(\"{}\")?;", call.file()));
            lines.push("while let Some(bytes) = bytes.try_next().await? {".to_owned());
            lines.push("    std::io::Write::write_all(&mut file, &bytes)?;".to_owned());
            lines.push("}".to_owned());
        }
    }
    let body = lines.join("\n    ");
    format!(
        "\
use wearlab_client::Client;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let client = Client::from_env()?;
    {body}
    Ok(())
}}"
    )
}

/// Returns whether lines are bytes, since the document does not define their schema.
fn is_bytes(call: &Call<'_>) -> bool {
    let success = call.operation.successes().next().map(|(_, response)| response);
    let content = success.and_then(|response| call.operation.document.contents(response).next());
    content.is_some_and(|content| content.schema["$ref"].is_null())
}

fn literal(text: &str) -> String {
    Value::from(text).to_string()
}

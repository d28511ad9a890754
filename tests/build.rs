//! Lists the models, which are the schemas of the served document, for `src/fuzz/models.rs`, and a call of each operation
//! that reads JSON, for `end_to_end/older_and_newer.rs`.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

const DOCUMENT: &str = "../crates/server/src/generated/openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    let document: Value = serde_json::from_str(&fs::read_to_string(DOCUMENT)?)?;
    let directory = env::var("OUT_DIR")?;
    let directory = Path::new(&directory);
    fs::write(directory.join("models.rs"), models(&document)?)?;
    Ok(fs::write(directory.join("calls.rs"), calls(&document)?)?)
}

fn models(document: &Value) -> Result<String, Box<dyn Error>> {
    let schemas = document["components"]["schemas"].as_object().ok_or("no schemas")?;
    // The known values of an open enum have a schema of their own, for third-party tools.
    let known: BTreeSet<_> = schemas
        .values()
        .filter_map(|schema| schema["anyOf"][0]["$ref"].as_str()?.rsplit('/').next())
        .collect();
    let names = schemas.keys().map(String::as_str).filter(|name| !known.contains(name));
    Ok(format!("models![{}]", names.collect::<Vec<_>>().join(", ")))
}

/// Returns the calls, `operation(argument, ...)`, with a value for each required parameter.
fn calls(document: &Value) -> Result<String, Box<dyn Error>> {
    let mut calls = Vec::new();
    for item in document["paths"].as_object().ok_or("no paths")?.values() {
        let get = &item["get"];
        let content = get["responses"]["200"]["content"].as_object();
        let kinds = content.into_iter().flat_map(|content| content.keys());
        if !kinds
            .into_iter()
            .any(|kind| kind == "application/json" || kind.ends_with("+json"))
        {
            continue;
        }
        let id = get["operationId"].as_str().ok_or("an operation without an id")?;
        let parameters = [&item["parameters"], &get["parameters"]];
        let parameters = parameters.into_iter().filter_map(Value::as_array).flatten();
        let arguments: Result<Vec<_>, _> = parameters
            .map(|parameter| resolved(document, parameter))
            .filter(|parameter| parameter["required"] == true)
            .map(|parameter| argument(document, &parameter["schema"]).ok_or(format!("{id}: {parameter}: no value")))
            .collect();
        calls.push(format!("{id}({})", arguments?.join(", ")));
    }
    Ok(format!("calls! {{ {} }}", calls.join(", ")))
}

/// Returns an expression of a value of a parameter.
fn argument(document: &Value, schema: &Value) -> Option<String> {
    let described = resolved(document, schema);
    if let Some(value) = described["enum"][0].as_str() {
        let name = schema["$ref"].as_str()?.rsplit('/').next()?;
        return Some(format!(
            "{value:?}.parse::<wearlab_models::{name}>().expect(\"a value\")"
        ));
    }
    let argument = match described["format"].as_str() {
        Some("uuid") => "wearlab_models::Uuid::nil()",
        _ => "\"any\"",
    };
    Some(argument.to_owned())
}

/// Returns the target of a reference, or the value itself.
fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let target = value["$ref"].as_str().and_then(|target| document.pointer(&target[1..]));
    target.unwrap_or(value)
}

//! Conversion of the document for progenitor: OpenAPI 3.0.3, with all types and without unsupported features.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Methods of operations.
const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];

/// Keywords that only 3.1 has, or that are for readers and other tools.
const LEFT_OUT: [&str; 4] = ["examples", "example", "propertyNames", "deprecated"];

/// Returns the converted document.
pub(crate) fn document() -> Result<Value> {
    let mut document: Value = serde_json::from_str(wearlab_server::OPENAPI_JSON)?;
    document["openapi"] = json!("3.0.3");
    let whole = document.as_object_mut().context("no document")?;
    whole.retain(|name, _| ["openapi", "info", "paths", "components"].contains(&name.as_str()));
    document["info"] = json!({"title": document["info"]["title"], "version": document["info"]["version"]});
    let components = document["components"].as_object_mut().context("no components")?;
    components.retain(|name, _| name == "schemas" || name == "parameters");
    known_values(&mut document["components"]["schemas"]);
    each(&mut document["components"]["schemas"], schema);
    each(&mut document["components"]["parameters"], parameter);
    let paths = document["paths"].as_object_mut().context("no paths")?;
    paths.retain(|_, path| path.get("get").is_some());
    each(&mut document["paths"], |path| {
        let Some(path) = path.as_object_mut() else { return };
        path.retain(|name, part| name == "parameters" || METHODS.contains(&name.as_str()) && takes_json(part));
        parameters(path);
        for (_, part) in path.iter_mut().filter(|(name, _)| *name != "parameters") {
            operation(part);
        }
    });
    Ok(document)
}

/// Removes the enums behind open enums, whose values are in `x-extensible-enum`.
fn known_values(schemas: &mut Value) {
    let Some(schemas) = schemas.as_object_mut() else { return };
    let behind: Vec<_> = schemas
        .values_mut()
        .filter_map(|schema| schema.as_object_mut()?.remove("anyOf"))
        .filter_map(|choices| Some(choices[0]["$ref"].as_str()?.rsplit('/').next()?.to_owned()))
        .collect();
    schemas.retain(|name, _| !behind.contains(name));
}

fn each(values: &mut Value, work: impl Fn(&mut Value)) {
    for value in values.as_object_mut().into_iter().flat_map(Map::values_mut) {
        work(value);
    }
}

/// Returns whether an operation has no body, or a JSON body: progenitor does not support lines.
fn takes_json(operation: &Value) -> bool {
    let body = &operation["requestBody"];
    body.is_null() || !body["content"]["application/json"].is_null()
}

fn operation(operation: &mut Value) {
    let Some(fields) = operation.as_object_mut() else {
        return;
    };
    let kept = [
        "operationId",
        "summary",
        "description",
        "parameters",
        "requestBody",
        "responses",
    ];
    fields.retain(|name, _| kept.contains(&name.as_str()));
    parameters(fields);
    if let Some(body) = fields.get_mut("requestBody") {
        let mut type_of = body["content"]["application/json"]["schema"].take();
        schema(&mut type_of);
        *body = json!({ "required": true, "content": { "application/json": { "schema": type_of } } });
    }
    // Keeps the first success: progenitor has one type for all.
    let Some(responses) = operation["responses"].as_object_mut() else {
        return;
    };
    let mut seen = false;
    responses.retain(|status, _| status.starts_with('2') && !std::mem::replace(&mut seen, true));
    each(&mut operation["responses"], |response| {
        if let Some(response) = response.as_object_mut() {
            response.retain(|name, _| name == "description" || name == "content");
        }
        if let Some(content) = response.get_mut("content") {
            each(content, |media| {
                let mut body = media["schema"].take();
                schema(&mut body);
                *media = json!({ "schema": body });
            });
        }
    });
}

fn parameters(of: &mut Map<String, Value>) {
    for value in of
        .get_mut("parameters")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        parameter(value);
    }
}

fn parameter(parameter: &mut Value) {
    let Some(fields) = parameter.as_object_mut() else {
        return;
    };
    fields.retain(|name, _| !name.starts_with("x-") && !LEFT_OUT.contains(&name.as_str()));
    if let Some(given) = fields.get_mut("schema") {
        schema(given);
    }
}

fn schema(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if let Some(values) = fields.remove("x-extensible-enum") {
        fields.insert("type".into(), json!("string"));
        fields.insert("enum".into(), values);
    }
    if let Some(value) = fields.remove("const") {
        fields.insert("enum".into(), json!([value]));
    }
    fields.retain(|name, _| !name.starts_with("x-") && !LEFT_OUT.contains(&name.as_str()));
    if fields.contains_key("$ref") {
        fields.retain(|name, _| name == "$ref");
    }
    let not_null = |values: &Value| {
        values
            .as_array()
            .and_then(|values| values.iter().find(|value| *value != "null").cloned())
    };
    if let Some(only) = fields.get("type").and_then(not_null) {
        fields.insert("type".into(), only);
        fields.insert("nullable".into(), json!(true));
    }
    if let Some(Value::Array(choices)) = fields.remove("oneOf") {
        let named: Vec<_> = choices
            .iter()
            .filter(|choice| choice["type"] != "null")
            .cloned()
            .collect();
        if named.len() < choices.len() {
            fields.insert("nullable".into(), json!(true));
        }
        let combined = if named.len() == 1 { "allOf" } else { "oneOf" };
        fields.insert(combined.into(), json!(named));
    }
    for name in ["oneOf", "allOf"] {
        for choice in fields.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
            self::schema(choice);
        }
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(name) {
            self::schema(inner);
        }
    }
    if let Some(properties) = fields.get_mut("properties") {
        each(properties, self::schema);
    }
}

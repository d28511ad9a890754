//! Forms of parameters and headers: each is kept, with the nearest type.

use serde_json::{Value, json};
use wearlab_codegen::Measure;

use super::{coverage, document, generated};

/// An operation with one more parameter, and a schema of each kind to refer to.
fn with_parameter(parameter: &Value) -> String {
    let id = json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    // Another form of the parameter in the path.
    let parameters = if parameter["name"] == "id" {
        json!([parameter])
    } else {
        json!([id, parameter])
    };
    let operation = json!({
        "operationId": "getThing",
        "parameters": parameters,
        "responses": { "204": { "description": "" } },
    });
    let schemas = json!({
        "Name": { "type": "string", "maxLength": 9 },
        "NameOrId": { "oneOf": [
            { "title": "id", "allOf": [{ "type": "string", "format": "uuid" }] },
            { "title": "name", "allOf": [{ "$ref": "#/components/schemas/Name" }] },
        ] },
        "Order": { "oneOf": [
            { "description": "Up.", "type": "string", "enum": ["up"] },
            { "description": "Down.", "type": "string", "enum": ["down"] },
        ] },
        "Kind": { "type": "string", "enum": ["a", "b"] },
        "Range": { "type": "object", "properties": { "gt": { "type": "integer" } } },
        "Nested": { "type": "object", "properties": { "inner": { "$ref": "#/components/schemas/Range" } } },
    });
    document(&operation, &json!({ "schemas": schemas }))
}

/// The forms of a parameter, each with the type of its field in the server.
fn forms() -> Vec<(Value, &'static str)> {
    let query = |schema: Value| json!({ "name": "p", "in": "query", "schema": schema });
    let with = |extra: Value| {
        let mut parameter = query(json!({ "type": "string" }));
        for (key, value) in extra.as_object().into_iter().flatten() {
            parameter[key] = value.clone();
        }
        parameter
    };
    let named = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let deep =
        |schema: Value| json!({ "name": "p", "in": "query", "style": "deepObject", "explode": true, "schema": schema });
    vec![
        // Keywords that cannot be honoured.
        (
            query(json!({ "type": "string", "uniqueItems": true })),
            "Option<String>",
        ),
        (query(json!({ "type": "boolean", "uniqueItems": true })), "Option<bool>"),
        (
            query(json!({ "type": "string", "format": "uuid", "pattern": "^.{36}$" })),
            "Option<Uuid>",
        ),
        (
            query(json!({ "type": "string", "format": "date", "maxLength": 10 })),
            "Option<NaiveDate>",
        ),
        (query(json!({ "type": "string", "format": "emial" })), "Option<String>"),
        (query(json!({ "type": "string", "pattern": "(?=a)" })), "Option<String>"),
        (query(json!({ "type": "integer", "maximum": 1e20 })), "Option<i64>"),
        (query(json!({ "type": "integer", "minimum": 0.5 })), "Option<i64>"),
        (query(json!({ "type": "integer", "format": "int128" })), "Option<i64>"),
        (query(json!({ "type": "integer", "default": "ten" })), "Option<i64>"),
        (
            query(json!({ "type": "string", "nullable": true, "default": null })),
            "Option<String>",
        ),
        (
            query(json!({ "type": "string", "title": "P", "example": "x", "examples": ["x"] })),
            "Option<String>",
        ),
        (
            query(json!({ "type": "string", "x-order": 1, "not": { "enum": ["x"] } })),
            "Option<String>",
        ),
        (query(json!({ "type": "string", "minLength": "1" })), "Option<String>"),
        (
            query(json!({ "type": "string", "format": "password" })),
            "Option<String>",
        ),
        (
            with(json!({ "allowEmptyValue": true, "allowReserved": true, "x-position": 3 })),
            "Option<String>",
        ),
        (
            with(json!({ "example": 1, "examples": { "one": { "value": "x" } }, "type": "string" })),
            "Option<String>",
        ),
        (with(json!({ "style": "deepObject" })), "Option<String>"),
        (with(json!({ "style": "simple", "explode": true })), "Option<String>"),
        (
            with(json!({ "required": true, "schema": { "type": "integer", "default": 1 } })),
            "i64",
        ),
        // Null beside a type.
        (
            query(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "title": "P" })),
            "Option<String>",
        ),
        (
            query(json!({ "oneOf": [{ "type": "integer" }, { "type": "null" }] })),
            "Option<i64>",
        ),
        (
            query(json!({ "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }] })),
            "Option<NaiveDate>",
        ),
        (
            query(json!({ "anyOf": [named("Kind"), { "type": "null" }] })),
            "Option<models::Kind>",
        ),
        (
            query(json!({ "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "null" }] })),
            "Vec<String>",
        ),
        (
            query(json!({ "nullable": true, "allOf": [named("Kind")] })),
            "Option<models::Kind>",
        ),
        (
            query(json!({ "allOf": [named("Kind")], "default": "a" })),
            "models::Kind",
        ),
        // Several types.
        (query(named("NameOrId")), "Option<String>"),
        (query(named("Order")), "Option<models::Order>"),
        (
            query(json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] })),
            "Option<String>",
        ),
        (query(json!({ "type": ["string", "integer"] })), "Option<String>"),
        (
            query(json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })),
            "Vec<String>",
        ),
        (query(json!({})), "Option<String>"),
        (query(json!({ "const": 1 })), "Option<String>"),
        // Lists.
        (
            query(json!({ "type": "array", "items": { "type": "string", "enum": ["a", "b"] }, "default": ["a"] })),
            "Vec<",
        ),
        (query(json!({ "type": "array" })), "Vec<String>"),
        (
            query(json!({ "type": "array", "items": { "type": "array", "items": { "type": "integer" } } })),
            "Vec<String>",
        ),
        (
            query(json!({ "type": "array", "items": named("NameOrId") })),
            "Vec<String>",
        ),
        (
            deep(json!({ "type": "array", "items": { "type": "string" } })),
            "Vec<String>",
        ),
        // Objects.
        (deep(named("Range")), "Option<models::Range>"),
        (deep(named("Nested")), "Option<BTreeMap<String, String>>"),
        (
            deep(json!({ "anyOf": [named("Range"), { "type": "integer" }] })),
            "Option<BTreeMap<String, String>>",
        ),
        (
            json!({ "name": "p", "in": "query", "content": { "application/json": { "schema": named("Nested") } } }),
            "Option<models::Nested>",
        ),
        (
            json!({ "name": "p", "in": "query", "content": { "text/csv": { "schema": { "type": "string" } } } }),
            "Option<String>",
        ),
        // Other places.
        (
            json!({ "name": "X-P", "in": "header", "schema": named("NameOrId") }),
            "Option<String>",
        ),
        (
            json!({ "name": "X-P", "in": "header", "schema": named("Range") }),
            "Option<String>",
        ),
        (
            json!({ "name": "X-P", "in": "header", "content": { "application/json": { "schema": named("Range") } } }),
            "Option<String>",
        ),
        (
            json!({ "name": "p", "in": "cookie", "schema": named("Range") }),
            "Option<String>",
        ),
        (
            json!({ "name": "p", "in": "cookie", "schema": { "type": "string", "uniqueItems": true } }),
            "Option<String>",
        ),
        (
            json!({ "name": "id", "in": "path", "required": true, "schema": named("NameOrId") }),
            "String",
        ),
        (
            json!({ "name": "id", "in": "path", "schema": { "type": "string" } }),
            "String",
        ),
        (
            json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "integer", "default": 1 } }),
            "i64",
        ),
    ]
}

#[test]
fn each_form_of_a_parameter_is_kept() {
    let mut lost = Vec::new();
    for (parameter, expected) in forms() {
        let generated = generated(&with_parameter(&parameter));
        let coverage = coverage(&generated);
        let whole = coverage.share(Measure::Whole).kept == 1;
        let name = parameter["name"].as_str().unwrap_or_default();
        let field = format!("pub {}: ", name.to_lowercase().replace('-', "_"));
        let server = generated
            .files
            .iter()
            .filter(|file| file.path.starts_with("crates/server/"));
        let mut lines = server.flat_map(|file| file.text.lines()).map(str::trim);
        let found = lines.find(|line| line.starts_with(&field));
        if !whole || !found.is_some_and(|line| line.contains(expected)) {
            let notes = generated.notes.grouped();
            lost.push(format!(
                "{parameter}: {expected} is not {found:?}; {:?}\n{notes}",
                coverage.missing
            ));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn each_form_of_a_header_is_kept() {
    let headers = json!({
        "X-Plain": { "schema": { "type": "string", "uniqueItems": true }, "style": "simple" },
        "X-List": { "schema": { "type": "array", "items": { "type": "string" } } },
        "X-Object": { "schema": { "type": "object", "properties": { "a": { "type": "string" } } } },
        "X-Either": { "schema": { "anyOf": [{ "type": "integer" }, { "type": "string" }] } },
        "X-Shared": { "$ref": "#/components/headers/X-Shared" },
        "Content-Type": { "schema": { "type": "string" } },
    });
    let shared = json!({ "headers": {
        "X-Shared": { "schema": { "type": "integer", "maximum": 1e20 } },
        "Unused": { "schema": { "type": "array", "items": {} } },
    } });
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "204": { "description": "", "headers": headers } },
    });
    let generated = generated(&document(&operation, &shared));
    let kept = coverage(&generated).share(Measure::Headers);
    assert_eq!((kept.kept, kept.all), (5, 5), "{}", generated.notes);
}

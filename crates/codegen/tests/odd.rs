//! Odd documents: valid ones that authors seldom write, and parts that no author should, never crash the generator.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use wearlab_codegen::{Error, Input, Profile};

/// A document of one operation that returns the schema `Odd`, and takes it as its body.
fn with_schema(schema: &Value) -> Value {
    let reference = json!({ "$ref": "#/components/schemas/Odd" });
    let body = json!({ "application/json": { "schema": reference } });
    let mut odd = schema.clone();
    if let Some(odd) = odd.as_object_mut() {
        odd.insert("x-tag".to_owned(), json!("odds"));
    }
    document(
        json!({
            "post": {
                "operationId": "make_odd",
                "summary": "Makes one",
                "tags": ["odds"],
                "security": [],
                "requestBody": { "required": true, "content": body },
                "responses": { "200": { "description": "One.", "content": body } }
            }
        }),
        json!({
            "Odd": odd,
            "Other": { "x-tag": "odds", "type": "object", "required": ["kind"], "properties": {
                "kind": { "type": "string" }, "size": { "type": "integer" } } },
            "Kind": { "x-tag": "odds", "type": "string", "enum": ["one", "two"] }
        }),
    )
}

fn document(item: Value, schemas: Value) -> Value {
    json!({
        "openapi": "3.1.1",
        "info": { "title": "Odds", "version": "1" },
        "servers": [{ "url": "{base_url}", "variables": { "base_url": { "default": "https://odds.example" } } }],
        "tags": [{ "name": "odds", "description": "Odds." }],
        "paths": { "/odds": item },
        "components": { "schemas": schemas }
    })
}

/// The fault of the generator with a document, if it is not the document's.
fn fault(document: &Value, profile: Profile) -> Option<String> {
    let text = document.to_string();
    let generate = || Input::new("odd.json", &text).with_profile(profile).generate();
    match catch_unwind(AssertUnwindSafe(generate)) {
        Err(panic) => Some(match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => "a panic".to_owned(),
        }),
        Ok(Err(Error::Document(rejected))) if profile == Profile::Tolerant => Some(format!("refused: {rejected}")),
        Ok(Ok(_) | Err(Error::Document(_))) => None,
        Ok(Err(error)) => Some(error.to_string()),
    }
}

/// Keywords of a schema, each of which may be absent.
fn forms() -> Vec<Value> {
    let reference = json!({ "$ref": "#/components/schemas/Other" });
    vec![
        json!({ "properties": {} }),
        json!({ "properties": {}, "required": [] }),
        json!({ "properties": { "a": {} } }),
        json!({ "properties": { "a": true } }),
        json!({ "properties": { "a": false } }),
        json!({ "properties": { "a": { "type": "string" } }, "required": ["a", "a"] }),
        json!({ "properties": { "a": { "type": "string" } }, "required": ["b"] }),
        json!({ "properties": { "a": { "$ref": "#/components/schemas/Odd" } } }),
        json!({ "properties": { "": { "type": "string" } } }),
        json!({ "properties": { "a": { "type": "null" } } }),
        json!({ "required": ["a"] }),
        json!({ "required": [] }),
        json!({ "additionalProperties": false }),
        json!({ "additionalProperties": true }),
        json!({ "additionalProperties": {} }),
        json!({ "additionalProperties": reference }),
        json!({ "additionalProperties": { "$ref": "#/components/schemas/Odd" } }),
        json!({ "propertyNames": { "format": "uuid" } }),
        json!({ "propertyNames": { "$ref": "#/components/schemas/Kind" }, "additionalProperties": { "type": "integer" } }),
        json!({ "patternProperties": { "^a": { "type": "integer" } } }),
        json!({ "items": {} }),
        json!({ "items": true }),
        json!({ "items": false }),
        json!({ "items": [] }),
        json!({ "items": { "$ref": "#/components/schemas/Odd" } }),
        json!({ "prefixItems": [{ "type": "string" }, { "type": "integer" }] }),
        json!({ "enum": [] }),
        json!({ "enum": [null] }),
        json!({ "enum": ["a", "a"] }),
        json!({ "enum": ["a", "A"] }),
        json!({ "enum": ["a", null] }),
        json!({ "enum": ["", " ", "-"] }),
        json!({ "enum": [true, false] }),
        json!({ "enum": [1, 2, 2] }),
        json!({ "enum": [1.5, 2] }),
        json!({ "enum": ["a", 1, true, null, {}] }),
        json!({ "const": null }),
        json!({ "const": "a" }),
        json!({ "const": 1 }),
        json!({ "const": true }),
        json!({ "const": {} }),
        json!({ "allOf": [] }),
        json!({ "allOf": [{}] }),
        json!({ "allOf": [reference] }),
        json!({ "allOf": [{ "$ref": "#/components/schemas/Odd" }] }),
        json!({ "allOf": [reference, { "required": ["size", "more"] }] }),
        json!({ "allOf": [reference, { "properties": { "kind": { "$ref": "#/components/schemas/Kind" } } }] }),
        json!({ "allOf": [reference, { "$ref": "#/components/schemas/Kind" }] }),
        json!({ "allOf": [{ "oneOf": [reference, { "type": "string" }] }, { "properties": { "b": { "type": "string" } } }] }),
        json!({ "oneOf": [] }),
        json!({ "oneOf": [{}] }),
        json!({ "oneOf": [reference] }),
        json!({ "oneOf": [reference, reference] }),
        json!({ "oneOf": [{ "type": "null" }] }),
        json!({ "oneOf": [reference, { "type": "null" }] }),
        json!({ "oneOf": [{ "$ref": "#/components/schemas/Odd" }, { "type": "string" }] }),
        json!({ "oneOf": [{ "type": "string" }, { "type": "string", "format": "date" }] }),
        json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        json!({ "oneOf": [reference], "discriminator": { "propertyName": "kind" } }),
        json!({ "oneOf": [reference], "discriminator": { "propertyName": "none" } }),
        json!({ "oneOf": [{ "type": "string" }], "discriminator": { "propertyName": "kind" } }),
        json!({ "anyOf": [] }),
        json!({ "anyOf": [{}, {}] }),
        json!({ "anyOf": [reference, { "type": "null" }] }),
        json!({ "anyOf": [reference, { "nullable": true }] }),
        json!({ "anyOf": [{ "$ref": "#/components/schemas/Kind" }, { "type": "string" }] }),
        json!({ "anyOf": [reference], "oneOf": [reference] }),
        json!({ "not": {} }),
        json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] } }),
        json!({ "dependentRequired": { "a": ["b"] } }),
        json!({ "discriminator": { "propertyName": "kind" }, "properties": { "kind": { "type": "string" } } }),
        json!({ "$ref": "#/components/schemas/Odd" }),
        json!({ "$ref": "#/components/schemas/None" }),
        json!({ "$ref": "#/components/schemas/Other/properties/size" }),
        json!({ "$defs": { "a": { "type": "string" } }, "properties": { "b": { "$ref": "#/components/schemas/Odd/$defs/a" } } }),
        json!({ "default": {}, "properties": { "a": { "type": "integer", "default": "x" } } }),
        json!({ "format": "binary" }),
        json!({ "format": "password" }),
        json!({ "contentMediaType": "image/png" }),
        json!({ "minimum": 1e20, "maximum": -1e20, "multipleOf": 0 }),
        json!({ "minLength": 5, "maxLength": 1, "pattern": "(" }),
        json!({ "minItems": 5, "maxItems": 1, "uniqueItems": true }),
        json!({ "minProperties": 5, "maxProperties": 1 }),
        json!({ "nullable": true }),
        json!({ "x-rust-name": "Self" }),
        json!({ "description": "\u{0}*/ ```\n#![x]" }),
    ]
}

/// The values of `type` in front of a form.
fn types() -> Vec<Option<Value>> {
    let types = [json!("object"), json!("string"), json!("array")];
    [None].into_iter().chain(types.map(Some)).collect()
}

#[test]
fn no_form_of_a_schema_crashes_the_generator() {
    let mut faults = Vec::new();
    for form in forms() {
        for ty in types() {
            let mut schema = json!({});
            if let Some(ty) = ty {
                schema["type"] = ty;
            }
            for (key, value) in form.as_object().into_iter().flatten() {
                schema[key] = value.clone();
            }
            for profile in [Profile::Strict, Profile::Tolerant] {
                let fault = fault(&with_schema(&schema), profile);
                faults.extend(fault.map(|fault| format!("{profile:?} {schema}: {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The generated files of a document, in both profiles.
fn generated(document: &Value) -> Vec<String> {
    let text = document.to_string();
    let profiles = [Profile::Strict, Profile::Tolerant];
    let all = profiles.map(|profile| {
        let generated = Input::new("odd.json", &text).with_profile(profile).generate();
        let generated = generated.unwrap_or_else(|error| panic!("{profile:?}: {error}"));
        generated.files.into_iter().map(|file| file.text).collect::<String>()
    });
    all.into()
}

#[test]
fn the_name_of_an_inline_schema_is_in_the_case_of_types() {
    let schema = json!({ "type": "string", "enum": ["one", "two"] });
    let operation = json!({
        "operationId": "get_a",
        "summary": "Reads one",
        "tags": ["odds"],
        "security": [],
        "parameters": [{ "name": "p", "in": "query", "schema": schema }],
        "responses": { "204": { "description": "None." } }
    });
    let taken = json!({ "GetAp": { "x-tag": "odds", "type": "object", "properties": { "a": { "type": "string" } } } });
    for text in generated(&document(json!({ "get": operation }), taken)) {
        assert!(text.contains("pub enum GetAp2 "), "{text}");
    }
}

#[test]
fn an_object_without_properties_is_any_object() {
    let schema = json!({ "type": "object", "properties": {}, "required": [] });
    for text in generated(&with_schema(&schema)) {
        assert!(text.contains("pub type Odd = JsonObject;"), "{text}");
    }
}

#[test]
fn a_discriminator_needs_no_mapping() {
    let part = |kind: &str| {
        let kind = json!({ "type": "string", "const": kind });
        json!({ "x-tag": "odds", "type": "object", "required": ["kind"], "properties": { "kind": kind } })
    };
    let choices = ["Cat", "Dog"].map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }));
    let union = json!({ "oneOf": choices, "discriminator": { "propertyName": "kind" } });
    let mut document = with_schema(&union);
    document["components"]["schemas"]["Cat"] = part("cat");
    document["components"]["schemas"]["Dog"] = part("dog");
    for text in generated(&document) {
        assert!(text.contains("Dog(Dog) = [\"dog\"]"), "{text}");
    }
}

#[test]
fn references_to_parts_of_another_kind_never_crash() {
    let schema = json!({ "$ref": "#/paths/~1odds/post/responses/200/content/application~1json/schema" });
    let response =
        json!({ "200": { "description": "", "content": { "application/json": { "schema": { "type": "object" } } } } });
    let get = json!({ "operationId": "getOdd", "responses": { "200": { "description": "", "content": {
        "application/json": { "schema": schema } } } } });
    let mut listed = document(
        json!({ "post": { "operationId": "makeOdd", "responses": response }, "get": get }),
        json!({}),
    );
    listed["components"] = json!([]);
    let mut texts = listed.clone();
    texts["components"] = json!({ "schemas": "none" });
    let path = document(json!({ "$ref": "#/info/title", "get": get }), json!({}));
    for document in [listed, texts, path] {
        for profile in [Profile::Strict, Profile::Tolerant] {
            let fault = fault(&document, profile);
            assert!(
                fault.as_ref().is_none_or(|fault| fault.starts_with("refused")),
                "{fault:?}"
            );
        }
    }
}

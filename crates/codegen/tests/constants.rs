//! Required members with one value: the tolerant profile fills them in.

use serde_json::json;
use wearlab_codegen::{Input, Profile};

/// The models of a document whose bodies have members of one value, with single spaces.
fn models(profile: Profile) -> String {
    let schemas = json!({
        "Filter": {
            "type": "object",
            "required": ["object", "kind", "version", "draft", "sort", "name"],
            "properties": {
                "object": { "type": "string", "enum": ["filter"] },
                "kind": { "type": "string", "const": "simple" },
                "version": { "type": "integer", "const": 2 },
                "draft": { "type": "boolean", "const": true },
                "sort": { "$ref": "#/components/schemas/Sort" },
                "name": { "type": "string" },
                "deleted": { "type": "boolean", "const": true },
            },
        },
        "Sort": { "type": "object", "required": ["by"], "properties": { "by": { "type": "string", "const": "name" } } },
    });
    let mut schemas = schemas;
    for schema in ["Filter", "Sort"] {
        schemas[schema]["x-tag"] = json!("filters");
    }
    let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Filter" } } });
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "Filters", "version": "1" },
        "servers": [{ "url": "{base_url}", "variables": { "base_url": { "default": "http://127.0.0.1" } } }],
        "tags": [{ "name": "filters", "description": "Filters." }],
        "paths": { "/filters": { "post": {
            "operationId": "create_filter",
            "summary": "Create a filter",
            "tags": ["filters"],
            "security": [],
            "requestBody": { "required": true, "content": content },
            "responses": { "200": { "description": "The filter.", "content": content } },
        } } },
        "components": { "schemas": schemas },
    });
    let text = document.to_string();
    let input = Input::new("filters.json", &text).with_profile(profile);
    let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
    let models = generated
        .files
        .iter()
        .find(|file| file.path == "crates/models/src/generated/filters.rs");
    let text = &models.expect("the models").text;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn new_values_have_their_only_values() {
    let models = models(Profile::Tolerant);
    for part in [
        "pub fn new(sort: Sort, name: impl Into<String>) -> Self",
        "object: FilterObject::Filter, kind: \"simple\".to_owned(), version: 2, draft: true,",
        "deleted: Default::default(),",
        "impl Default for Sort { fn default() -> Self { Self { by: \"name\".to_owned() } } }",
        "builder(default = FilterObject::Filter))] pub object: FilterObject",
        "builder(default = 2))] pub version: i64",
        "/// New values have `simple`.",
    ] {
        assert!(models.contains(part), "{part} is not in {models}");
    }
}

#[test]
fn readers_accept_other_values() {
    let models = models(Profile::Tolerant);
    assert!(
        models.contains("open_enum! { /// `FilterObject` pub enum FilterObject"),
        "{models}"
    );
    assert!(models.contains("pub kind: String"), "{models}");
}

#[test]
fn the_strict_profile_leaves_them_to_callers() {
    let models = models(Profile::Strict);
    assert!(
        models.contains("object: FilterObject, kind: impl Into<String>, version: i64, draft: bool,"),
        "{models}"
    );
    assert!(!models.contains("New values have"), "{models}");
}

//! Inline unions of third-party documents: equal ones are one type, which their choices name.

use serde_json::{Value, json};
use wearlab_codegen::{Input, Profile};

fn expandable(names: &[&str]) -> Value {
    let references = names
        .iter()
        .map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }));
    let mut choices = vec![json!({ "type": "string", "maxLength": 5000 })];
    choices.extend(references);
    json!({ "anyOf": choices })
}

fn nullable(mut schema: Value, description: &str) -> Value {
    schema["nullable"] = json!(true);
    schema["description"] = json!(description);
    schema
}

fn identified(properties: Value) -> Value {
    let mut schema = json!({ "type": "object", "required": ["id"], "properties": properties });
    schema["properties"]["id"] = json!({ "type": "string" });
    schema
}

/// The models of a document with these properties of a charge, with single spaces.
fn models(charge: Value) -> String {
    let metadata = json!({ "anyOf": [
        { "type": "object", "additionalProperties": { "type": "string" } },
        { "type": "string", "enum": [""] },
    ] });
    let document = json!({
        "openapi": "3.0.3",
        "info": { "title": "Charges", "version": "1" },
        "paths": { "/charges": { "post": {
            "operationId": "createCharge",
            "tags": ["charges"],
            "requestBody": { "content": { "application/json": { "schema": {
                "type": "object",
                "properties": { "metadata": metadata, "notes": metadata },
            } } } },
            "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
                "$ref": "#/components/schemas/charge",
            } } } } },
        } } },
        "components": { "schemas": {
            "charge": identified(charge),
            "customer": identified(json!({ "object": { "type": "string", "enum": ["customer"] } })),
            "deleted_customer": identified(json!({ "deleted": { "type": "boolean" } })),
            "point": { "type": "object", "properties": { "x": { "type": "number" } } },
        } },
    });
    let text = document.to_string();
    let generated = Input::new("charges.json", &text)
        .with_profile(Profile::Tolerant)
        .generate();
    let generated = generated.unwrap_or_else(|error| panic!("{error}"));
    let models = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/models/"));
    let text = models.map(|file| file.text.as_str()).collect::<String>();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn equal_unions_are_one_type() {
    let models = models(json!({
        "customer": nullable(expandable(&["customer", "deleted_customer"]), "Whom it charges."),
        "payer": nullable(expandable(&["customer", "deleted_customer"]), "Who pays."),
        "agent": expandable(&["customer"]),
    }));
    for part in [
        "/// Whom it charges. #[serde(skip_serializing_if = \"Option::is_none\")] pub customer: Option<CustomerOrDeletedOrId>",
        "/// Who pays. #[serde(skip_serializing_if = \"Option::is_none\")] pub payer: Option<CustomerOrDeletedOrId>",
        "/// `CustomerOrDeletedOrId` pub enum CustomerOrDeletedOrId { Id(String) = Text,",
        "pub agent: Option<CustomerOrId>",
        "pub metadata: Option<TextMapOrEmpty>",
        "pub notes: Option<TextMapOrEmpty>",
    ] {
        assert!(models.contains(part), "{part} is not in {models}");
    }
    assert_eq!(models.matches("union! {").count(), 3, "{models}");
    let variants = models.split("pub enum TextMapOrEmpty {").nth(1).expect("the union");
    let variants = variants.split("union!").next().unwrap_or_default();
    assert!(
        variants.contains("Empty(String) = Only(&[\"\"])") && variants.contains("TextMap("),
        "{variants}"
    );
}

#[test]
fn other_unions_have_the_names_of_their_places() {
    // Other limits, and an object without an id.
    let mut short = expandable(&["customer"]);
    short["anyOf"][0]["maxLength"] = json!(10);
    let models = models(json!({
        "agent": expandable(&["customer"]),
        "owner": short,
        "place": expandable(&["point"]),
        "shape": { "anyOf": [{ "type": "string" }, { "type": "object", "properties": { "y": { "type": "number" } } }] },
    }));
    for part in [
        "pub agent: Option<CustomerOrId>",
        "pub owner: Option<ChargeOwner>",
        "pub place: Option<TextOrPoint>",
        "pub shape: Option<ChargeShape>",
    ] {
        assert!(models.contains(part), "{part} is not in {models}");
    }
}

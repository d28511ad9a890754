//! Empty lists in bodies of PATCH: the tolerant profile sends them, since they differ from absent ones.

use serde_json::{Value, json};
use wearlab_codegen::{Input, Profile};

fn body(schema: &str) -> Value {
    json!({ "content": { "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } } })
}

fn operation(id: &str, request: &str, response: &str) -> Value {
    let mut ok = body(response);
    ok["description"] = json!("");
    json!({ "operationId": id, "tags": ["pets"], "requestBody": body(request), "responses": { "200": ok } })
}

fn models() -> String {
    let tags = json!({ "type": "array", "items": { "type": "string" } });
    let pet = json!({ "type": "object", "properties": { "tags": tags } });
    let change = json!({
        "type": "object",
        "required": ["owners"],
        "properties": {
            "tags": tags,
            "weights": { "type": "array", "items": { "type": "integer" } },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            "owners": tags,
        },
    });
    let document = json!({
        "openapi": "3.0.3",
        "info": { "title": "Pets", "version": "1" },
        "paths": { "/pets": { "patch": operation("changePets", "Change", "Pet"), "post": operation("addPet", "NewPet", "Pet") } },
        "components": { "schemas": { "Pet": pet, "NewPet": pet, "Change": change } },
    });
    let text = document.to_string();
    let generated = Input::new("pets.json", &text)
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
fn empty_lists_of_patches_are_sent() {
    let models = models();
    let change = models.split("pub struct Change {").nth(1).expect("the body of PATCH");
    let change = change.split("impl Change").next().unwrap_or_default();
    for part in [
        "deserialize_with = \"null_as_empty\", skip_serializing_if = \"Option::is_none\" )] pub tags: Option<Vec<String>>",
        "deserialize_with = \"lenient\", skip_serializing_if = \"Option::is_none\" )] pub weights: Option<Vec<i64>>",
        "pub labels: Option<BTreeMap<String, String>>",
        "pub owners: Vec<String>",
        "/// `None` is not sent; an empty value is.",
    ] {
        assert!(change.contains(part), "{part} is not in {change}");
    }
}

#[test]
fn other_lists_are_never_absent() {
    let models = models();
    assert_eq!(models.matches("pub tags: Vec<String>").count(), 2, "{models}");
}

//! Streams of third-party documents: the type of their values.

use serde_json::{Value, json};
use wearlab_codegen::Measure;

use super::{coverage, generated};

/// The type of the response of an operation with this media type.
fn response(version: &str, media_type: &str, media: &Value) -> String {
    let named = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    let text = json!({
        "openapi": version,
        "info": { "title": "Streams" },
        "paths": { "/it": { "get": {
            "operationId": "follow",
            "tags": ["it"],
            "responses": { "200": { "description": "", "content": { media_type: media } } },
        } } },
        "components": { "schemas": {
            "Chunk": named,
            "Note": { "type": "object", "required": ["note"], "properties": { "note": { "type": "string" } } },
            "ChunkEvent": { "type": "object", "required": ["data"], "properties": {
                "event": { "type": "string", "enum": ["chunk"] },
                "data": { "$ref": "#/components/schemas/Chunk" },
            } },
            "NoteEvent": { "type": "object", "properties": {
                "event": { "const": "note" },
                "data": { "$ref": "#/components/schemas/Note" },
            } },
        } },
    });
    let generated = generated(&text.to_string());
    let coverage = coverage(&generated);
    assert_eq!(coverage.share(Measure::Whole).kept, 1, "{media}: {}", generated.notes);
    assert!(generated.notes.list().is_empty(), "{media}: {}", generated.notes);
    let path = "crates/client/src/generated/it.rs";
    let client = generated.files.iter().find(|file| file.path == path);
    let client = &client.unwrap_or_else(|| panic!("no {path}")).text;
    let client = client
        .split_whitespace()
        .collect::<String>()
        .replace("(self,)", "(self)");
    let signature = client.split_once("pubasyncfnsend(self)->Result<Response<");
    let ty = signature.and_then(|(_, rest)| rest.split_once(">,Error>"));
    let (ty, _) = ty.unwrap_or_else(|| panic!("no send: {client}"));
    ty.to_owned()
}

#[test]
fn events_have_the_type_of_their_data() {
    let named = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let encoded = json!({ "type": "string", "contentMediaType": "application/json", "contentSchema": named("Chunk") });
    let event = json!({ "type": "object", "required": ["data"], "properties": {
        "event": { "type": "string" },
        "id": { "type": "string" },
        "retry": { "type": "integer" },
        "data": encoded,
    } });
    let variants = json!({ "type": "object", "properties": { "event": {}, "data": { "type": "string" } }, "oneOf": [
        { "properties": { "event": { "const": "a" }, "data": encoded } },
        { "properties": { "event": { "const": "b" } } },
    ] });
    let events = [
        ("3.0.3", json!({}), "EventStream<String>"),
        (
            "3.0.3",
            json!({ "schema": { "type": "string" } }),
            "EventStream<String>",
        ),
        (
            "3.0.3",
            json!({ "schema": { "type": "string", "format": "binary" } }),
            "ByteStream",
        ),
        (
            "3.0.3",
            json!({ "schema": named("Chunk") }),
            "EventStream<models::Chunk>",
        ),
        (
            "3.0.3",
            json!({ "schema": { "type": "array", "items": named("Chunk") } }),
            "EventStream<models::Chunk>",
        ),
        (
            "3.0.3",
            json!({ "schema": named("ChunkEvent") }),
            "EventStream<models::Chunk>",
        ),
        ("3.1.0", json!({ "itemSchema": event }), "EventStream<models::Chunk>"),
        ("3.2.0", json!({ "itemSchema": event }), "EventStream<models::Chunk>"),
        (
            "3.2.0",
            json!({ "itemSchema": named("Chunk") }),
            "EventStream<models::Chunk>",
        ),
        ("3.2.0", json!({ "itemSchema": variants }), "EventStream<String>"),
        (
            "3.2.0",
            json!({ "itemSchema": { "oneOf": [named("ChunkEvent"), named("NoteEvent")] } }),
            "EventStream<models::ChunkOrNote>",
        ),
    ];
    for (version, media, expected) in events {
        assert_eq!(
            response(version, "text/event-stream", &media),
            expected,
            "{version}: {media}"
        );
    }
}

#[test]
fn values_of_a_sequence_have_a_type() {
    let named = json!({ "$ref": "#/components/schemas/Chunk" });
    for (version, key) in [("3.1.0", "schema"), ("3.1.0", "itemSchema"), ("3.2.0", "itemSchema")] {
        for media_type in ["application/json-seq", "application/x-ndjson"] {
            let ty = response(version, media_type, &json!({ key: named }));
            assert_eq!(ty, "Lines<models::Chunk>", "{version}: {media_type}");
        }
    }
}

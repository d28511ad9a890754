//! Bodies of third-party documents with several media types.

use serde_json::{Value, json};
use wearlab_codegen::{Generated, Measure};

use super::{coverage, generated};

/// A document of one operation, with the content of its request and of its response.
fn with_contents(request: &Value, response: &Value) -> Generated {
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Contents" },
        "paths": { "/it": { "post": {
            "operationId": "send_it",
            "tags": ["it"],
            "requestBody": { "required": true, "content": request },
            "responses": { "200": { "description": "", "content": response } },
        } } },
        "components": { "schemas": {
            "It": { "type": "object", "properties": { "text": { "type": "string" } } },
            "Part": { "type": "object", "properties": { "part": { "type": "string" } } },
        } },
    });
    let generated = generated(&text.to_string());
    assert_eq!(
        coverage(&generated).share(Measure::Whole).kept,
        1,
        "{}",
        generated.notes
    );
    generated
}

/// The client of the operation.
fn client(generated: &Generated) -> String {
    let path = "crates/client/src/generated/it.rs";
    let file = generated.files.iter().find(|file| file.path == path);
    file.map(|file| file.text.clone()).unwrap_or_default()
}

#[test]
fn encodings_of_the_values_of_json_have_no_note() {
    let it = json!({ "schema": { "$ref": "#/components/schemas/It" } });
    let all = json!({
        "application/x-www-form-urlencoded": it, "multipart/form-data": it, "application/json": it, "text/json": it,
    });
    let same = with_contents(&all, &json!({ "text/json": it, "application/json": it }));
    assert!(same.notes.list().is_empty(), "{}", same.notes);
    assert!(client(&same).contains(".json(\"application/json\", Some(&self.body))"));
    let other =
        json!({ "application/json": it, "multipart/form-data": { "schema": { "$ref": "#/components/schemas/Part" } } });
    let other = with_contents(&other, &json!({ "application/json": it }));
    assert_eq!(other.notes.list().len(), 1, "{}", other.notes);
}

#[test]
fn the_client_reads_json_or_events() {
    let it = json!({ "schema": { "$ref": "#/components/schemas/It" } });
    let part = json!({ "schema": { "$ref": "#/components/schemas/Part" } });
    let both = with_contents(
        &json!({ "application/json": it }),
        &json!({ "text/event-stream": part, "application/json": it }),
    );
    let notes = both.notes.to_string();
    assert!(
        notes.contains("the client also reads events, by `send_events`"),
        "{notes}"
    );
    let client = client(&both);
    let code = client
        .split_whitespace()
        .collect::<String>()
        .replace("(self,)", "(self)");
    for part in [
        "pubasyncfnsend(self)->Result<Response<models::It>,Error>{self.into_request().send().await}",
        "pubasyncfnsend_events(self)->Result<Response<EventStream<models::Part>>,Error>\
         {self.into_request().accept(\"text/event-stream\").send_events().await}",
    ] {
        assert!(
            code.contains(&part.split_whitespace().collect::<String>()),
            "{part}: {client}"
        );
    }
}

#[test]
fn the_caller_chooses_the_media_type_of_bytes() {
    let images = json!({ "image/png": {}, "image/jpeg": { "schema": { "type": "string", "format": "binary" } } });
    let generated = with_contents(&images, &images);
    let notes = generated.notes.to_string();
    for note in [
        "the client sends `image/png`, or the `Content-Type` of a call's `header`",
        "the client asks for `image/png`, or for the `Accept` of a call's `header`",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
    let client = client(&generated);
    assert!(client.contains(".accept(\"image/png\")"), "{client}");
    assert!(client.contains(".upload(\"image/png\", Some(self.body))"), "{client}");
}

#[test]
fn a_range_of_media_types_is_bytes() {
    let image = json!({ "image/*": { "schema": { "type": "string", "format": "binary" } } });
    let generated = with_contents(&image, &image);
    let notes = generated.notes.to_string();
    assert!(notes.contains("the media type `image/*` is a range"), "{notes}");
    let client = client(&generated);
    assert!(client.contains(".accept(\"image/*\")"), "{client}");
    assert!(
        client.contains(".upload(\"application/octet-stream\", Some(self.body))"),
        "{client}"
    );
    let path = "crates/server/src/generated/it.rs";
    let server = generated.files.iter().find(|file| file.path == path).expect("a server");
    for part in ["receive_stream(\"image/*\")", "\"application/octet-stream\""] {
        assert!(server.text.contains(part), "{part}: {}", server.text);
    }
}

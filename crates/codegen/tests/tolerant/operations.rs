//! Operations of third-party documents: methods, servers and bodies that few documents have.

use serde_json::json;
use wearlab_codegen::{Generated, Measure};

use super::{coverage, generated};

/// The text of a generated file.
fn file<'g>(generated: &'g Generated, path: &str) -> &'g str {
    let mut files = generated.files.iter();
    let found = files.find(|file| file.path == path);
    &found.unwrap_or_else(|| panic!("no {path}")).text
}

#[test]
fn an_operation_has_a_server_of_its_own() {
    let done = json!({ "204": { "description": "" } });
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Servers" },
        "servers": [{ "url": "https://api.example" }],
        "paths": {
            "/files": {
                "get": { "operationId": "listFiles", "tags": ["files"], "responses": done },
                "post": {
                    "operationId": "uploadFile",
                    "tags": ["files"],
                    "servers": [{ "url": "https://uploads.example/v1" }],
                    "responses": done,
                },
            },
            "/files/{name}": {
                "servers": [{ "url": "https://uploads.example/v1" }],
                "put": {
                    "operationId": "replaceFile",
                    "tags": ["files"],
                    "parameters": [{ "name": "name", "in": "path", "required": true, "schema": { "type": "string" } }],
                    "responses": done,
                },
            },
            "/local": {
                "servers": [{ "url": "/other" }],
                "get": { "operationId": "readLocal", "tags": ["files"], "responses": done },
            },
        },
    });
    let generated = generated(&text.to_string());
    let coverage = coverage(&generated);
    assert_eq!(coverage.share(Measure::Whole).kept, 4, "{}", generated.notes);
    assert!(generated.notes.list().is_empty(), "{}", generated.notes);
    let operations = file(&generated, "crates/client/src/generated/operations.rs");
    assert_eq!(operations.matches("server: Server::Base").count(), 1, "{operations}");
    assert_eq!(operations.matches("server: Server::Uploads").count(), 2, "{operations}");
    let document = file(&generated, "crates/client/src/generated/document.rs");
    let urls = "const URLS: &'static [(Server, &'static str)] = &[
        (Server::Base, \"https://api.example\"),
        (Server::Uploads, \"https://uploads.example/v1\"),
    ];";
    assert!(document.contains(urls), "a relative URL is no default: {document}");
    let setters = file(&generated, "crates/client/src/generated/credentials.rs");
    assert!(
        setters.contains("By default, it is `https://uploads.example/v1`"),
        "{setters}"
    );
    let router = file(&generated, "crates/server/src/generated/router.rs");
    let routes = router
        .split_once("pub fn uploads_routes")
        .map(|(_, routes)| routes)
        .unwrap_or_default();
    assert!(
        routes.contains(".route(\"/files\", post(files::upload_file::<A>))"),
        "{router}"
    );
}

#[test]
fn reads_may_have_a_body() {
    let query = json!({ "type": "object", "properties": { "size": { "type": "integer" } } });
    let operation = |id: &str| {
        json!({
            "operationId": id,
            "tags": ["search"],
            "requestBody": { "content": { "application/json": { "schema": query } } },
            "responses": { "200": { "description": "", "content": { "application/json": { "schema": { "type": "integer" } } } } },
        })
    };
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Search" },
        "paths": { "/count": {
            "get": operation("count"), "head": operation("countHead"), "delete": operation("deleteCounted"),
        } },
    });
    let generated = generated(&text.to_string());
    let coverage = coverage(&generated);
    let (whole, bodies) = (coverage.share(Measure::Whole), coverage.share(Measure::Bodies));
    assert_eq!((whole.kept, bodies.kept, bodies.all), (3, 3, 3), "{}", generated.notes);
    let client = file(&generated, "crates/client/src/generated/search.rs");
    assert_eq!(
        client
            .matches(".json(\"application/json\", self.body.as_ref())")
            .count(),
        3,
        "{client}"
    );
    let server = file(&generated, "crates/server/src/generated/search.rs");
    assert_eq!(
        server.matches("request.receive(\"application/json\").await?").count(),
        3,
        "{server}"
    );
}

#[test]
fn headers_of_errors_are_documented() {
    let limited = json!({
        "description": "",
        "headers": {
            "RateLimit-Limit": { "schema": { "type": "integer" } },
            "X-Hint": { "schema": { "type": "string" } },
        },
    });
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Errors" },
        "paths": { "/it": { "get": {
            "operationId": "readIt",
            "tags": ["it"],
            "responses": { "204": { "description": "" }, "429": limited, "default": limited },
        } } },
    });
    let generated = generated(&text.to_string());
    assert!(generated.notes.list().is_empty(), "{}", generated.notes);
    let client = file(&generated, "crates/client/src/generated/it.rs");
    let docs = client
        .replace("///", "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let line = "[`Failure::headers`](crate::Failure::headers) has the headers of errors: `RateLimit-Limit`, `X-Hint`.";
    assert!(docs.contains(line), "{client}");
}

#[test]
fn callbacks_are_noted_by_name() {
    let callback = json!({ "{$request.body#/url}": { "post": { "responses": { "200": { "description": "" } } } } });
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Callbacks" },
        "paths": { "/it": { "post": {
            "operationId": "subscribe",
            "callbacks": { "onData": callback, "onEnd": { "$ref": "#/components/callbacks/End" } },
            "responses": { "204": { "description": "" } },
        } } },
        "components": { "callbacks": { "End": callback } },
    });
    let generated = generated(&text.to_string());
    let notes: Vec<_> = generated
        .notes
        .list()
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    let expected = ["onData", "onEnd"].map(|name| {
        format!("the callback `{name}` (`POST {{$request.body#/url}}`) is a request of the service to its caller")
    });
    assert_eq!(notes, expected);
    assert_eq!(coverage(&generated).ignored["callbacks"], 2);
}

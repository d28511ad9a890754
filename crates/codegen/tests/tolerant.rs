//! The tolerant profile degrades parts of third-party documents: it keeps what can be sent.

mod compositions;
mod contents;
mod operations;
mod parameters;
mod streams;

use serde_json::{Value, json};
use wearlab_codegen::{Coverage, Generated, Input, Measure, Profile};

/// A document with one operation.
fn document(operation: &Value, components: &Value) -> String {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Forms", "version": "1" },
        "paths": { "/things/{id}": { "get": operation } },
        "components": components,
    })
    .to_string()
}

fn generated(text: &str) -> Generated {
    let input = Input::new("it.json", text).with_profile(Profile::Tolerant);
    input.generate().unwrap_or_else(|error| panic!("{error}"))
}

fn coverage(generated: &Generated) -> &Coverage {
    generated
        .coverage
        .as_ref()
        .expect("the coverage of the tolerant profile")
}

#[test]
fn a_security_scheme_keeps_its_form_beside_keys_of_others() {
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "security": [{ "bearer": [] }, { "custom": [] }, { "absent": [] }],
        "responses": { "204": { "description": "" } },
    });
    let schemes = json!({ "securitySchemes": {
        "bearer": { "type": "http", "scheme": "bearer", "in": "header", "name": "Authorization" },
        "custom": { "type": "http", "scheme": "digest" },
    } });
    let generated = generated(&document(&operation, &schemes));
    let coverage = coverage(&generated);
    let kept = coverage.share(Measure::Security);
    assert_eq!((kept.kept, kept.all), (2, 3), "{}", generated.notes);
    assert_eq!(coverage.share(Measure::Generated).kept, 1);
    assert_eq!(coverage.missing, ["GET /things/{id}: the credentials `absent`"]);
}

#[test]
fn references_to_parts_of_operations_are_followed() {
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Forms" },
        "paths": {
            "/a": { "get": {
                "operationId": "getA",
                "parameters": [{ "name": "page", "in": "query", "schema": { "type": "integer" } }],
                "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
                    "type": "object", "properties": { "b": { "type": "object", "properties": { "c": { "type": "string" } } } },
                } } } } },
            } },
            "/b": { "get": {
                "operationId": "getB",
                "parameters": [{ "$ref": "#/paths/~1a/get/parameters/0" }],
                "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
                    "$ref": "#/paths/~1a/get/responses/200/content/application~1json/schema/properties/b",
                } } } } },
            } },
            "/c": { "get": { "operationId": "getC", "responses": { "200": { "$ref": "#/paths/~1b/get/responses/200" } } } },
        },
    });
    let generated = generated(&text.to_string());
    let coverage = coverage(&generated);
    assert!(coverage.missing.is_empty(), "{:?}", coverage.missing);
    let (whole, query) = (coverage.share(Measure::Whole), coverage.share(Measure::Query));
    assert_eq!((whole.kept, query.kept, query.all), (3, 2, 2), "{}", generated.notes);
}

#[test]
fn notes_are_grouped_with_their_operations_and_parameters() {
    let parameter =
        |name: &str| json!({ "name": name, "in": "query", "schema": { "type": "string", "uniqueItems": true } });
    let id = json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    let mut parameters = vec![id];
    parameters.extend(["a", "b", "c", "d", "e", "f", "g"].map(parameter));
    let operation = json!({
        "operationId": "getThing",
        "parameters": parameters,
        "responses": { "204": { "description": "" }, "299": { "description": "", "content": { "multipart/mixed": {} } } },
    });
    let generated = generated(&document(&operation, &json!({})));
    let notes = generated.notes.grouped();
    let expected = "     7  `uniqueItems` has no effect on a schema of type string [stray-keyword]\n        => it is ignored\n        \
        in get_thing: a; get_thing: b; get_thing: c; get_thing: d; get_thing: e; and 2 more\n        first at it.json:1:";
    assert!(notes.contains(expected), "{notes}");
    let summary = coverage(&generated).summary();
    assert!(
        summary.contains("1 of 1 operations are generated; 0 are whole"),
        "{summary}"
    );
    assert!(
        summary.contains("7 of 7 query parameters; 1 of 2 successful responses"),
        "{summary}"
    );
}

#[test]
fn operations_of_one_url_to_the_router_are_kept_in_the_client() {
    let operation = |id: &str| {
        json!({ "post": {
        "operationId": id,
        "parameters": [{ "name": "name", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "204": { "description": "" } },
    } })
    };
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Forms" },
        "paths": { "/things/{name}:start": operation("start"), "/things/{name}:stop": operation("stop") },
    });
    let generated = generated(&text.to_string());
    assert_eq!(coverage(&generated).share(Measure::Whole).kept, 2);
    assert!(
        generated
            .notes
            .grouped()
            .contains("the client has the operation, the server does not")
    );
    let has = |directory: &str, id: &str| {
        let mut files = generated.files.iter().filter(|file| file.path.starts_with(directory));
        files.any(|file| file.text.contains(&format!("fn {id}")))
    };
    let found = ["crates/client/", "crates/server/"].map(|directory| (has(directory, "start"), has(directory, "stop")));
    assert_eq!(found, [(true, true), (true, false)]);
}

/// The type of a schema of the models, which one response returns.
fn model(name: &str, schemas: &Value) -> (String, Coverage) {
    let target = json!({ "$ref": format!("#/components/schemas/{name}") });
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "200": { "description": "", "content": { "application/json": { "schema": target } } } },
    });
    let generated = generated(&document(&operation, &json!({ "schemas": schemas })));
    let models = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/models/"));
    let text = models.map(|file| file.text.as_str()).collect();
    (text, coverage(&generated).clone())
}

#[test]
fn an_object_keeps_its_properties_beside_what_has_no_form() {
    let either = json!({ "oneOf": [
        { "type": "object", "properties": { "page": { "type": "integer" } } },
        { "type": "object", "properties": { "offset": { "type": "integer" } } },
    ] });
    let own = json!({ "type": "object", "required": ["hits"], "properties": { "hits": { "type": "integer", "format": "u-int32" } } });
    let mut beside = own.clone();
    beside["oneOf"] = either["oneOf"].clone();
    let wider = json!({ "type": "object", "properties": { "hits": { "type": "integer" } } });
    let narrower =
        json!({ "type": "object", "properties": { "hits": { "type": "string" }, "more": { "type": "string" } } });
    let forms = [
        ("beside", beside, "pub page: "),
        ("in a part", json!({ "allOf": [either, own] }), "pub page: "),
        (
            "in a referenced part",
            json!({ "allOf": [{ "$ref": "#/components/schemas/Either" }, own] }),
            "pub page: ",
        ),
        (
            "of parts that differ",
            json!({ "allOf": [wider, narrower] }),
            "pub more: Option<String>",
        ),
        (
            "with an absent one",
            json!({ "type": "object", "required": ["hits", "other"], "properties": own["properties"] }),
            "pub other: ",
        ),
        (
            "with a discriminator",
            json!({ "type": "object", "properties": own["properties"], "discriminator": { "propertyName": "hits" } }),
            "pub hits",
        ),
    ];
    for (form, schema, expected) in forms {
        let (text, coverage) = model("Thing", &json!({ "Thing": schema, "Either": either }));
        assert!(
            text.contains("pub hits: ") && text.contains(expected),
            "{form}: {:?}\n{text}",
            coverage.ignored
        );
        assert_eq!(coverage.share(Measure::Whole).kept, 1, "{form}: {:?}", coverage.missing);
        let properties = coverage.share(Measure::Properties);
        assert_eq!(properties.kept, properties.all, "{form}: {:?}", coverage.missing);
    }
}

#[test]
fn a_value_that_becomes_any_json_is_counted() {
    let (_, coverage) = model(
        "Thing",
        &json!({ "Thing": { "type": "object", "properties": {
        "nothing": { "type": "null" },
        "any": {},
    } } }),
    );
    let (properties, typed) = (coverage.share(Measure::Properties), coverage.share(Measure::Typed));
    assert_eq!(
        (properties.kept, typed.kept, typed.all),
        (2, 1, 2),
        "{:?}",
        coverage.missing
    );
    assert_eq!(
        coverage.missing,
        ["the type of the property `nothing` of the schema `Thing`"]
    );
}

#[test]
fn a_body_without_a_schema_is_any_json() {
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "200": { "description": "", "content": { "application/json": { "example": { "a": 1 } } } } },
    });
    let generated = generated(&document(&operation, &json!({})));
    let coverage = coverage(&generated);
    assert_eq!(coverage.share(Measure::Whole).kept, 1, "{}", generated.notes);
    let mut client = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/client/"));
    assert!(client.any(|file| file.text.contains("JsonValue")));
}

#[test]
fn null_is_kept_by_what_changes_its_form() {
    let null_in_a_choice = json!({ "anyOf": [
        { "type": "string", "enum": ["a"], "nullable": true },
        { "type": "string", "enum": ["b"] },
    ] });
    let tuple = json!({ "type": "array", "nullable": true, "prefixItems": [{ "type": "string" }], "maxItems": 1 });
    let branches = json!({ "type": "object", "nullable": true, "properties": { "a": { "type": "string" } },
        "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    let beside = json!({ "type": "object", "nullable": true, "properties": { "a": { "type": "string" } },
        "oneOf": [{ "type": "object", "properties": { "b": { "type": "string" } } },
            { "type": "object", "properties": { "c": { "type": "string" } } }] });
    for schema in [null_in_a_choice, tuple, branches, beside] {
        let thing = json!({ "type": "object", "required": ["it"], "properties": { "it": schema } });
        let (text, _) = model("Thing", &json!({ "Thing": thing }));
        assert!(text.contains("pub it: Option<"), "{schema}: {text}");
    }
}

#[test]
fn a_default_beside_errors_is_an_error() {
    let body = json!({ "application/json": { "schema": { "type": "object", "properties": { "code": { "type": "integer" } } } } });
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "404": { "description": "" }, "default": { "description": "", "content": body } },
    });
    let generated = generated(&document(&operation, &json!({})));
    let coverage = coverage(&generated);
    let errors = coverage.share(Measure::Errors);
    assert_eq!((errors.kept, errors.all), (2, 2), "{:?}", coverage.missing);
}

#[test]
fn what_a_document_chooses_for_its_code_is_kept() {
    let text = json!({
        "openapi": "3.1.1",
        "info": { "title": "Forms", "version": "1" },
        "tags": [{ "name": "notices", "description": "What is pushed." }],
        "paths": { "/things": { "get": {
            "operationId": "list_things",
            "tags": ["things"],
            "security": [{ "oauth": [] }],
            "responses": { "204": { "description": "" } },
        } } },
        "components": {
            "securitySchemes": { "oauth": { "type": "http", "scheme": "bearer", "x-short-name": "access_token" } },
            "schemas": { "Notice": { "x-tag": "notices", "type": "object", "properties": {
                "weight": { "type": "number", "x-sensitive": true },
                "steps": { "type": "integer", "x-rounded": true },
            } } },
        },
    });
    let generated = generated(&text.to_string());
    let file = |end: &str| {
        let file = generated.files.iter().find(|file| file.path.ends_with(end));
        file.map_or("", |file| file.text.as_str())
    };
    let notices = file("models/src/generated/notices.rs");
    assert!(notices.contains("//! What is pushed."), "{notices}");
    assert!(notices.contains(".field(\"weight\", &Redacted)"), "{notices}");
    assert!(notices.contains("rounded"), "{notices}");
    let credentials = file("client/src/generated/credentials.rs");
    assert!(credentials.contains("pub fn access_token("), "{credentials}");
}

#[test]
fn a_server_without_get_has_no_unreachable_code() {
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Writes", "version": "1" },
        "paths": { "/a": { "post": { "operationId": "sendA", "responses": { "204": { "description": "" } } } } },
    });
    let generated = generated(&text.to_string());
    let router = generated
        .files
        .iter()
        .find(|file| file.path == "crates/server/src/generated/router.rs");
    let router = &router.expect("a router").text;
    assert!(
        router.contains("async fn run_read") && !router.contains("match id"),
        "{router}"
    );
}

//! Responses of older and newer services: the client reads both.

use serde::Serialize;
use serde_json::{Map, Value, json};
use wearlab_client::{Client, Error};
use wearlab_server::Operation;
use wearlab_tests::coverage::response;
use wearlab_tests::scripted::{Reply, Scripted};
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::{QUERY, Running, reads};

/// Field that a newer service adds to every object.
const ADDED: &str = "added_later";

macro_rules! calls {
    ($($operation:ident($($argument:expr),*)),*) => {
        /// Calls an operation, and returns its response as JSON.
        #[expect(deprecated, reason = "what is deprecated is read for as long as it is served")]
        async fn ask(client: &Client, id: &str) -> Result<Value, Error> {
            fn value<T: Serialize>(response: wearlab_client::Response<T>) -> Value {
                serde_json::to_value(response.into_inner()).expect("JSON")
            }
            Ok(match id {
                $(stringify!($operation) => value(client.$operation($($argument),*).send().await?),)*
                other => panic!("{other} does not read JSON"),
            })
        }
    };
}

// All operations that read JSON, listed by `build.rs`.
include!(concat!(env!("OUT_DIR"), "/calls.rs"));

/// Change of every object in a response, by its schema.
type Change = fn(&'static Value, &mut Map<String, Value>);

/// Walks a value along its schema, and changes every object with fields, from the inside out. Values of enums are
/// replaced with `word`.
fn walk(schema: &'static Value, value: &mut Value, change: Change, word: Option<&str>) {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix("#/components/schemas/"))
    {
        return walk(&DOCUMENT["components"]["schemas"][name], value, change, word);
    }
    for choice in schema["oneOf"].as_array().into_iter().flatten() {
        walk(choice, value, change, word);
    }
    if let (Some(word), true, true) = (word, schema["x-extensible-enum"].is_array(), value.is_string()) {
        *value = Value::from(word);
    }
    match value {
        Value::Array(items) => {
            for item in items {
                walk(&schema["items"], item, change, word);
            }
        }
        Value::Object(fields) if schema["additionalProperties"].is_object() => {
            for value in fields.values_mut() {
                walk(&schema["additionalProperties"], value, change, word);
            }
            if let (Some(word), true) = (word, schema["propertyNames"].is_object())
                && let Some((_, value)) = fields.iter().next().map(|(key, value)| (key.clone(), value.clone()))
            {
                fields.insert(word.to_owned(), value);
            }
        }
        Value::Object(fields) if schema["properties"].is_object() => {
            for (name, value) in fields.iter_mut() {
                walk(&schema["properties"][name.as_str()], value, change, word);
            }
            change(schema, fields);
        }
        _ => {}
    }
}

/// Removes all optional fields.
fn older(schema: &'static Value, fields: &mut Map<String, Value>) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    fields.retain(|name, _| required.contains(&Value::from(name.as_str())));
}

/// Sets all optional nullable fields to null.
fn null(schema: &'static Value, fields: &mut Map<String, Value>) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (name, property) in properties.filter(|(name, _)| !required.contains(&Value::from(name.as_str()))) {
        let types = property["type"].as_array().or(property["oneOf"].as_array());
        let nullable = types
            .into_iter()
            .flatten()
            .any(|ty| ty == "null" || ty["type"] == "null");
        if nullable {
            fields.insert(name.clone(), Value::Null);
        } else {
            fields.remove(name);
        }
    }
}

/// Adds an unknown field.
fn newer(_: &'static Value, fields: &mut Map<String, Value>) {
    fields.insert(ADDED.to_owned(), json!({ "deep": [1, { "null": null }] }));
}

fn unchanged(_: &'static Value, _: &mut Map<String, Value>) {}

/// Returns the responses of all operations of the service.
async fn responses() -> Vec<(&'static Operation, Value)> {
    let running = Running::start(20).await;
    let mut responses = Vec::new();
    for operation in reads() {
        let path = format!("{}{QUERY}", running.path(operation.path));
        responses.push((operation, running.json(&path).await));
    }
    responses
}

/// Returns a response as the client reads it.
async fn read(id: &str, body: &Value) -> Value {
    let reply = Reply::new(200, body)
        .header("x-new-header", "later")
        .header("content-type", "application/json; v=2");
    let service = Scripted::start([reply]).await;
    let response = ask(&service.client(), id).await;
    response.unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Returns whether `more` contains everything in `less`.
fn within(less: &Value, more: &Value) -> bool {
    match (less, more) {
        (Value::Object(less), Value::Object(more)) => less
            .iter()
            // A null field may be missing.
            .all(|(name, value)| within(value, more.get(name).unwrap_or(&Value::Null))),
        (Value::Array(less), Value::Array(more)) => {
            less.len() == more.len() && less.iter().zip(more).all(|(less, more)| within(less, more))
        }
        _ => less == more,
    }
}

#[tokio::test]
async fn an_older_service_lacks_what_is_optional() {
    for (operation, whole) in responses().await {
        let id = operation.id;
        let schema = response(operation.path);
        for change in [older as Change, null] {
            let mut changed = whole.clone();
            walk(schema, &mut changed, change, None);
            let read = read(id, &changed).await;
            // Fields with a default are present again.
            let mut without_null = changed.clone();
            walk(schema, &mut without_null, older, None);
            assert!(within(&without_null, &read), "{id}: {without_null} is not in {read}");
        }
    }
}

#[tokio::test]
async fn a_newer_service_says_more() {
    let mut added = 0;
    for (operation, whole) in responses().await {
        let id = operation.id;
        let mut changed = whole.clone();
        walk(response(operation.path), &mut changed, newer, None);
        added += usize::from(changed != whole);
        let read = read(id, &changed).await;
        assert!(within(&without(&read), &whole), "{id}: {read} is not in {whole}");
        assert!(within(&whole, &read), "{id}: {whole} is not in {read}");
    }
    assert_eq!(added, reads().count(), "all of them have objects");
}

/// Removes added fields, which open objects keep.
fn without(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != ADDED)
            .map(|(name, value)| (name.clone(), without(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn a_newer_service_has_other_values() {
    let word = "brand-new_Value 2";
    let mut met = 0;
    for (operation, whole) in responses().await {
        let id = operation.id;
        let mut changed = whole.clone();
        walk(response(operation.path), &mut changed, unchanged, Some(word));
        met += usize::from(changed != whole);
        let read = read(id, &changed).await;
        assert!(within(&changed, &read), "{id}: {changed} is not in {read}");
    }
    assert!(met >= 5, "{met} answers have open enums");
}

#[tokio::test]
async fn newer_errors_are_reported_by_their_status_and_keep_what_they_say() {
    let problem = json!({
        "type": "urn:wearlab:problem:brand-new", "title": "Brand new", "status": 422, "detail": "Something else.",
        "instance": null, "request_id": "r-1", "retry_strategy": { "after": [1] },
        "errors": [
            { "location": "/query/brand-new", "code": "brand_new", "message": "odd", "pointer": "#/x" },
            { "code": "only_a_code" },
            "of another form",
        ],
    });
    for status in [400, 402, 403, 409, 410, 418, 422, 451, 500, 511, 599] {
        let reply = Reply::new(status, &problem).header("x-request-id", "r-1");
        let service = Scripted::start([reply.header("content-type", "application/problem+json")]).await;
        let error = service.client().list_users().send().await.expect_err("no success");
        match status {
            403 => assert!(matches!(error, Error::Forbidden(_))),
            409 => assert!(matches!(error, Error::Conflict(_))),
            422 => assert!(matches!(error, Error::Invalid(_))),
            500.. => assert!(matches!(error, Error::Server(_))),
            _ => assert!(matches!(error, Error::Unexpected(_)), "{error:?}"),
        }
        let failure = error.failure().expect("a response");
        let read = failure.problem().expect("a problem document");
        assert_eq!(read.type_, "urn:wearlab:problem:brand-new");
        assert_eq!(read.detail.as_deref(), Some("Something else."));
        let violations: Vec<_> = failure
            .violations()
            .iter()
            .map(|violation| violation.code.as_str())
            .collect();
        assert_eq!(violations, ["brand_new"], "what cannot be read is left out");
    }
}

#[tokio::test]
async fn the_problems_of_others_may_lack_anything() {
    let service = Scripted::start([
        Reply::new(404, json!({})),
        Reply::new(404, json!({ "detail": "Nothing here." })),
        Reply::new(404, json!({ "title": "Gone astray", "status": "404", "errors": null })),
        Reply::new(404, json!({ "message": "no Route matched" })),
    ])
    .await;
    let client = service.client();
    let mut read = Vec::new();
    for _ in 0..4 {
        let error = client.list_users().send().await.expect_err("no success");
        let failure = error.failure().expect("a response");
        assert_eq!(failure.status().as_u16(), 404);
        read.push(failure.problem().map(|problem| {
            assert_eq!((problem.type_.as_str(), problem.status), ("about:blank", 404));
            (problem.title.clone(), problem.detail.clone())
        }));
    }
    let usual = "Not Found".to_owned();
    assert_eq!(
        read,
        [
            None,
            Some((usual, Some("Nothing here.".to_owned()))),
            Some(("Gone astray".to_owned(), None)),
            None,
        ]
    );
}

#[tokio::test]
async fn a_success_of_another_status_is_a_success() {
    let reply = Reply::new(203, json!([]))
        .header("deprecation", "@1893456000")
        .header("sunset", "later");
    let service = Scripted::start([reply]).await;
    let response = service.client().list_providers().send().await.expect("a success");
    assert_eq!(response.status(), 203);
    assert_eq!(response.headers()["sunset"], "later", "new headers can be reached");
}

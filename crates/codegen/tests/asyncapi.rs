//! The AsyncAPI document of the events: complete, without references that lead nowhere, with examples that are valid against
//! their schemas by JSON Schema draft 7. `.ci/asyncapi` has it checked by AsyncAPI's own parser.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::project;
use serde_json::{Value, json};

const SMALL: &str = include_str!("small.yaml");

/// The generated files of the server crate that end in `name`, of a document.
fn file(document: &str, name: &str) -> Option<String> {
    let generated = project::with("openapi.yaml", document, |input| input.generate());
    let generated = generated.unwrap_or_else(|error| panic!("{error}"));
    let path = format!("crates/server/src/generated/{name}");
    let found = generated.files.into_iter().find(|file| file.path == path);
    found.map(|file| file.text)
}

static SPEC: LazyLock<String> = LazyLock::new(|| project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));

/// The project's own, once for all tests: generating takes a second and a half.
static OWN: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&file(&SPEC, "asyncapi.json").expect("the document")).expect("JSON"));

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Calls `visit` with each reference in a value outside of examples.
fn references(value: &Value, visit: &mut impl FnMut(&Value, &str)) {
    if let Some(target) = value["$ref"].as_str() {
        visit(value, target);
    }
    let data = ["examples", "default", "const"];
    for (_, member) in members(value).filter(|(key, _)| !data.contains(&key.as_str())) {
        references(member, visit);
    }
    for item in value.as_array().into_iter().flatten() {
        references(item, visit);
    }
}

#[test]
fn each_event_type_is_a_message_that_is_sent() {
    let source = project::with("openapi.yaml", &SPEC, |input| input.parse()).unwrap_or_else(|error| panic!("{error}"));
    let document = &*OWN;
    assert_eq!(document["asyncapi"], "3.0.0");
    let mut count = 0;
    for (event_type, item) in members(&source["webhooks"]) {
        count += 1;
        let post = &item["post"];
        let id = post["operationId"].as_str().expect("an id");
        let message = &document["components"]["messages"][id];
        assert_eq!(message["name"], **event_type, "{id}");
        assert_eq!(message["title"], post["summary"], "{id}");
        assert_eq!(message["deprecated"], post["deprecated"], "{id}");
        let description = post["description"].as_str().expect("a description");
        let own = message["description"].as_str().unwrap_or_default();
        assert!(own.starts_with(description), "{id}: {own}");
        let advice = post["x-deprecation"]["advice"].as_str().unwrap_or_default();
        assert!(own.ends_with(advice), "{id}: {own}");
        let body = &post["requestBody"]["content"]["application/json"];
        assert_eq!(message["payload"], body["schema"], "{id}");
        assert_eq!(message["examples"], json!([{ "payload": body["example"] }]), "{id}");
        let operation = &document["operations"][id];
        assert_eq!(operation["action"], "send", "{id}");
        let reference = format!("#/channels/events/messages/{id}");
        assert_eq!(operation["messages"], json!([{ "$ref": reference }]), "{id}");
    }
    assert!(count >= 15, "{count} webhooks");
    for place in ["/components/messages", "/operations", "/channels/events/messages"] {
        let all = document.pointer(place).and_then(Value::as_object);
        assert_eq!(all.map(serde_json::Map::len), Some(count), "{place}");
    }
}

#[test]
fn references_lead_somewhere_and_nothing_that_counts_is_beside_them() {
    // Draft 7, and AsyncAPI's parser, ignore siblings of a reference.
    let document = &*OWN;
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    references(document, &mut |holder, target| {
        used.insert(target.to_owned());
        let found = target.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        let ignorable = |key: &str| ["$ref", "description"].contains(&key) || key.starts_with("x-");
        if found.is_none() || members(holder).any(|(key, _)| !ignorable(key)) {
            wrong.push(holder.to_string());
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (name, _) in members(&document["components"]["schemas"]) {
        assert!(
            used.contains(&format!("#/components/schemas/{name}")),
            "nothing needs {name}"
        );
    }
}

#[test]
fn examples_are_valid_against_their_payloads() {
    let document = &*OWN;
    let mut count = 0;
    for (id, message) in members(&document["components"]["messages"]) {
        let payload = &message["payload"]["$ref"];
        let schema = json!({ "allOf": [{ "$ref": payload }], "components": document["components"] });
        let options = jsonschema::draft7::options().should_validate_formats(true);
        let validator = options.build(&schema).unwrap_or_else(|error| panic!("{id}: {error}"));
        for example in message["examples"].as_array().into_iter().flatten() {
            count += 1;
            let payload = &example["payload"];
            let errors: Vec<_> = validator.iter_errors(payload).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{id}: {}", errors.join("; "));
            let mut broken = payload.clone();
            broken["event_type"] = json!(1);
            assert!(!validator.is_valid(&broken), "{id}: the schema accepts anything");
        }
    }
    assert!(count >= 15, "{count} examples");
}

#[test]
fn a_document_without_events_has_none() {
    let (before, rest) = SMALL.split_once("webhooks:\n").expect("webhooks");
    let (_, after) = rest.split_once("components:\n").expect("components");
    let without = format!("{before}components:\n{after}");
    let root = |document: &str| file(document, "mod.rs").expect("the root of the server crate");
    assert_eq!(file(&without, "asyncapi.json"), None);
    assert!(!root(&without).contains("ASYNCAPI_JSON"));
    assert!(file(SMALL, "asyncapi.json").is_some());
    assert!(root(SMALL).contains("ASYNCAPI_JSON"));
}

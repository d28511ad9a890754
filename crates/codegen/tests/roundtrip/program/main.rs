//! Calls every operation of a document: the implementer receives the values that the client sends, and the client those
//! of the implementer.
//!
//! `operations.rs` and `operations.json` are made of the generated crates and of the document.
#![allow(deprecated, reason = "what is deprecated is tested as well")]

mod instances;
mod operations;
mod outside;
mod security;
mod statuses;
mod streams;
mod conditional;
mod uploads;

use std::sync::{Arc, Mutex};

use instances::Instances;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use wearlab_client::Client;
use wearlab_server::{ApiError, ApiResult, router};

/// Calls of each operation.
const CASES: u32 = 24;

/// A back end that records its input, and returns the scripted response.
#[derive(Clone, Default)]
pub(crate) struct Service {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    arrived: Value,
    answer: Value,
}

impl Service {
    /// Records the input of an operation.
    pub(crate) fn arrived<const N: usize>(&self, input: [(&str, Value); N]) {
        let input = input.map(|(name, value)| (name.to_owned(), value));
        self.state.lock().expect("no panic").arrived = Value::Object(input.into_iter().collect());
    }

    /// The error of an operation, if that is to fail.
    pub(crate) fn error(&self) -> Option<Value> {
        let answer = self.state.lock().expect("no panic").answer.clone();
        answer.get("error").is_some().then_some(answer)
    }

    /// The response of an operation.
    pub(crate) fn answer<T: Answer>(&self) -> T {
        T::of(&self.state.lock().expect("no panic").answer)
    }
}

/// Return types of methods of the trait.
pub(crate) trait Answer {
    fn of(value: &Value) -> Self;
}

impl<T: DeserializeOwned> Answer for ApiResult<T> {
    fn of(value: &Value) -> Self {
        Ok(read::<T>(value).into())
    }
}

impl Answer for Result<(), ApiError> {
    fn of(_: &Value) -> Self {
        Ok(())
    }
}

/// A value of the generated types.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> T {
    T::deserialize(value).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// The value that a value of the generated types writes.
pub(crate) fn written<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("a value is encoded")
}

/// The strategy of one field of an input; none for an absent one.
fn field(instances: &Instances<'_>, field: &Value) -> BoxedStrategy<Option<Value>> {
    let unique = field["schema"]["uniqueItems"] == true;
    let values = instances.of(&field["schema"]).prop_map(move |mut value| {
        if let (true, Some(list)) = (unique, value.as_array_mut()) {
            let all = std::mem::take(list);
            all.into_iter().for_each(|item| if !list.contains(&item) { list.push(item) });
        }
        value
    });
    let place = field["in"].as_str().unwrap_or_default().to_owned();
    let values = values.prop_filter("a value of this place", move |value| match (place.as_str(), value) {
        (_, Value::Null) => false,
        // Empty values are not sent.
        ("form", value) => is_full(value),
        ("path", Value::String(text)) => !["", ".", ".."].contains(&text.as_str()),
        ("path" | "header", Value::Array(list)) => !list.is_empty(),
        // Without members, it is not sent.
        ("query", Value::Object(members)) => !members.is_empty(),
        ("header", Value::String(text)) => text.is_ascii() && text.trim() == text,
        _ => true,
    });
    if field["required"] == true {
        values.prop_map(Some).boxed()
    } else {
        proptest::option::of(values).boxed()
    }
}

/// All fields of an input that are present.
fn input(instances: &Instances<'_>, operation: &Value) -> BoxedStrategy<Map<String, Value>> {
    let mut all: BoxedStrategy<Map<String, Value>> = Just(Map::new()).boxed();
    for described in operation["fields"].as_array().into_iter().flatten() {
        let name = described["name"].as_str().unwrap_or_default().to_owned();
        all = (all, field(instances, described))
            .prop_map(move |(mut all, value)| {
                all.extend(value.map(|value| (name.clone(), value)));
                all
            })
            .boxed();
    }
    all
}

/// Returns whether no list and no object in it is empty.
fn is_full(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty() && items.iter().all(is_full),
        Value::Object(members) => !members.is_empty() && members.values().all(is_full),
        _ => true,
    }
}

/// Returns whether headers can be sent as they are: HTTP trims their values.
fn sendable(headers: &Value) -> bool {
    let mut values = headers.as_object().into_iter().flatten();
    values.all(|(_, value)| value.as_str().is_none_or(|text| text.is_ascii() && text.trim() == text))
}

/// The responses of an operation: the value of its success, one of several, or an error with a body.
fn answers(instances: &Instances<'_>, operation: &Value) -> BoxedStrategy<Value> {
    let schemas = operation["answers"].as_array().expect("answers");
    let mut all: Vec<BoxedStrategy<Value>> = Vec::new();
    for (index, schema) in schemas.iter().enumerate() {
        let values = |schema: &Value| match schema {
            Value::Null => Just(Value::Null).boxed(),
            schema => instances.of(schema),
        };
        let headers = &operation["headers"][index];
        let (body, typed) = (!schema.is_null(), !headers.is_null());
        let single = schemas.len() == 1;
        all.push(if single && !typed {
            values(schema)
        } else {
            let parts = (values(schema), values(headers).prop_filter("values of headers", sendable));
            let answer = parts.prop_map(move |(value, headers)| {
                let mut answer = if single { json!({}) } else { json!({ "variant": index }) };
                if body {
                    answer["body"] = value;
                }
                if typed {
                    answer["headers"] = headers;
                }
                answer
            });
            answer.boxed()
        });
    }
    for (index, error) in operation["errors"].as_array().into_iter().flatten().enumerate() {
        let status = error["status"].clone();
        if !status.is_null() {
            let values = instances.of(&error["schema"]);
            let values = values.prop_map(move |body| json!({ "error": index, "status": status, "body": body }));
            all.push(values.boxed());
        }
    }
    proptest::strategy::Union::new(all).boxed()
}

/// The expected input: the sent values, and defaults.
fn expected(operation: &Value, sent: &Map<String, Value>) -> Value {
    let fields = operation["fields"].as_array().into_iter().flatten();
    let fields = fields.map(|field| {
        let name = field["name"].as_str().unwrap_or_default();
        let default = &field["schema"]["default"];
        let default = match default.as_f64() {
            // It is written with a fraction.
            Some(number) if field["schema"]["type"] == "number" => json!(number),
            // A list that is not sent is empty.
            _ if default.is_null() && field["schema"]["type"] == "array" && field["in"] != "body" && field["in"] != "form" => json!([]),
            _ => default.clone(),
        };
        (name.to_owned(), sent.get(name).cloned().unwrap_or(default))
    });
    Value::Object(fields.collect())
}

/// The service on a port, and a client of it.
fn serve(runtime: &tokio::runtime::Runtime, service: &Service) -> Client {
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let app = router(Arc::new(service.clone()));
    runtime.spawn(async move { axum::serve(listener, app).await });
    operations::client(&url)
}

#[test]
fn a_body_that_breaks_a_rule_is_refused_with_its_location() {
    let described: Value = serde_json::from_str(include_str!("operations.json")).expect("JSON");
    let instances = Instances {
        document: &described["document"],
        hidden: "readOnly",
        masked: false,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let service = Service::default();
    let client = serve(&runtime, &service);
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for operation in described["operations"].as_array().expect("operations") {
        let id = operation["id"].as_str().expect("an id");
        let body = operation["fields"].as_array().into_iter().flatten().find(|field| field["in"] == "body");
        // The implementer gets the values of a stream that were sent before.
        let Some(body) = body.filter(|body| body["schema"].get("default").is_none()) else {
            continue;
        };
        for _ in 0..CASES {
            let mut sent = input(&instances, operation).new_tree(&mut runner).expect("a value").current();
            let Some(value) = sent.get("body").cloned() else { continue };
            for outside in outside::outside(&instances, &body["schema"], &value) {
                service.state.lock().expect("no panic").arrived = Value::Null;
                sent.insert("body".to_owned(), outside.value.clone());
                count += 1;
                let location = format!("/body{}", outside.pointer);
                let outcome = runtime.block_on(operations::call(id, &client, &sent));
                let failure = outcome.as_ref().err().and_then(wearlab_client::Error::failure);
                let noted = failure.is_some_and(|failure| {
                    failure.status() == 422 && failure.violations().iter().any(|one| one.location == location)
                });
                let arrived = service.state.lock().expect("no panic").arrived.clone();
                if !noted || !arrived.is_null() {
                    wrong.push(format!("{id}: {location}: {outcome:?}\n  sent: {}", outside.value));
                }
            }
        }
    }
    assert!(count > 200, "only {count} values");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}

#[test]
fn what_is_sent_is_what_arrives() {
    let described: Value = serde_json::from_str(include_str!("operations.json")).expect("JSON");
    let instances = Instances {
        document: &described["document"],
        hidden: "readOnly",
        masked: false,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let service = Service::default();
    let client = serve(&runtime, &service);

    let mut wrong = Vec::new();
    let all = described["operations"].as_array().expect("operations");
    assert!(!all.is_empty());
    for operation in all {
        let id = operation["id"].as_str().expect("an id");
        let received = Instances { hidden: "writeOnly", ..instances };
        let answers = answers(&received, operation);
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            ..Config::default()
        };
        let outcome = TestRunner::new_with_rng(config, rng).run(&(input(&instances, operation), answers), |(sent, answer)| {
            *service.state.lock().expect("no panic") = State {
                arrived: Value::Null,
                answer: answer.clone(),
            };
            let received = runtime.block_on(operations::call(id, &client, &sent));
            let received = received.map_err(|error| TestCaseError::fail(error.to_string()))?;
            let mut arrived = service.state.lock().expect("no panic").arrived.clone();
            // The client makes a key for a call that has none, so that it can be retried.
            if json!(sent)["idempotency_key"].is_null()
                && let Some(key) = arrived.get_mut("idempotency_key")
                && key.as_str().is_some_and(|key| key.len() == 36)
            {
                *key = Value::Null;
            }
            prop_assert_eq!(arrived, expected(operation, &sent), "what arrived is not what was sent");
            prop_assert_eq!(received, answer, "what was received is not what was answered");
            Ok(())
        });
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(why, (sent, answer))) => {
                wrong.push(format!("{id}: {why}\n  sent: {}\n  answered: {answer}", json!(sent)));
            }
            Err(error) => wrong.push(format!("{id}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

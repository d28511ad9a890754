//! Values of calls as strategies, and the comparison of both ends.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use wearlab_client::Client;
use wearlab_server::router;

use crate::instances::Instances;
use crate::operations;
use crate::service::Service;

/// Calls of each operation.
pub(crate) const CASES: u32 = 24;

/// The service on a port, with a runtime and a client of it.
pub(crate) struct Pair {
    runtime: tokio::runtime::Runtime,
    pub(crate) service: Service,
    client: Client,
}

impl Pair {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let service = Service::default();
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let app = router(Arc::new(service.clone()));
        runtime.spawn(async move { axum::serve(listener, app).await });
        let client = operations::client(&url);
        Self {
            runtime,
            service,
            client,
        }
    }

    /// Calls an operation. Returns what the client received.
    pub(crate) fn call(
        &self,
        id: &str,
        sent: &Map<String, Value>,
        answer: &Value,
    ) -> Result<Value, wearlab_client::Error> {
        self.service.script(answer.clone());
        self.runtime.block_on(operations::call(id, &self.client, sent))
    }

    /// Calls an operation with drawn values. Returns the difference of both ends.
    pub(crate) fn compare(&self, operation: &Value, input: BoxedStrategy<Map<String, Value>>, answers: BoxedStrategy<Value>) -> Option<String> {
        let id = operation["id"].as_str().expect("an id");
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            ..Config::default()
        };
        let outcome = TestRunner::new_with_rng(config, rng).run(&(input, answers), |(sent, answer)| {
            let received = self.call(id, &sent, &answer);
            let mut received = received.map_err(|error| TestCaseError::fail(described(&error)))?;
            without_date(&mut received, &answer);
            let mut arrived = self.service.recorded();
            without_made_key(&mut arrived, &sent);
            prop_assert_eq!(arrived, expected(operation, &sent), "what arrived is not what was sent");
            prop_assert_eq!(received, answer, "what was received is not what was answered");
            Ok(())
        });
        match outcome {
            Ok(()) => None,
            Err(TestError::Fail(why, (sent, answer))) => {
                Some(format!("{id}: {why}\n  sent: {}\n  answered: {answer}", json!(sent)))
            }
            Err(error) => Some(format!("{id}: {error}")),
        }
    }
}

/// An error with the violations that the server noted.
fn described(error: &wearlab_client::Error) -> String {
    match error.failure() {
        Some(failure) => format!("{error}: {:?}", failure.violations()),
        None => error.to_string(),
    }
}

/// Removes the header that every server sends, unless the implementer set it.
fn without_date(received: &mut Value, answer: &Value) {
    if let Some(headers) = received.get_mut("headers").and_then(Value::as_object_mut) {
        headers.retain(|name, _| !name.eq_ignore_ascii_case("date") || answer["headers"].get(name).is_some());
    }
}

/// Removes the key that the client makes for a call that has none, so that it can be retried.
pub(crate) fn without_made_key(arrived: &mut Value, sent: &Map<String, Value>) {
    if !sent.contains_key("idempotency_key")
        && let Some(key) = arrived.get_mut("idempotency_key")
        && key.as_str().is_some_and(|key| key.len() == 36)
    {
        *key = Value::Null;
    }
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
    let required = field["required"] == true;
    let values = values.prop_filter("a value of this place", move |value| match (place.as_str(), value) {
        (_, Value::Null) => false,
        // Empty values are not sent.
        ("form", value) => is_full(value),
        ("path", Value::String(text)) => !["", ".", ".."].contains(&text.as_str()),
        ("path" | "header", Value::Array(list)) => !list.is_empty(),
        // Without items, it is not sent.
        ("query", Value::Array(list)) => !required || !list.is_empty(),
        // Without members, it is not sent.
        ("query", Value::Object(members)) => !members.is_empty(),
        ("header", Value::String(text)) => text.is_ascii() && text.trim() == text,
        _ => true,
    });
    if required {
        values.prop_map(Some).boxed()
    } else {
        proptest::option::of(values).boxed()
    }
}

/// All fields of an input that are present.
pub(crate) fn input(instances: &Instances<'_>, operation: &Value) -> BoxedStrategy<Map<String, Value>> {
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
pub(crate) fn answers(instances: &Instances<'_>, operation: &Value) -> BoxedStrategy<Value> {
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
pub(crate) fn expected(operation: &Value, sent: &Map<String, Value>) -> Value {
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

//! Responses of older and newer services: the client reads both.

use serde::Serialize;
use serde_json::{Map, Value, json};
use wearlab_client::{Client, Error};
use wearlab_models::{Environment, Region, Uuid};
use wearlab_tests::coverage::response;
use wearlab_tests::scripted::{Reply, Scripted};
use wearlab_tests::values::DAY;
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::{QUERY, Running, reads};

/// Field that a newer service adds to every object.
const ADDED: &str = "added_later";

/// Calls the operation of a path, and returns its response as JSON.
async fn ask(client: &Client, path: &str) -> Result<Value, Error> {
    fn value<T: Serialize>(response: wearlab_client::Response<T>) -> Value {
        serde_json::to_value(response.into_inner()).expect("JSON")
    }
    let user = Uuid::from_u128(1);
    Ok(match path {
        "/v2/user/" => value(client.list_users().send().await?),
        "/v2/user/{user_id}" => value(client.get_user(user).send().await?),
        "/v2/user/resolve/{client_user_id}" => value(client.resolve_user("any").send().await?),
        "/v2/user/{user_id}/device/{device_id}" => value(client.get_user_device(user, user).send().await?),
        "/v2/user/{user_id}/device" => value(client.list_user_devices(user).send().await?),
        "/v2/user/providers/{user_id}" => value(client.list_user_providers(user).send().await?),
        "/v2/providers/" => value(client.list_providers().send().await?),
        "/v2/link/provider/oauth/{oauth_provider}" => value(client.get_oauth_provider("any").send().await?),
        "/v3/lab_tests/{lab_test_id}/markers" => value(client.list_lab_test_markers("any").send().await?),
        "/v3/lab_test" => value(client.list_lab_tests().send().await?),
        "/v3/lab_tests" => {
            #[expect(deprecated, reason = "it is read for as long as it is served")]
            let call = client.list_all_lab_tests();
            value(call.send().await?)
        }
        "/v3/lab_tests/{lab_test_id}" => value(client.get_lab_test("any").send().await?),
        "/v3/orders" => value(client.list_orders().send().await?),
        "/v3/order/{order_id}" => value(client.get_order(user).send().await?),
        "/v3/order/{order_id}/result" => value(client.get_order_result(user).send().await?),
        "/v3/order/{order_id}/result/metadata" => value(client.get_order_result_metadata(user).send().await?),
        "/v3/order/{order_id}/result/fhir" => value(client.get_order_result_fhir(user).send().await?),
        "/v3/insurance/search/diagnosis" => value(client.search_diagnoses("any").send().await?),
        "/v3/order/psc/appointment/cancellation-reasons" => value(client.list_cancellation_reasons().send().await?),
        "/v1/org/{org_id}/team_etl_pipelines/{env}/{region}" => {
            let call = client.list_team_pipelines("o", Environment::Sandbox, Region::Eu);
            value(call.send().await?)
        }
        "/v1/org/{org_id}/teams/{team_id}/pipeline" => value(client.get_pipeline("o", user).send().await?),
        "/v1/org/{org_id}/teams/{team_id}/webhooks" => value(client.list_webhooks("o", user).send().await?),
        "/v1/org/{org_id}/teams/{team_id}/webhooks/{webhook_id}" => {
            value(client.get_webhook("o", user, "w").send().await?)
        }
        "/v1/org/{org_id}/teams" => value(client.list_teams("o").send().await?),
        "/v1/org/{org_id}/teams/{team_id}" => value(client.get_team("o", user).send().await?),
        "/v1/org/{org_id}/keys" => value(client.list_keys("o").send().await?),
        "/v1/org/{org_id}/keys/{key_id}" => value(client.get_key("o", "k").send().await?),
        "/v1/org/{org_id}/audit_log" => value(client.list_audit_log("o").send().await?),
        "/v1/org/{org_id}/events" => value(client.list_events("o").send().await?),
        "/v1/org/{org_id}/events/{event_id}" => value(client.get_event("o", "any").send().await?),
        "/v1/org/{org_id}/events/{event_id}/attempts" => value(client.list_event_attempts("o", "any").send().await?),
        "/v1/org/{org_id}/undelivered" => value(client.list_undelivered("o").send().await?),
        "/v1/org/{org_id}/destinations" => value(client.list_destinations("o").send().await?),
        "/v1/org/{org_id}/providers" => value(client.list_provider_settings("o").send().await?),
        "/v1/org/{org_id}/providers/{slug}" => value(client.get_provider_settings("o", "p").send().await?),
        "/v1/org/{org_id}/teams/{team_id}/redirect_urls" => value(client.get_redirect_urls("o", user).send().await?),
        "/v1/org/{org_id}/teams/{team_id}/link_tokens" => value(client.list_link_tokens("o", user).send().await?),
        "/v1/org/{org_id}/connections" => value(client.list_connections("o").send().await?),
        "/v1/org/{org_id}/teams/{team_id}/users/{user_id}/connections/{provider}/access_token" => {
            value(client.get_access_token("o", user, user, "p").send().await?)
        }
        "/v2/summary/activity/{user_id}" => value(client.list_activity(user, DAY).send().await?),
        "/v2/summary/body/{user_id}" => value(client.list_body(user, DAY).send().await?),
        "/v2/summary/sleep/{user_id}" => value(client.list_sleep(user, DAY).send().await?),
        "/v2/summary/sleep_cycle/{user_id}" => value(client.list_sleep_cycles(user, DAY).send().await?),
        "/v2/summary/workouts/{user_id}" => value(client.list_workouts(user, DAY).send().await?),
        "/v2/summary/meal/{user_id}" => value(client.list_meals(user, DAY).send().await?),
        "/v2/summary/menstrual_cycle/{user_id}" => value(client.list_menstrual_cycles(user, DAY).send().await?),
        "/v2/summary/electrocardiogram/{user_id}" => value(client.list_electrocardiograms(user, DAY).send().await?),
        "/v2/summary/profile/{user_id}" => value(client.get_profile(user).send().await?),
        "/v2/timeseries/{user_id}/{resource}/grouped" => {
            value(client.list_samples(user, "heartrate", DAY).send().await?)
        }
        "/v2/timeseries/{user_id}/blood_pressure/grouped" => value(client.list_blood_pressure(user, DAY).send().await?),
        "/v2/timeseries/{user_id}/note/grouped" => value(client.list_notes(user, DAY).send().await?),
        "/v2/timeseries/sleep/{sleep_id}/stream" => value(client.get_sleep_stream(user).send().await?),
        "/v2/timeseries/workouts/{workout_id}/stream" => value(client.get_workout_stream(user).send().await?),
        "/v2/introspect/resources" => value(client.list_introspected_resources().send().await?),
        "/v2/introspect/historical_pull" => value(client.list_historical_pulls().send().await?),
        other => panic!("{other} is not asked here"),
    })
}

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
async fn responses() -> Vec<(&'static str, Value)> {
    let running = Running::start(20).await;
    let mut responses = Vec::new();
    for operation in reads() {
        let path = format!("{}{QUERY}", running.path(operation.path));
        responses.push((operation.path, running.json(&path).await));
    }
    responses
}

/// Returns a response as the client reads it.
async fn read(path: &str, body: &Value) -> Value {
    let reply = Reply::new(200, body)
        .header("x-new-header", "later")
        .header("content-type", "application/json; v=2");
    let service = Scripted::start([reply]).await;
    let response = ask(&service.client(), path).await;
    response.unwrap_or_else(|error| panic!("{path}: {error}"))
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
    for (path, whole) in responses().await {
        let schema = response(path);
        for change in [older as Change, null] {
            let mut changed = whole.clone();
            walk(schema, &mut changed, change, None);
            let read = read(path, &changed).await;
            // Fields with a default are present again.
            let mut without_null = changed.clone();
            walk(schema, &mut without_null, older, None);
            assert!(within(&without_null, &read), "{path}: {without_null} is not in {read}");
        }
    }
}

#[tokio::test]
async fn a_newer_service_says_more() {
    let mut added = 0;
    for (path, whole) in responses().await {
        let mut changed = whole.clone();
        walk(response(path), &mut changed, newer, None);
        added += usize::from(changed != whole);
        let read = read(path, &changed).await;
        assert!(within(&without(&read), &whole), "{path}: {read} is not in {whole}");
        assert!(within(&whole, &read), "{path}: {whole} is not in {read}");
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
    for (path, whole) in responses().await {
        let mut changed = whole.clone();
        walk(response(path), &mut changed, unchanged, Some(word));
        met += usize::from(changed != whole);
        let read = read(path, &changed).await;
        assert!(within(&changed, &read), "{path}: {changed} is not in {read}");
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

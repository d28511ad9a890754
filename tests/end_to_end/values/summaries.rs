//! Summaries: each field of each schema, with a value, with null, and missing.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wearlab_models::{ResourceName, SchemaVisitor, Uuid};
use wearlab_store::Record;
use wearlab_tests::Running;

use wearlab_tests::values::{Optional, named, sent, summaries};

use super::{DATE, END, ingest, someone};

/// Reads a summary by its type, and writes it again.
struct RoundTrip<'v>(&'v Value);

impl SchemaVisitor for RoundTrip<'_> {
    type Output = Value;

    fn visit<T: Serialize + DeserializeOwned>(self) -> Value {
        json!(T::deserialize(self.0).expect("is read"))
    }
}

/// Returns the summaries of a read, as clients with the models have them.
async fn read(running: &Running, (resource, list): (&str, &str), user: Uuid) -> Vec<Value> {
    let path = format!("/v2/summary/{resource}/{user}?start_date={DATE}&end_date={END}");
    let found = running.json(&path).await;
    let summaries = found[list].as_array().into_iter().flatten();
    let typed = summaries.map(|summary| ResourceName::from(resource).visit_schema(RoundTrip(summary)));
    typed.collect::<Option<_>>().expect("a schema")
}

/// Compares a read summary with the sent one and with that of the event.
fn compare(what: &str, schema: &str, read: &Value, sent: &serde_json::Map<String, Value>, event: &Value) {
    for (name, value) in sent {
        assert_eq!(read.get(name).unwrap_or(&Value::Null), value, "{name} of {what}");
        assert_eq!(
            event.get(name).unwrap_or(&Value::Null),
            value,
            "{name} of {what} in the event"
        );
    }
    for name in named(schema)["required"].as_array().expect("a list") {
        let name = name.as_str().expect("a name");
        assert!(!read[name].is_null(), "{name} of {what} is missing");
        assert_eq!(read[name], event[name], "{name} of {what}");
    }
    assert_eq!(
        read["source"],
        json!({"provider": "stridewell", "type": "watch", "app_id": null}),
        "{what}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_field_is_read_as_it_was_sent() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), someone(&running).await);
    for (resource, schema, list) in summaries() {
        let mut ids = Vec::new();
        for optional in [Optional::Given(0), Optional::Null, Optional::Missing] {
            let what = format!("{resource} with optional fields {optional:?}");
            let sent = sent(schema, optional);
            let event = ingest(&running, user, resource, json!([sent])).await;
            let read = read(&running, (resource, list), user).await;
            // The id was the same, so each replaces the previous one.
            assert_eq!(read.len(), 1, "{what}: {read:?}");
            compare(&what, schema, &read[0], &sent, &event[0]);
            ids.push(read[0]["created_at"].clone());
        }
        assert!(
            ids.iter().all(|created| *created == ids[0]),
            "{resource}: a correction keeps when it was created"
        );
    }
    for optional in [Optional::Given(0), Optional::Null, Optional::Missing] {
        let sent = sent("ProfileSummary", optional);
        let event = ingest(&running, user, "profile", json!([sent])).await;
        let read = client.get_profile(user).send().await.expect("reads").into_inner();
        compare(
            &format!("profile {optional:?}"),
            "ProfileSummary",
            &json!(read),
            &sent,
            &event[0],
        );
    }
}

/// Facts of a resource that follow from its schema.
#[test]
fn attributes_agree_with_the_schema_of_a_summary() {
    for (resource, schema, _) in summaries().into_iter().chain([("profile", "ProfileSummary", "")]) {
        let properties = named(schema)["properties"].as_object().expect("properties");
        let with = |names: &[&'static str]| -> Vec<_> {
            let names = names.iter().copied();
            names.filter(|name| properties.contains_key(*name)).collect()
        };
        let rounded = properties.iter().filter(|(_, property)| property["x-rounded"] == true);
        let rounded: Vec<_> = rounded.map(|(name, _)| name.as_str()).collect();
        let name = ResourceName::from(resource);
        assert_eq!(
            name.rounded(),
            rounded,
            "`rounded` of {resource} in spec/connections.yaml"
        );
        assert_eq!(
            name.day_members(),
            with(&["calendar_date", "date"]),
            "`day_members` of {resource} in spec/connections.yaml"
        );
        assert_eq!(
            name.repeats_source(),
            !with(&["source_provider", "source_type"]).is_empty(),
            "`repeats_source` of {resource} in spec/connections.yaml"
        );
        assert_eq!(
            with(name.times()),
            name.times(),
            "`times` of {resource} in spec/connections.yaml"
        );
    }
}

/// A read returns the object of the event, with all digits.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_has_the_objects_of_the_event() {
    let running = Running::start(5).await;
    let user = someone(&running).await;
    for (resource, schema, list) in summaries() {
        let event = ingest(&running, user, resource, json!([sent(schema, Optional::Given(0))])).await;
        let path = format!("/v2/summary/{resource}/{user}?start_date={DATE}&end_date={END}");
        assert_eq!(running.json(&path).await[list], event, "{resource}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn days_and_providers_are_filtered_and_what_is_wrong_is_located() {
    let running = Running::start(5).await;
    let user = someone(&running).await;
    ingest(&running, user, "activity", json!([{"steps": 812}])).await;
    let count = async |query: &str| {
        let list = running.json(&format!("/v2/summary/activity/{user}?{query}")).await;
        list["activity"].as_array().map(Vec::len)
    };
    assert_eq!(count("start_date=2026-04-01&end_date=2026-04-01").await, Some(1));
    assert_eq!(count("start_date=2026-04-02&end_date=2026-04-09").await, Some(0));
    assert_eq!(
        count("start_date=2026-04-01&end_date=2026-04-01&provider=stridewell").await,
        Some(1)
    );
    assert_eq!(
        count("start_date=2026-04-01&end_date=2026-04-01&provider=pulsely").await,
        Some(0)
    );
    let client = running.client();
    for (start, end, location) in [
        ("2026-04-02", "2026-04-01", "/query/end_date"),
        ("2024-05-02", "2026-04-01", "/query/end_date"),
        ("April", "2026-04-01", "/query/start_date"),
    ] {
        let refused = client
            .list_activity(user, start)
            .end_date(end)
            .send()
            .await
            .expect_err("is refused");
        let shown = format!("{refused:?}");
        assert!(shown.contains("422") && shown.contains(location), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn measured_numbers_are_whole_in_reads_and_events_and_exported_as_they_came() {
    let running = Running::start(5).await;
    let user = someone(&running).await;
    let night = json!({"bedtime_start": "2026-04-01T01:00:00Z", "bedtime_stop": "2026-04-01T07:00:00Z", "type": "long_sleep",
        "duration": 21600, "total": 21600, "awake": 0, "light": 0, "rem": 0, "deep": 0, "hr_average": 52.5, "hr_lowest": 43.5,
        "efficiency": 93.75});
    let event = ingest(&running, user, "sleep", json!([night])).await;
    let path = format!("/v2/summary/sleep/{user}?start_date={DATE}&end_date={END}");
    let read = running.json(&path).await["sleep"].clone();
    assert_eq!(read, event);
    let whole = json!({"hr_average": 52, "hr_lowest": 44, "efficiency": 93.75});
    let activity = ingest(&running, user, "activity", json!([{"wheelchair_use": false}])).await;
    assert_eq!(activity[0].get("wheelchair_use"), None);
    let mut exported = Vec::new();
    let each = |record: Record| {
        if let Record::Values(values) = record
            && values.user_id == user
        {
            exported.extend(values.data.iter().map(|value| json!(value)));
        }
        Ok::<_, wearlab_store::StoreError>(())
    };
    running.store.export(each).await.expect("exports");
    for (name, value) in whole.as_object().expect("an object") {
        assert_eq!(&read[0][name], value, "{name}");
        assert!(
            exported.iter().any(|kept| kept[name] == night[name]),
            "{name} of the export"
        );
    }
    assert!(exported.iter().any(|kept| kept["wheelchair_use"] == false));
}

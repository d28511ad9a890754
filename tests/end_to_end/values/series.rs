//! Time series: the unit of each resource, each field of a sample, and the streams of sessions.

use serde_json::{Map, Value, json};
use wearlab_models::{ResourceName, Uuid};
use wearlab_tests::Running;

use wearlab_tests::values::{Optional, named, sent};

use super::{DATE, END, ingest, someone, user_named};

/// Returns the expected sample of a read.
fn expected(resource: &ResourceName, sample: &Map<String, Value>) -> Map<String, Value> {
    let mut expected = sample.clone();
    expected.insert("unit".to_owned(), json!(resource.unit().expect("a unit")));
    let has_none = |name: &str| sample.get(name).is_none_or(Value::is_null);
    for name in ["start", "end"] {
        if has_none(name) && !resource.is_instant() {
            expected.insert(name.to_owned(), sample["timestamp"].clone());
        }
    }
    if has_none("type") && resource.has_type() {
        expected.insert("type".to_owned(), json!("unknown"));
    }
    if resource.is_whole() {
        assert_eq!(sample["value"], 1.25);
        expected.insert("value".to_owned(), json!(1.0));
    }
    expected
}

/// Returns the resource of a time series by its name in paths.
fn resource_of(name: &str) -> ResourceName {
    let known = ResourceName::KNOWN.iter().find(|known| known.path_name() == Some(name));
    known.cloned().unwrap_or_else(|| name.into())
}

/// Returns the samples of a page with one source.
fn samples(page: &Value) -> &Value {
    &page["groups"]["stridewell"][0]["data"]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_series_is_read_in_its_unit_with_every_field_as_it_was_sent() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), someone(&running).await);
    let names = named("KnownTimeseriesResource")["enum"]
        .as_array()
        .expect("names")
        .clone();
    assert!(names.len() > 40, "{names:?}");
    for name in names.iter().filter_map(Value::as_str) {
        let resource = resource_of(name);
        for (number, optional) in (0..).zip([Optional::Given(0), Optional::Null, Optional::Missing]) {
            let mut sample = sent("Sample", optional);
            sample.remove("unit");
            // One time for each, because the type distinguishes them.
            sample.insert(
                "timestamp".to_owned(),
                json!(format!("2026-04-01T1{}:00:00+02:00", number)),
            );
            let event = ingest(&running, user, resource.as_str(), json!([sample])).await;
            let page = client
                .list_samples(user, name, DATE)
                .end_date(END)
                .send()
                .await
                .expect("reads");
            let page = json!(page.into_inner());
            let read = &samples(&page)[number];
            let wanted = expected(&resource, &sample);
            for (field, value) in &wanted {
                assert_eq!(
                    read.get(field).unwrap_or(&Value::Null),
                    value,
                    "{field} of {name} {optional:?}"
                );
                let event = event[0].get(field).unwrap_or(&Value::Null);
                match (event.as_f64(), value.as_f64()) {
                    // The client's numbers are floating point.
                    (Some(event), Some(value)) => assert_eq!(event, value, "{field} of {name} in the event"),
                    _ => assert_eq!(event, value, "{field} of {name} in the event"),
                }
            }
        }
        let path = format!("/v2/timeseries/{user}/{name}/grouped?start_date={DATE}&end_date={END}");
        assert_eq!(
            samples(&running.json(&path).await).as_array().map(Vec::len),
            Some(3),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn blood_pressure_and_notes_have_shapes_of_their_own() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), someone(&running).await);
    for optional in [Optional::Given(0), Optional::Null, Optional::Missing] {
        for (resource, schema) in [("blood_pressure", "BloodPressureSample"), ("note", "NoteSample")] {
            let mut sample = sent(schema, optional);
            sample.remove("unit");
            sample.remove("type");
            ingest(&running, user, resource, json!([sample])).await;
            let page = match resource {
                "note" => json!(
                    client
                        .list_notes(user, DATE)
                        .end_date(END)
                        .send()
                        .await
                        .expect("reads")
                        .into_inner()
                ),
                _ => json!(
                    client
                        .list_blood_pressure(user, DATE)
                        .end_date(END)
                        .send()
                        .await
                        .expect("reads")
                        .into_inner()
                ),
            };
            let read = samples(&page);
            assert_eq!(
                read.as_array().map(Vec::len),
                Some(1),
                "{resource} {optional:?}: {page}"
            );
            for (field, value) in &sample {
                assert_eq!(
                    read[0].get(field).unwrap_or(&Value::Null),
                    value,
                    "{field} of {resource} {optional:?}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_has_the_samples_within_its_session() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), someone(&running).await);
    let at = |hour: &str| format!("2026-04-01T{hour}:00Z");
    let heart: Vec<_> = ["07:59", "08:00", "08:30", "09:00", "09:01"]
        .map(|hour| json!({"timestamp": at(hour), "value": 120}))
        .into();
    ingest(&running, user, "heartrate", json!(heart)).await;
    ingest(
        &running,
        user,
        "distance",
        json!([{"timestamp": at("08:10"), "value": 250.5}]),
    )
    .await;
    let workout = json!({"time_start": at("08:00"), "time_end": at("09:00"), "provider_id": "w-1"});
    let event = ingest(&running, user, "workouts", json!([workout])).await;
    let id = event[0]["id"].as_str().expect("an id").parse().expect("a UUID");
    let stream = json!(client.get_workout_stream(id).send().await.expect("reads").into_inner());
    let times = |name: &str| {
        let samples = stream["samples"][name].as_array().into_iter().flatten();
        samples.map(|sample| sample["timestamp"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(times("heartrate"), [at("08:00"), at("08:30"), at("09:00")]);
    assert_eq!(times("distance"), [at("08:10")]);
    // Columns that other clients read, with one row for each time.
    let begin = 1_775_030_400; // 08:00
    assert_eq!(stream["time"], json!([begin, begin + 600, begin + 1800, begin + 3600]));
    assert_eq!(stream["heartrate"], json!([120, null, 120, 120]));
    assert_eq!(stream["distance"], json!([null, 250.5, null, null]));
    let other = client.get_sleep_stream(id).send().await.expect_err("is no sleep");
    assert!(format!("{other:?}").contains("404"), "{other:?}");
    // If several users have the id, the session is ambiguous.
    let workout = json!({"id": id, "time_start": at("08:00"), "time_end": at("09:00"), "provider_id": "w-1"});
    let other = user_named(&running, Uuid::from_u128(78), "another").await;
    ingest(&running, other, "workouts", json!([workout])).await;
    let several = client.get_workout_stream(id).send().await.expect_err("is ambiguous");
    assert!(format!("{several:?}").contains("422"), "{several:?}");
}

/// The numbers of samples keep their exact value, in a canonical form without trailing zeros and exponents.
#[tokio::test(flavor = "multi_thread")]
async fn numbers_of_samples_keep_their_value_in_one_form() {
    let running = Running::start(5).await;
    let user = someone(&running).await;
    let numbers = [
        ("1.10", "1.1"),
        ("70.0", "70"),
        ("7e1", "70"),
        ("-0.50", "-0.5"),
        ("0.1234567890123456789", "0.1234567890123456789"),
        ("18446744073709551617", "18446744073709551617"),
    ];
    let samples: Vec<_> = (10..)
        .zip(numbers)
        .map(|(minute, (sent, _))| format!(r#"{{"timestamp":"{DATE}T08:{minute}:00Z","value":{sent}}}"#))
        .collect();
    let sample = &running.sample;
    let line = format!(
        r#"{{"data":{{"team_id":"{}","user_id":"{user}","provider":"stridewell","resource":"heartrate","date":"{DATE}","data":[{}]}}}}"#,
        sample.team_id,
        samples.join(",")
    );
    let acknowledged = running
        .client()
        .ingest_arrivals(line)
        .send()
        .await
        .expect("a stream")
        .into_inner()
        .try_next()
        .await;
    assert_eq!(
        acknowledged.expect("a line").expect("one").accepted.as_deref(),
        Some("data")
    );
    let path = format!("/v2/timeseries/{user}/heartrate/grouped?start_date={DATE}&end_date={DATE}");
    let response = wearlab_tests::http()
        .get(format!("{}{path}", running.url))
        .header("x-service-api-key", &sample.team_api_key)
        .send()
        .await
        .expect("a response");
    let read = response.text().await.expect("text");
    let event = running
        .store
        .last_events(&wearlab_store::EventFilter::default(), 1)
        .await
        .expect("reads");
    let event = String::from_utf8_lossy(event[0].payload.as_bytes()).into_owned();
    for text in [&read, &event] {
        let values: Vec<_> = text.split(r#""value":"#).skip(1).collect();
        assert_eq!(values.len(), numbers.len(), "{text}");
        for (value, (_, expected)) in values.iter().zip(numbers) {
            let number = value.split([',', '}']).next();
            assert_eq!(number, Some(expected), "{text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_sleep_has_the_series_of_a_night_again() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), someone(&running).await);
    let at = |hour: &str| format!("2026-04-01T{hour}:00Z");
    for (resource, value) in [
        ("heartrate", 52.5),
        ("hrv", 61.25),
        ("respiratory_rate", 14.5),
        ("steps", 3.0),
    ] {
        let sample = json!({"timestamp": at("02:00"), "value": value});
        ingest(&running, user, resource, json!([sample])).await;
    }
    let night = json!({"bedtime_start": at("01:00"), "bedtime_stop": at("07:00"), "type": "long_sleep", "duration": 21600,
        "total": 21600, "awake": 0, "light": 0, "rem": 0, "deep": 0});
    let event = ingest(&running, user, "sleep", json!([night])).await;
    let id = event[0]["id"].as_str().expect("an id").parse().expect("a UUID");
    let stream = json!(client.get_sleep_stream(id).send().await.expect("reads").into_inner());
    for name in ["heartrate", "hrv", "respiratory_rate"] {
        assert_eq!(stream[name], stream["samples"][name], "{name}");
        assert_eq!(stream[name].as_array().map(Vec::len), Some(1), "{name}");
    }
    assert_eq!(stream["samples"]["steps"][0]["end"], at("02:00"));
    assert_eq!(stream.get("steps"), None);
}

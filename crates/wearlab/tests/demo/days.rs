//! Tests of the data of the printed user, read with the client.

use chrono::{Days, NaiveDate, Utc};
use serde_json::Value;
use wearlab_models::ResourceName;

use super::Demo;

const SERIES: &[&str] = &[
    "heartrate",
    "steps",
    "hrv",
    "glucose",
    "blood_oxygen",
    "respiratory_rate",
    "calories_active",
    "distance",
    "body_weight",
    "blood_pressure",
    "note",
];

async fn read(demo: &Demo, path: &str) -> Value {
    let response = demo.get(path).await;
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.expect("JSON")
}

fn before(days: u64) -> NaiveDate {
    Utc::now().date_naive() - Days::new(days)
}

/// Returns the samples of a time series on the day before yesterday, which is over in every time zone.
async fn samples(demo: &Demo, series: &str) -> Vec<Value> {
    let (user, day) = (demo.says("user_id"), before(2));
    let page = read(
        demo,
        &format!("/v2/timeseries/{user}/{series}/grouped?start_date={day}&end_date={day}"),
    )
    .await;
    let groups = page["groups"].as_object().into_iter().flatten();
    let groups = groups.flat_map(|(_, groups)| groups.as_array().cloned().unwrap_or_default());
    groups
        .flat_map(|group| group["data"].as_array().cloned().unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn every_summary_and_the_common_time_series_can_be_read() {
    let demo = Demo::start(&["--days", "45"]);
    let user = demo.says("user_id");
    let (first, last) = (before(44), before(0));
    let is_summary = |resource: &&ResourceName| resource.identity().is_some_and(|identity| identity != "user");
    for resource in ResourceName::KNOWN.iter().filter(is_summary) {
        let path = format!("/v2/summary/{resource}/{user}?start_date={first}&end_date={last}");
        let list = read(&demo, &path).await;
        let list = list.as_object().into_iter().flatten().next();
        let is_filled = list.is_some_and(|(_, list)| list.as_array().is_some_and(|list| !list.is_empty()));
        assert!(is_filled, "{resource}");
    }
    let profile = read(&demo, &format!("/v2/summary/profile/{user}")).await;
    assert!(profile["height"].is_number());
    for series in SERIES {
        assert!(!samples(&demo, series).await.is_empty(), "{series}");
    }

    let day = before(2);
    let activity = read(
        &demo,
        &format!("/v2/summary/activity/{user}?start_date={day}&end_date={day}"),
    )
    .await;
    let steps = samples(&demo, "steps").await;
    let steps: f64 = steps.iter().filter_map(|sample| sample["value"].as_f64()).sum();
    assert_eq!(Some(steps), activity["activity"][0]["steps"].as_f64());

    let path = format!("/v2/summary/sleep/{user}?start_date={day}&end_date={day}");
    let sleep = read(&demo, &path).await["sleep"][0]["id"].clone();
    let path = format!("/v2/summary/sleep_cycle/{user}?start_date={day}&end_date={day}");
    assert_eq!(read(&demo, &path).await["sleep_cycle"][0]["sleep_id"], sleep);
    let sleep = sleep.as_str().expect("an id");
    let stream = read(&demo, &format!("/v2/timeseries/sleep/{sleep}/stream")).await;
    for series in ["heartrate", "hrv", "respiratory_rate"] {
        assert!(
            stream["samples"][series].as_array().is_some_and(|list| list.len() > 10),
            "{series}"
        );
    }
}

#[tokio::test]
async fn a_kept_store_goes_on() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("store");
    let data = data.to_str().expect("text");
    let arguments = ["--data", data, "--days", "6"];
    let first = samples(&Demo::start(&arguments), "heartrate").await;
    // One every five minutes; the days with a workout have more.
    assert!(first.len() >= 288, "{}", first.len());
    let again = Demo::start(&arguments);
    assert_eq!(samples(&again, "heartrate").await, first);
}

#[cfg(unix)]
#[test]
fn the_banner_shows_how_to_read_them() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    for (days, expected) in [("2", 2), ("0", 0)] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let arguments = ["demo", "--listen", "127.0.0.1:0", "--users", "3", "--days", days];
        let child = super::wearlab(&arguments)
            .env("TMPDIR", directory.path())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let lines = lines
            .map(|line| line.expect("text"))
            .take_while(|line| !line.contains("Ctrl-C"));
        let reads = lines
            .filter(|line| line.contains("start_date=") && line.contains("curl"))
            .count();
        let mut demo = Demo {
            child,
            says: Value::Null,
            _directory: Some(directory),
        };
        assert_eq!(reads, expected, "--days {days}");
        assert!(demo.interrupt().success());
    }
}

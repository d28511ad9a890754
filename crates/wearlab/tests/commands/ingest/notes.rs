//! Assumptions about arrivals: a note, or a rejection where the sender or the operator wants that.

use serde_json::{Value, json};

use super::{data, ingest, logged, sample};
use crate::fixture::{Fixture, error};

/// Returns steps of the fixture's user in the night in which the clocks of Oslo go back.
fn steps(points: &[(&str, i64)]) -> String {
    let point = |(time, value): &(&str, i64)| json!({"timestamp": format!("2026-10-25T{time}:00"), "value": value});
    let points: Vec<_> = points.iter().map(point).collect();
    data(json!({"date": "2026-10-25", "data": points}))
}

#[test]
fn an_unknown_resource_is_accepted_with_a_note_or_rejected() {
    let fixture = Fixture::with_world();
    let lines = data(json!({"resource": "heart_rate"}))
        + &data(json!({"resource": "heart_rate", "data": [sample(2)]}))
        + &data(json!({}));
    let output = ingest(&fixture, &lines, &[]);
    let message = error(&output);
    assert!(output.status.success(), "{message}");
    assert_eq!(
        message,
        "wearlab: stdin:1: note unreadable_resource: data.resource: no such resource: did you mean `heartrate`? \
         Otherwise the values are sent as events and cannot be read\n\
         wearlab: lines accepted with a note: unreadable_resource 2\n"
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "3 lines were accepted: data 3\n"
    );
    let types: Vec<_> = logged(&fixture).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(types[0], "daily.data.heart_rate.created", "the values are in events");

    for arguments in [
        &["--strict"][..],
        &["--set", "ingest.reject=assumed_unit,unreadable_resource"],
    ] {
        let fixture = Fixture::with_world();
        let output = ingest(&fixture, &lines, arguments);
        let message = error(&output);
        assert!(!output.status.success());
        for line in [1, 2] {
            let rejected = format!("wearlab: stdin:{line}: data.resource: no such resource: did you mean `heartrate`?");
            assert!(message.contains(&rejected), "{message}");
        }
        assert!(message.contains("2 lines were rejected"), "{message}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1 line was accepted: data 1\n");
        assert_eq!(logged(&fixture).len(), 1, "nothing else is kept");
    }
    // A setting rejects only the notes that it names.
    let output = ingest(
        &Fixture::with_world(),
        &lines,
        &["--set", "ingest.reject=default_time_zone"],
    );
    assert!(output.status.success(), "{}", error(&output));
    let output = ingest(&fixture, &lines, &["--set", "ingest.reject=heart_rate"]);
    let message = error(&output);
    assert!(
        message.contains("ingest.reject") && message.contains("unreadable_resource, assumed_unit"),
        "{message}"
    );
}

#[test]
fn another_unit_is_rejected_with_the_one_that_is_wanted() {
    let fixture = Fixture::with_world();
    let value = |resource: &str, unit: Value| {
        data(json!({"resource": resource, "data": [{"timestamp": "2026-05-01T10:00:00Z", "value": 95, "unit": unit}]}))
    };
    let lines = value("glucose", json!("mg/dL"))
        + &value("weight", json!("lb"))
        + &value("body_temperature", json!("°F"))
        + &value("distance", json!("mi"))
        + &value("glucose", Value::Null);
    let message = error(&ingest(&fixture, &lines, &[]));
    for expected in [
        "stdin:1: data.data[0].unit: expected mmol/L, the unit of the resource",
        "stdin:2: data.data[0].unit: expected kg, the unit of the resource",
        "stdin:3: data.data[0].unit: expected °C, the unit of the resource",
        "stdin:4: data.data[0].unit: expected m, the unit of the resource",
        "stdin:5: note assumed_unit: data.data[0].unit: the value has no unit: it was read as mmol/L, not as mg/dL",
    ] {
        assert!(message.contains(expected), "no {expected:?} in\n{message}");
    }
}

#[test]
fn a_time_that_the_order_cannot_decide_is_rejected_and_one_that_it_leaves_open_is_noted() {
    let fixture = Fixture::with_world();
    let lines = steps(&[
        ("02:10", 100),
        ("02:50", 110),
        ("02:10", 200),
        ("02:50", 210),
        ("03:10", 5),
    ]) + &steps(&[("02:10", 1), ("02:10", 2)])
        + &steps(&[("01:10", 1), ("02:20", 2)]);
    let output = ingest(&fixture, &lines, &[]);
    let message = error(&output);
    assert!(!output.status.success());
    for expected in [
        "stdin:2: data.data[1].timestamp: the clock showed this time twice, and another value has the same one: send times with",
        "stdin:3: note ambiguous_time: data.data[1].timestamp: the clock showed this time twice",
    ] {
        assert!(message.contains(expected), "no {expected:?} in\n{message}");
    }
    let logged = logged(&fixture);
    let times: Vec<_> = logged[0]
        .1
        .as_array()
        .expect("a list")
        .iter()
        .map(|value| value["timestamp"].clone())
        .collect();
    let offsets = [("02:10", 2), ("02:50", 2), ("02:10", 1), ("02:50", 1), ("03:10", 1)];
    assert_eq!(
        times,
        offsets.map(|(time, offset)| json!(format!("2026-10-25T{time}:00+0{offset}:00")))
    );
    assert_eq!(logged.len(), 2);
    // Stored data need no assumption.
    let fixture = Fixture::with_world();
    let strict = ingest(&fixture, &lines, &["--strict"]);
    assert!(error(&strict).contains("stdin:3: data.data[1].timestamp: the clock showed this time twice"));
}

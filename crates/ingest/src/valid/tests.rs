//! Tests of internal contradictions of an arrival, each with its location.

use serde_json::{Value, json};
use wearlab_models::ResourceName;

use super::ValidArrival;
use crate::DataKind;
use crate::kept::other_arrival;

fn read(kind: &str, more: Value) -> Result<ValidArrival, String> {
    let id = "00000000-0000-0000-0000-000000000001";
    let mut fields = json!({"team_id": id, "user_id": id, "provider": "stridewell"});
    if kind == "data" {
        fields["resource"] = json!("steps");
        fields["date"] = json!("2026-05-01");
        fields["data"] = json!([{"timestamp": "2026-05-01T08:00:00", "value": 1}]);
    }
    let Value::Object(more) = more else { panic!("an object") };
    fields.as_object_mut().expect("an object").extend(more);
    ValidArrival::read(&json!({ kind: fields }).to_string()).map_err(|error| error.to_string())
}

/// Returns an object of so many levels below its own.
fn nested(levels: usize) -> Value {
    let list = (0..levels).fold(Value::Null, |within, _| json!([within]));
    json!({"timestamp": "2026-05-01T08:00:00Z", "value": 1, "more": list})
}

/// A leap second would replace the second after it.
#[test]
fn a_leap_second_of_a_sample_is_refused() {
    for (time, is_leap) in [
        ("2016-12-31T23:59:60Z", true),
        ("2016-12-31T23:59:60.5", true),
        ("2017-01-01T00:59:60+01:00", true),
        ("2016-12-31 23:59:60", true),
        ("2016-12-31T23:59:59Z", false),
        ("2017-01-01T00:00:00+01:00", false),
    ] {
        let read = read(
            "data",
            json!({"data": [{"timestamp": time, "value": 1, "note": "10:60"}]}),
        );
        match is_leap {
            true => {
                let error = read.expect_err("is refused");
                assert!(
                    error.starts_with("data.data[0].timestamp: must not be a leap second"),
                    "{time}: {error}"
                );
            }
            false => drop(read.expect("is taken")),
        }
    }
}

#[test]
fn what_contradicts_itself_is_refused_with_its_location() {
    let pull = |id: &str, chunk, chunks| json!({"id": id, "chunk": chunk, "chunks": chunks});
    let name = "data.resource: expected a name of letters, digits, _ and -";
    let chunk = "data.pull.chunk: the number of the chunk is not from 1 to that of the chunks";
    let year = "the year is not from 0000 to 9999";
    let stage = json!({"start": "2026-05-01T22:00:00Z", "end": "4711", "stage": "deep"});
    let provider = json!({
        "name": "", "slug": " ", "logo": "", "created_on": "2026-05-01T00:00:00Z", "status": "connected",
        "resource_availability": {},
    });
    for (kind, more, message) in [
        ("data", json!({"resource": ""}), name),
        ("data", json!({"resource": "a.b"}), name),
        ("data", json!({"resource": "#"}), name),
        (
            "data",
            json!({"resource": "q".repeat(101)}),
            "data.resource: must not be longer than 100 characters",
        ),
        (
            "data",
            json!({"resource": "workout_stream"}),
            "data.resource: workout_stream is no resource of data: samples of a workout come as heartrate, distance and \
             other time series",
        ),
        (
            "data",
            json!({"resource": "device"}),
            "data.resource: device is no resource of data: devices come as device",
        ),
        ("data", json!({"arrival_id": " "}), "data.arrival_id: must not be empty"),
        (
            "connection_ended",
            json!({"arrival_id": ""}),
            "connection_ended.arrival_id: must not be empty",
        ),
        (
            "connection_made",
            json!({"provider": provider}),
            "connection_made.provider.slug: must not be empty",
        ),
        (
            "data",
            json!({"resource": "sleep_cycle"}),
            "data.data[0]: missing field `session_start`",
        ),
        (
            "data",
            json!({"resource": "hypnogram", "data": [stage]}),
            "data.data[0].end: expected a date or time of ISO 8601, such as 2026-01-31 or 2026-01-31T10:00:00Z",
        ),
        ("data", json!({"pull": pull("p", 0, 3)}), chunk),
        ("data", json!({"pull": pull("p", 4, 3)}), chunk),
        ("data", json!({"pull": pull("p", 0, 0)}), chunk),
        (
            "data",
            json!({"pull": pull("", 1, 1)}),
            "data.pull.id: must not be empty",
        ),
        (
            "data",
            json!({"pull": pull("p", 1, 1), "raw": {"a": 1}}),
            "data.raw: a historical pull has no raw payload",
        ),
        ("data", json!({"date": "+12026-05-01"}), &format!("data.date: {year}")),
        (
            "data",
            json!({"data": [{"a": [{"at": "-0001-01-01"}]}]}),
            &format!("data.data[0]: {year}"),
        ),
        (
            "data",
            json!({"data": [{"timestamp": "9999-12-31T23:59:59-05:00", "value": 1}]}),
            &format!("data.data[0]: {year}"),
        ),
        (
            "data",
            json!({"data": [{"timestamp": "0000-01-01T00:00:00+01:00", "value": 1}]}),
            &format!("data.data[0]: {year}"),
        ),
        (
            "data",
            json!({"data": [nested(100)]}),
            "data.data[0]: nesting is deeper than 100 levels",
        ),
        (
            "data",
            json!({"raw": nested(100)}),
            "data.raw: nesting is deeper than 100 levels",
        ),
        (
            "connection_failed",
            json!({"error_details": nested(100)}),
            "connection_failed.error_details: nesting is deeper than 100 levels",
        ),
    ] {
        assert_eq!(read(kind, more.clone()).expect_err(kind), message, "{kind} {more}");
    }
}

#[test]
fn texts_that_reads_repeat_are_short() {
    let (id, long) = ("00000000-0000-0000-0000-000000000001", "x".repeat(1_001));
    let device =
        json!({"id": id, "user_id": id, "provider": "stridewell", "source_type": "watch", "device_model": long});
    let step = json!({"team_id": id, "user_id": id, "order_id": id, "status": "received.walk_in_test.ordered",
        "created_at": "2026-05-01T00:00:00Z", "status_detail": long});
    for (line, field) in [
        (
            json!({"device": {"team_id": id, "device": device}}),
            "device.device.device_model",
        ),
        (json!({ "lab_order_updated": step }), "lab_order_updated.status_detail"),
    ] {
        let error = ValidArrival::read(&line.to_string()).expect_err(field).to_string();
        assert_eq!(error, format!("{field}: must not be longer than 1000 characters"));
    }
}

#[test]
fn every_known_resource_is_kept_or_refused() {
    for resource in ResourceName::KNOWN {
        let is_kept = DataKind::of(resource) != DataKind::Other || *resource == ResourceName::Hypnogram;
        assert_eq!(is_kept, other_arrival(resource).is_none(), "{resource}");
    }
}

#[test]
fn times_without_an_offset_and_open_values_are_taken() {
    let cycle = json!({
        "id": "c", "session_start": "2026-05-01T22:00:00", "session_end": "2026-05-02T06:00:00", "hypnogram": [],
    });
    for more in [
        json!({"resource": "sleep_cycle", "data": [cycle]}),
        json!({"resource": "of-tomorrow", "data": [{"anything": {"at": [null]}}]}),
        json!({"pull": {"id": "p", "chunk": 3, "chunks": 3}}),
        json!({"data": [nested(99)], "raw": nested(99)}),
        json!({"data": [{"timestamp": "9999-12-31T23:59:59Z", "value": 1}]}),
    ] {
        read("data", more.clone()).unwrap_or_else(|error| panic!("{more}: {error}"));
    }
}

//! Samples and their normal form.

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

use super::time::push_time;
use super::{Number, Sample};
use crate::ExactObject;

fn object(value: Value) -> ExactObject {
    serde_json::from_value(value).expect("an object")
}

fn written(sample: &Sample) -> String {
    let mut json = Vec::new();
    sample.write(&mut json);
    String::from_utf8(json).expect("UTF-8")
}

fn normal(json: &str) -> String {
    let object: ExactObject = serde_json::from_str(json).expect("an object");
    written(&Sample::read(&object).expect("a sample"))
}

#[test]
fn a_sample_has_one_normal_form() {
    for (sent, form) in [
        (
            r#"{"value":72.50,"timestamp":"2026-05-01T08:00:00.1234567+02:00","unit":null}"#,
            r#"{"timestamp":"2026-05-01T08:00:00.123456+02:00","value":72.5}"#,
        ),
        (
            r#"{"timestamp":"2026-05-01 08:00:00Z","value":1e2,"unit":"count","type":"watch","timezone_offset":3600,
                "start":"2026-05-01T08:00:00Z","end":"2026-05-01T10:15:00+02:00","mood":"fine","level":1.0}"#,
            r#"{"timestamp":"2026-05-01T08:00:00Z","value":100,"unit":"count","type":"watch","timezone_offset":3600,"start":"2026-05-01T08:00:00Z","end":"2026-05-01T08:15:00Z","mood":"fine","level":1.0}"#,
        ),
        (
            r#"{"timestamp":"1969-12-31T23:59:59.999-00:30","systolic":118,"diastolic":76.0}"#,
            r#"{"timestamp":"1969-12-31T23:59:59.999-00:30","systolic":118,"diastolic":76}"#,
        ),
        (
            r#"{"timestamp":"0000-02-29T00:00:00Z","value":"Slept badly.","tags":["a"]}"#,
            r#"{"timestamp":"0000-02-29T00:00:00Z","value":"Slept badly.","tags":["a"]}"#,
        ),
    ] {
        assert_eq!(normal(sent), form);
        assert_eq!(normal(form), form);
    }
}

#[test]
fn numbers_are_exact_and_compared_by_their_value() {
    for (texts, form) in [
        (&["1", "1.0", "1.00", "1e0", "10E-1", "0.1e1"][..], "1"),
        (&["0", "-0", "0.000", "0e99"], "0"),
        (&["-12.50e1"], "-125"),
        (&["0.000000000000000001"], "0.000000000000000001"),
        (&["9223372036854775807"], "9223372036854775807"),
        (&["-9223372036854775808"], "-9223372036854775808"),
        (&["-0.05"], "-0.05"),
        (&["18446744073709551617"], "18446744073709551617"),
        (&["1e300"], "1e300"),
        (&["1e-300"], "1e-300"),
    ] {
        for text in texts {
            let number = Number::read(text);
            let mut json = Vec::new();
            number.write(&mut json);
            assert_eq!(String::from_utf8(json).expect("UTF-8"), form, "{text}");
            assert!(number == Number::read(form), "{text}");
        }
    }
}

#[test]
fn times_are_written_as_others_write_them() {
    // Days that are hard: ends of months, leap years, centuries.
    for day in (-719_528..2_932_896_i64).step_by(97).chain([-719_528, 2_932_896]) {
        let time = (day * 86_400 + day.rem_euclid(86_400)) * 1_000_000 + day.rem_euclid(1000);
        let expected = DateTime::from_timestamp_micros(time).expect("a time");
        let mut json = Vec::new();
        push_time(&mut json, time, 0);
        let json = String::from_utf8(json).expect("UTF-8");
        assert_eq!(
            json,
            format!("\"{}\"", expected.to_rfc3339_opts(SecondsFormat::AutoSi, true))
        );
    }
}

#[test]
fn what_is_wrong_is_located_and_not_quoted() {
    for (value, message) in [
        (json!({"value": 1}), "missing field `timestamp`"),
        (json!({"timestamp": "secret"}), "timestamp: expected a time of ISO 8601"),
        (json!({"timestamp": 7}), "timestamp: expected a time of ISO 8601"),
        (
            json!({"timestamp": "2026-05-01T08:00:00Z", "type": 1}),
            "type: expected a string",
        ),
        (
            json!({"timestamp": "2026-05-01T08:00:00Z", "timezone_offset": 1.5}),
            "timezone_offset: expected an integer",
        ),
        (
            json!({"timestamp": "2026-05-01T08:00:00Z", "start": "2026-05-01T08:00:00Z", "end": "2026-05-01T07:00:00Z"}),
            "end: must not be before start",
        ),
    ] {
        let error = Sample::read(&object(value)).expect_err("no sample").to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

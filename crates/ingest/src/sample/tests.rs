//! Tests of samples and their normal form.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::time::push_time;
use super::{Number, Sample, SampleValue};
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
        (&["1.0000000000000000000000000", "10000000000000000000000000e-25"], "1"),
        (
            &["18446744073709551617", "18446744073709551617.0"],
            "18446744073709551617",
        ),
        (&["-1e20", "-10.0e19"], "-100000000000000000000"),
        (&["1e300", "10E299", "0.010e+302"], "1e300"),
        (&["1e-300", "0.1e-299"], "1e-300"),
        (
            &["1.234567890123456789012", "1234567890123456789012e-21"],
            "1.234567890123456789012",
        ),
        (
            &["0.00001234567890123456789012", "1234567890123456789012e-26"],
            "0.00001234567890123456789012",
        ),
        (&["-1.5e-30", "-0.15e-29"], "-1.5e-30"),
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
    // Edge cases: ends of months, leap years, centuries.
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
        (
            json!({"timestamp": "9999-12-31T23:59:60Z"}),
            "timestamp: the year is not from 0000 to 9999",
        ),
        (
            json!({"timestamp": "9999-12-31T23:59:59+01:00", "start": "9999-12-31T22:59:59Z", "end": "9999-12-31T23:00:00Z"}),
            "end: the year is not from 0000 to 9999",
        ),
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

fn numbers() -> impl Strategy<Value = Number> {
    let decimals = (any::<i64>(), 0..=18_u8).prop_map(|(mantissa, scale)| Number::decimal(mantissa, scale));
    let small = (-2000..2000_i64, 0..=3_u8).prop_map(|(mantissa, scale)| Number::decimal(mantissa, scale));
    let others =
        (any::<i128>(), -300..250_i32).prop_map(|(digits, exponent)| Number::read(&format!("{digits}e{exponent}")));
    prop_oneof![small, decimals, others]
}

fn words() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter)
}

fn values() -> impl Strategy<Value = SampleValue> {
    prop_oneof![
        Just(SampleValue::None),
        numbers().prop_map(SampleValue::One),
        (numbers(), numbers()).prop_map(|(systolic, diastolic)| SampleValue::Pressure(systolic, diastolic)),
    ]
}

fn samples() -> impl Strategy<Value = Sample> {
    // Years 1 to 9998, so that all times may be shown with any offset.
    let times = || -62_130_000_000_000_000..253_370_000_000_000_000_i64;
    let text = || proptest::option::of(words().prop_map(Arc::from));
    let rest = proptest::option::of((words(), words(), any::<u64>()).prop_map(|(name, text, number)| {
        Arc::from(json!({format!("_{name}"): [text, number], "start": "2026-05-01T08:00:00Z"}).to_string())
    }));
    let spans = proptest::option::of((times(), 0..90_000_000_000_i64));
    let offsets = (-1439..1440_i32).prop_map(|minutes| minutes * 60);
    let texts = (text(), text(), rest);
    (times(), offsets, spans, texts, values(), any::<Option<i32>>()).prop_map(
        |(time, offset, span, (kind, unit, rest), value, timezone_offset)| Sample {
            time,
            offset,
            span: span.map(|(start, length)| (start, start + length)),
            kind,
            value,
            unit,
            timezone_offset,
            rest: rest.filter(|_| span.is_none()),
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(sample in samples()) {
        let read = Sample::read(&serde_json::from_str(&written(&sample)).expect("an object"));
        prop_assert!(read.expect("a sample") == sample, "{}", written(&sample));
    }

    #[test]
    fn other_orders_and_notations_have_the_same_form(sample in samples(), turned in 0..8_usize, shift in 0..30_i64) {
        let form = written(&sample);
        let object: ExactObject = serde_json::from_str(&form).expect("an object");
        let mut members: Vec<_> = object.iter().map(|(name, value)| {
            let value = serde_json::to_string(value).expect("JSON");
            let number = ["value", "systolic", "diastolic"].contains(&name) && !value.contains('e');
            // The same number with its point elsewhere.
            let value = match value.split_once('.') {
                _ if !number || value == "0" => value,
                Some((whole, fraction)) => format!("{whole}.{fraction}{}e0", "0".repeat(shift as usize)),
                None => format!("{value}{}E-{shift}", "0".repeat(shift as usize)),
            };
            format!("{}:{value}", json!(name))
        }).collect();
        let most = members.len();
        // The other members keep their order.
        if sample.rest.is_none() {
            members.rotate_left(turned % most);
        }
        prop_assert_eq!(normal(&format!("{{{}}}", members.join(", "))), form);
    }
}

#[test]
fn numbers_are_rounded_half_to_even() {
    for (text, rounded) in [
        ("61", Some(61)),
        ("60.5", Some(60)),
        ("61.5", Some(62)),
        ("61.4999999999999999", Some(61)),
        ("-0.5", Some(0)),
        ("-1.5", Some(-2)),
        ("-1.4", Some(-1)),
        ("1e-30", Some(0)),
        ("0.500000000000000001", Some(1)),
        ("9223372036854775807", Some(i64::MAX)),
        ("1e300", None),
        ("-1e300", None),
    ] {
        assert_eq!(Number::read(text).rounded(), rounded, "{text}");
    }
}

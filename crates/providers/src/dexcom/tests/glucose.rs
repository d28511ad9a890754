//! Tests of glucose of the sensor and of finger-sticks.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::Glucose;

use super::super::generated::models::{CalibrationList, EgvList};
use super::super::mapping;
use super::{check_arrivals, read, values};

/// Returns a list of values of the sensor, whose further members are given.
fn egvs(records: &[&str]) -> EgvList {
    let record = |record: &&str| format!(r#"{{"recordId":"r-1","unit":"mg/dL",{record}}}"#);
    let records: Vec<_> = records.iter().map(record).collect();
    read(&format!(
        r#"{{"recordType":"egv","recordVersion":"3.0","userId":"ab12cd","records":[{}]}}"#,
        records.join(",")
    ))
}

fn readings(list: &EgvList) -> Vec<Reading> {
    let readings = mapping::egvs(&list.records).expect("times");
    check_arrivals(&readings);
    readings
}

const AT_SEVEN: &str = r#""systemTime":"2026-03-04T06:00:00Z","displayTime":"2026-03-04T07:00:00+01:00""#;

#[test]
fn values_of_the_sensor() {
    let list: EgvList = read(
        r#"{"recordType":"egv","recordVersion":"3.0","userId":"ab12cd","new_member":1,"records":[
            {"recordId":"r-1","systemTime":"2026-03-04T06:55:12Z","displayTime":"2026-03-04T07:55:12+01:00",
             "transmitterId":"t9","transmitterTicks":512340,"value":113,"status":"ok","trend":"flat","trendRate":0.2,
             "unit":"mg/dL","rateUnit":"mg/dL/min","displayDevice":"iOS","transmitterGeneration":"g7"},
            {"recordId":"r-2","systemTime":"2026-03-04T06:50:12.345","displayTime":"2026-03-04T07:50:12.345",
             "transmitterId":null,"transmitterTicks":null,"value":6.3,"status":null,"trend":null,"trendRate":null,
             "unit":"mmol/L","rateUnit":null,"displayDevice":null,"transmitterGeneration":"g9","new_member":{}}]}"#,
    );
    let readings = readings(&list);
    let expected = [
        json!({"timestamp": "2026-03-04T07:50:12.345+01:00", "value": 6.3}),
        json!({"timestamp": "2026-03-04T07:55:12+01:00", "value": 113.0 / 18.0182}),
    ];
    assert_eq!(values(&readings, Glucose), expected);
    assert!(readings.iter().all(|reading| reading.day.to_string() == "2026-03-04"));
    assert!(readings.iter().all(|reading| reading.source_type.is_none()));
}

/// A limit is a value, and what is no number has none.
#[test]
fn values_out_of_range() {
    for (value, expected) in [
        ("null", None),
        (r#""Low""#, None),
        (r#""HIGH""#, None),
        (r#""""#, None),
        ("true", None),
        (r#""NaN""#, None),
        ("400", Some(400.0)),
        (r#""40""#, Some(40.0)),
        ("39.5", Some(39.5)),
    ] {
        let list = egvs(&[&format!(r#"{AT_SEVEN},"value":{value},"status":"beyond""#)]);
        let found = values(&readings(&list), Glucose);
        let expected = expected.map(|number: f64| json!(number / 18.0182));
        assert_eq!(found.first().map(|sample| sample["value"].clone()), expected, "{value}");
    }
    assert_eq!(readings(&egvs(&[AT_SEVEN])), [], "a value that is missing");
}

/// A value whose unit is not known is a reading without a value, which is rejected with a warning.
#[test]
fn units_that_are_not_known() {
    for unit in ["unknown", "mg/l"] {
        let mut list = egvs(&[&format!(r#"{AT_SEVEN},"value":113"#)]);
        list.records[0].unit = unit.into();
        let readings = mapping::egvs(&list.records).expect("times");
        assert_eq!(
            Value::Object(readings[0].value.clone()),
            json!({"timestamp": "2026-03-04T07:00:00+01:00"})
        );
    }
}

/// A value that two displays uploaded counts once, as the first one has it. The same ticks of another transmitter, or hours later,
/// are another value.
#[test]
fn values_of_two_displays() {
    let at = |time: &str, transmitter: &str, ticks: &str, value: u32| {
        format!(
            r#""systemTime":"2026-03-04T{time}Z","displayTime":"2026-03-04T{time}Z","transmitterId":{transmitter},
               "transmitterTicks":{ticks},"value":{value}"#
        )
    };
    let texts = [
        at("06:02:10", r#""t1""#, "300", 102),
        at("06:00:10", r#""t1""#, "300", 101),
        at("06:00:40", r#""t2""#, "300", 103),
        at("06:05:10", r#""t1""#, "600", 104),
        at("09:00:10", r#""t1""#, "300", 105),
        at("10:00:00", "null", "900", 106),
        at("10:00:01", "null", "900", 107),
        at("11:00:00", r#""t1""#, "null", 108),
        at("11:00:01", r#""t1""#, "null", 109),
    ];
    let list = egvs(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let found: Vec<_> = values(&readings(&list), Glucose)
        .iter()
        .map(|sample| (sample["value"].as_f64().expect("a number") * 18.0182).round() as u32)
        .collect();
    assert_eq!(found, [101, 103, 104, 105, 106, 107, 108, 109]);
}

#[test]
fn finger_sticks() {
    let list: CalibrationList = read(
        r#"{"recordType":"calibration","recordVersion":"3.0","userId":"ab12cd","records":[
            {"recordId":"c-1","systemTime":"2026-03-04T06:00:00","displayTime":"2026-03-04T07:00:00","unit":"mg/dL",
             "value":108,"displayDevice":"receiver","transmitterId":"t9","transmitterTicks":511000,
             "transmitterGeneration":"g6","new_member":[]},
            {"recordId":"c-2","systemTime":"2026-03-04T06:01:00","displayTime":"2026-03-04T07:01:00","unit":"mmol/L",
             "value":null,"displayDevice":null,"transmitterId":null,"transmitterTicks":null}]}"#,
    );
    let readings = mapping::calibrations(&list.records).expect("times");
    check_arrivals(&readings);
    let expected = json!({"timestamp": "2026-03-04T07:00:00+01:00", "value": 108.0 / 18.0182});
    assert_eq!(values(&readings, Glucose), [expected]);
    assert_eq!(readings[0].source_type, Some("fingerprick"));
}

#[test]
fn lists_without_records() {
    for text in [
        r#"{"userId":"a"}"#,
        r#"{"userId":"a","records":null,"recordType":null,"recordVersion":null}"#,
    ] {
        assert_eq!(readings(&read(text)), []);
    }
}

#[test]
fn values_are_not_in_debug_output() {
    let list = egvs(&[&format!(r#"{AT_SEVEN},"value":113,"status":"high","trend":"doubleUp""#)]);
    let shown = format!("{list:?} {:?}", readings(&list));
    assert!(
        shown.contains("Glucose") && !shown.contains("113") && !shown.contains("High"),
        "{shown}"
    );
}

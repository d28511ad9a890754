//! Tests of samples, bodies and heights.

use serde_json::{Value, json};
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName::{
    BloodOxygen, Body, BodyTemperature, Distance, Fat, Glucose, Heartrate, Hrv, Profile, Steps, Water, Weight,
};

use super::super::generated::models::DataPoint;
use super::super::mapping;
use super::{check_arrivals, read, values};

const TIME: &str = r#""sampleTime":{"physicalTime":"2026-03-04T23:30:00Z","utcOffset":"3600s"}"#;
const INTERVAL: &str = r#""interval":{"startTime":"2026-03-04T23:30:00Z","startUtcOffset":"3600s",
    "endTime":"2026-03-04T23:31:00Z","endUtcOffset":"3600s"}"#;

fn point(member: &str, value: &str) -> DataPoint {
    let time = if value.contains("interval") {
        value.replace("interval", INTERVAL)
    } else {
        format!("{TIME},{value}")
    };
    read(&format!(
        r#"{{"name":null,"dataSource":null,"{member}":{{{time},"new":[1]}}}}"#
    ))
}

fn convert(points: &[DataPoint]) -> Vec<Reading> {
    let readings = mapping::samples(points).expect("readings");
    check_arrivals(&readings);
    readings
}

#[test]
fn samples_have_the_offset_of_the_person() {
    let sample = |value: Value| json!({"timestamp": "2026-03-05T00:30:00+01:00", "value": value});
    for (member, value, resource, expected) in [
        (
            "heartRate",
            r#""beatsPerMinute":"64","metadata":{"sensorLocation":"TAIL"}"#,
            Heartrate,
            json!(64),
        ),
        (
            "heartRateVariability",
            r#""rootMeanSquareOfSuccessiveDifferencesMilliseconds":41.5"#,
            Hrv,
            json!(41.5),
        ),
        ("oxygenSaturation", r#""percentage":96.5"#, BloodOxygen, json!(96.5)),
        ("weight", r#""weightGrams":71250,"notes":"n""#, Weight, json!(71.25)),
        ("bodyFat", r#""percentage":18.3"#, Fat, json!(18.3)),
        (
            "coreBodyTemperature",
            r#""temperatureCelsius":36.7,"celsius":null"#,
            BodyTemperature,
            json!(36.7),
        ),
        ("coreBodyTemperature", r#""celsius":36.9"#, BodyTemperature, json!(36.9)),
        (
            "bloodGlucose",
            r#""bloodGlucoseMilligramsPerDeciliter":94"#,
            Glucose,
            json!(5.217),
        ),
    ] {
        let readings = convert(&[point(member, value)]);
        assert_eq!(values(&readings, resource), [sample(expected)], "{member}");
        assert_eq!(
            (readings.len(), readings[0].day.to_string().as_str()),
            (1, "2026-03-05")
        );
    }
    for (member, value) in [
        ("heartRateVariability", r#""standardDeviationMilliseconds":50"#),
        ("coreBodyTemperature", r#""temperatureCelsius":null"#),
        ("bloodGlucose", r#""bloodGlucoseMilligramsPerDeciliter":null"#),
    ] {
        assert_eq!(convert(&[point(member, value)]), []);
    }
}

#[test]
fn spans() {
    let span = |value: Value| {
        let start = "2026-03-05T00:30:00+01:00";
        json!({"timestamp": start, "start": start, "end": "2026-03-05T00:31:00+01:00", "value": value})
    };
    let steps = convert(&[point("steps", r#"interval,"count":"42""#)]);
    assert_eq!(values(&steps, Steps), [span(json!(42))]);
    let distance = convert(&[point("distance", r#"interval,"millimeters":"31500""#)]);
    assert_eq!(values(&distance, Distance), [span(json!(31.5))]);
    let drink = convert(&[point(
        "hydrationLog",
        r#"interval,"amountConsumed":{"milliliters":250}"#,
    )]);
    assert_eq!(
        values(&drink, Water),
        [json!({"timestamp": "2026-03-05T00:30:00+01:00", "value": 250.0})]
    );
    assert_eq!(
        convert(&[point(
            "hydrationLog",
            r#"interval,"amountConsumed":{"milliliters":null}"#
        )]),
        []
    );
}

#[test]
fn texts_that_are_no_numbers_are_refused_without_them() {
    let failed = |points: &[DataPoint]| match mapping::samples(points) {
        Err(Refusal::Failed(message)) => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        failed(&[point("heartRate", r#""beatsPerMinute":"secretly""#)]),
        "no record of samples can be read: a text is not a whole number"
    );
    let other = point("heartRate", r#""beatsPerMinute":"61""#);
    let wrong = point("heartRate", r#""beatsPerMinute":"secretly""#);
    assert_eq!(
        values(&convert(&[wrong, other]), Heartrate).len(),
        1,
        "the others are read"
    );
    for offset in ["secretly", "3600", "999999s"] {
        let text = format!(
            r#"{{"weight":{{"sampleTime":{{"physicalTime":"2026-03-04T06:00:00Z","utcOffset":"{offset}"}},"weightGrams":1}}}}"#
        );
        assert!(!failed(&[read(&text)]).contains("secretly"));
    }
}

#[test]
fn weight_and_fat_of_one_time_are_one_body() {
    let mut later = point("weight", r#""weightGrams":70000"#);
    if let Some(weight) = &mut later.weight {
        weight.sample_time.physical_time += chrono::TimeDelta::minutes(1);
        weight.sample_time.utc_offset = None;
    }
    let readings = mapping::bodies(&[
        point("weight", r#""weightGrams":71250"#),
        later,
        point("bodyFat", r#""percentage":18.3"#),
        point("heartRate", r#""beatsPerMinute":"64""#),
    ]);
    check_arrivals(&readings);
    let expected = [
        json!({"provider_id": "2026-03-04T23:30:00+00:00", "calendar_date": "2026-03-05", "weight": 71.25, "fat": 18.3}),
        json!({"provider_id": "2026-03-04T23:31:00+00:00", "calendar_date": "2026-03-04", "weight": 70.0}),
    ];
    assert_eq!(values(&readings, Body), expected);
}

#[test]
fn the_newest_height_is_the_profile() {
    let day = "2026-03-06".parse().expect("a day");
    let height = point("height", r#""heightMillimeters":"1780""#);
    let mut before = height.clone();
    if let Some(height) = &mut before.height {
        height.sample_time.physical_time -= chrono::TimeDelta::days(1);
        height.height_millimeters = "1700".to_owned();
    }
    let reading = mapping::height(&[height, before], day)
        .expect("a reading")
        .expect("a height");
    check_arrivals(std::slice::from_ref(&reading));
    assert_eq!(values(&[reading], Profile), [json!({"height": 178.0})]);
    assert_eq!(mapping::height(&[], day), Ok(None));
}

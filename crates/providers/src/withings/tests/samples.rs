//! Tests of the samples of a day.

use serde_json::{Value, json};
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName::{
    BloodOxygen, BodyTemperature, CaloriesActive, Distance, FloorsClimbed, Heartrate, Hrv, RespiratoryRate, Steps,
};

use super::super::generated::models::{ActivityResponse, ActivitySeries, IntradaySample};
use super::super::mapping;
use super::{check_arrivals, read, values};

fn convert(key: &str, sample: &IntradaySample) -> Vec<Reading> {
    let readings = mapping::intraday(key, sample).expect("readings");
    check_arrivals(&readings);
    assert!(readings.iter().all(|reading| reading.day.to_string() == "2026-03-04"));
    readings
}

#[test]
fn samples_of_the_documentation() {
    let text = r#"{"status":0,"body":{"series":{"1772599000":{"steps":12,"distance":9.1,"heart_rate":71,"duration":60,
        "stroke":3}}}}"#;
    let response: ActivityResponse = read(text);
    let Some(ActivitySeries::Samples(samples)) = response.body.expect("a page").series else {
        panic!("there are samples");
    };
    let readings = convert("1772599000", &samples["1772599000"]);
    let time = "2026-03-04T04:36:40+00:00";
    let span =
        |value: Value| json!({"timestamp": time, "start": time, "end": "2026-03-04T04:37:40+00:00", "value": value});
    assert_eq!(values(&readings, Steps), [span(json!(12))]);
    assert_eq!(values(&readings, Distance), [span(json!(9.1))]);
    assert_eq!(
        values(&readings, Heartrate),
        [json!({"timestamp": time, "value": 71.0})]
    );
    assert_eq!(readings.len(), 3);
}

#[test]
fn each_member_has_a_resource() {
    let all = r#"{"duration":null,"steps":0,"distance":0,"elevation":2,"calories":1.5,"heart_rate":71,"spo2_auto":97,
        "rmssd":41.5,"sdnn1":50,"core_body_temperature":36.9,"rr":14,"deviceid":null,"model":null,"model_id":null}"#;
    let readings = convert("1772599000", &read(all));
    let value = |resource| {
        values(&readings, resource)
            .into_iter()
            .map(|sample| sample["value"].clone())
            .collect::<Vec<_>>()
    };
    for (resource, expected) in [
        (Steps, json!(0)),
        (Distance, json!(0.0)),
        (FloorsClimbed, json!(2.0)),
        (CaloriesActive, json!(1.5)),
        (Heartrate, json!(71.0)),
        (BloodOxygen, json!(97.0)),
        (Hrv, json!(41.5)),
        (BodyTemperature, json!(36.9)),
        (RespiratoryRate, json!(14.0)),
    ] {
        assert_eq!(value(resource), [expected]);
    }
    let steps = &values(&readings, Steps)[0];
    assert_eq!(steps["start"], steps["end"]);
}

#[test]
fn what_was_not_measured_has_no_sample() {
    let zeros = r#"{"heart_rate":0,"spo2_auto":0,"rmssd":0,"core_body_temperature":0,"rr":0}"#;
    assert_eq!(convert("1772599000", &read(zeros)), []);
    let nulls = r#"{"duration":60,"steps":null,"distance":null,"elevation":null,"calories":null,"heart_rate":null,
        "spo2_auto":null,"rmssd":null,"core_body_temperature":null,"rr":null}"#;
    assert_eq!(convert("1772599000", &read(nulls)), []);
}

#[test]
fn a_key_that_is_no_time_is_refused_without_its_value() {
    for key in ["", "noon", "99999999999999", "1772599000.5"] {
        let Err(Refusal::Failed(message)) = mapping::intraday(key, &read(r#"{"steps":1}"#)) else {
            panic!("{key} is refused");
        };
        assert!(key.is_empty() || !message.contains(key), "{message}");
    }
}

//! Tests of measurements.

use serde_json::json;
use wearlab_models::ResourceName::{BloodOxygen, BodyTemperature, Electrocardiogram, ElectrocardiogramVoltage};

use super::super::generated::models::{self, Ecg, Spo2Test};
use super::super::mapping;
use super::{check_arrivals, read, values};

#[test]
fn temperatures() {
    let period = |kind: &str, start: &str| -> models::BodyTemperature {
        read(&format!(
            r#"{{"source_device_id":"AB12","measurement_type":{kind},"sensor_location":"SL_ELSEWHERE",
                "start_time":"{start}","end_time":null,"modified_time":null,
                "samples":[{{"temperature_celsius":34.1,"recording_time_delta_milliseconds":0}},
                {{"temperature_celsius":34.4,"recording_time_delta_milliseconds":7200250}}]}}"#
        ))
    };
    for (kind, location) in [
        (
            r#""TM_SKIN_TEMPERATURE""#,
            json!({"type": "skin", "sensor_location": "skin"}),
        ),
        (
            r#""TM_CORE_TEMPERATURE""#,
            json!({"type": "core", "sensor_location": "core"}),
        ),
        (r#""TM_UNKNOWN""#, json!({})),
        (r#""TM_INVENTED""#, json!({})),
        ("null", json!({})),
    ] {
        for start in ["2026-03-03T22:00:00Z", "2026-03-03T22:00:00"] {
            let readings = mapping::body_temperature(&period(kind, start)).expect("times");
            check_arrivals(&readings);
            let sample = |time: &str, value: f64| {
                let mut sample = json!({"timestamp": time, "value": value});
                sample
                    .as_object_mut()
                    .expect("an object")
                    .extend(location.as_object().expect("an object").clone());
                sample
            };
            let expected = [
                sample("2026-03-03T22:00:00+00:00", 34.1),
                sample("2026-03-04T00:00:00.250+00:00", 34.4),
            ];
            assert_eq!(values(&readings, BodyTemperature), expected);
            let days: Vec<_> = readings.iter().map(|reading| reading.day.to_string()).collect();
            assert_eq!(days, ["2026-03-03", "2026-03-04"]);
        }
    }
    assert_eq!(mapping::body_temperature(&period("null", "tonight")), None);
    let empty = read(r#"{"start_time":"2026-03-03T22:00:00","samples":null}"#);
    assert_eq!(mapping::body_temperature(&empty), Some(Vec::new()));
}

#[test]
fn blood_oxygen() {
    let test = |time: &str, offset: &str, status: &str, percent: &str| -> Spo2Test {
        read(&format!(
            r#"{{"source_device_id":"AB12","test_time":{time},"time_zone_offset":{offset},"test_status":{status},
                "blood_oxygen_percent":{percent},"average_heart_rate_bpm":58,"heart_rate_variability_ms":61.0,
                "spo2_class":"SPO2_CLASS_NORMAL"}}"#
        ))
    };
    let passed = r#""SPO2_TEST_PASSED""#;
    for (time, offset, timestamp) in [
        ("1772600000", "120", "2026-03-04T06:53:20+02:00"),
        ("1772600000000", "-210", "2026-03-04T01:23:20-03:30"),
        ("1772600000", "null", "2026-03-04T04:53:20+00:00"),
    ] {
        let reading = mapping::blood_oxygen(&test(time, offset, passed, "97")).expect("a sample");
        check_arrivals(std::slice::from_ref(&reading));
        assert_eq!(
            values(&[reading], BloodOxygen),
            [json!({"timestamp": timestamp, "value": 97})]
        );
    }
    for (status, percent) in [
        (r#""SPO2_TEST_INCONCLUSIVE_TOO_LOW_OVERALL_QUALITY""#, "97"),
        (r#""SPO2_TEST_DREAMT""#, "97"),
        ("null", "97"),
        (passed, "null"),
    ] {
        assert_eq!(mapping::blood_oxygen(&test("1772600000", "120", status, percent)), None);
    }
}

#[test]
fn electrocardiograms() {
    let cardiogram: Ecg = read(
        r#"{"source_device_id":"AB12","test_time":1772600000,"time_zone_offset":120,"average_heart_rate_bpm":60,
            "heart_rate_variability_ms":55.0,"samples":[{"recording_time_delta_ms":0,"amplitude_mv":0.12},
            {"recording_time_delta_ms":8,"amplitude_mv":-0.07}],"quality_measurements":[]}"#,
    );
    let readings = mapping::electrocardiogram(&cardiogram);
    check_arrivals(&readings);
    let expected = json!({
        "session_start": "2026-03-04T06:53:20+02:00", "session_end": "2026-03-04T06:53:20.008+02:00",
        "voltage_sample_count": 2, "heart_rate_mean": 60,
    });
    assert_eq!(values(&readings, Electrocardiogram), [expected]);
    let voltages = [
        json!({"timestamp": "2026-03-04T06:53:20+02:00", "value": 0.12}),
        json!({"timestamp": "2026-03-04T06:53:20.008+02:00", "value": -0.07}),
    ];
    assert_eq!(values(&readings, ElectrocardiogramVoltage), voltages);

    let empty = mapping::electrocardiogram(&read(
        r#"{"test_time":1772600000,"time_zone_offset":null,"average_heart_rate_bpm":null,"samples":null}"#,
    ));
    check_arrivals(&empty);
    let time = "2026-03-04T04:53:20+00:00";
    let expected = json!({"session_start": time, "session_end": time, "voltage_sample_count": 0});
    assert_eq!(values(&empty, Electrocardiogram), [expected]);
    assert_eq!(empty.len(), 1);
}

//! Tests of electrocardiograms.

use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName::{Electrocardiogram, ElectrocardiogramVoltage};

use super::super::generated::models::{HeartPage, HeartRecord, HeartResponse};
use super::super::mapping;
use super::{check_arrivals, read, values};

/// Responses of the documentation.
const LIST: &str = r#"{"status":0,"body":{"series":[{"deviceid":"dev-2","model":91,"ecg":{"signalid":4001,"afib":0},
    "bloodpressure":{"systole":118,"diastole":76},"heart_rate":64,"timestamp":1772599500,"modified":1772599600}],
    "more":false,"offset":0}}"#;
const SIGNAL: &str =
    r#"{"status":0,"body":{"signal":[12,18,-7],"sampling_frequency":300,"wearposition":1,"heart_rate":64}}"#;

fn record() -> HeartRecord {
    let response: HeartResponse = read(LIST);
    response.body.expect("a page").series.remove(0)
}

fn signal() -> HeartPage {
    let response: HeartResponse = read(SIGNAL);
    response.body.expect("a signal")
}

fn convert(record: &HeartRecord, signal: &HeartPage) -> Result<Vec<Reading>, Refusal> {
    let readings = mapping::electrocardiogram(record, record.ecg.as_ref().expect("one"), signal)?;
    check_arrivals(&readings);
    Ok(readings)
}

#[test]
fn one_of_the_documentation() {
    let readings = convert(&record(), &signal()).expect("readings");
    let expected = json!({
        "provider_id": "4001", "session_start": "2026-03-04T04:45:00+00:00",
        "session_end": "2026-03-04T04:45:00.010+00:00", "voltage_sample_count": 3, "heart_rate_mean": 64.0,
        "sampling_frequency_hz": 300, "classification": "sinus_rhythm",
    });
    assert_eq!(values(&readings, Electrocardiogram), [expected]);
    let expected = [
        json!({"timestamp": "2026-03-04T04:45:00+00:00", "value": 0.012}),
        json!({"timestamp": "2026-03-04T04:45:00.003333+00:00", "value": 0.018}),
        json!({"timestamp": "2026-03-04T04:45:00.006666+00:00", "value": -0.007}),
    ];
    assert_eq!(values(&readings, ElectrocardiogramVoltage), expected);
    assert!(readings.iter().all(|reading| reading.source_type == Some("cuff")));
}

#[test]
fn classifications_and_rates() {
    for (afib, rate, classification, mean) in [
        ("0", "64", Some("sinus_rhythm"), Some(64.0)),
        (
            "1",
            r#"{"value":70,"is_deleted":false}"#,
            Some("atrial_fibrillation"),
            Some(70.0),
        ),
        ("2", r#"{"value":70,"is_deleted":true}"#, Some("inconclusive"), None),
        ("7", "0", None, None),
        ("null", "null", None, None),
    ] {
        let record: HeartRecord = read(&format!(
            r#"{{"timestamp":1772599500,"modified":null,"deviceid":null,"model":null,"bloodpressure":null,
                "ecg":{{"signalid":1,"afib":{afib}}},"heart_rate":{rate}}}"#
        ));
        let readings = convert(&record, &signal()).expect("readings");
        let summary = &values(&readings, Electrocardiogram)[0];
        assert_eq!(
            summary.get("classification").and_then(|found| found.as_str()),
            classification
        );
        assert_eq!(summary.get("heart_rate_mean").and_then(|found| found.as_f64()), mean);
        assert_eq!(readings[0].source_type, None);
    }
}

#[test]
fn a_signal_needs_a_frequency() {
    let mut signal = signal();
    for frequency in [None, Some(0), Some(-300)] {
        signal.sampling_frequency = frequency;
        assert!(
            matches!(convert(&record(), &signal), Err(Refusal::Failed(_))),
            "{frequency:?}"
        );
    }
    signal.signal.clear();
    let readings = convert(&record(), &signal).expect("readings");
    let summary = &values(&readings, Electrocardiogram)[0];
    assert_eq!(summary["voltage_sample_count"], json!(0));
    assert_eq!(summary["session_start"], summary["session_end"]);
    assert_eq!(readings.len(), 1);
}

//! Tests of what the user entered.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::ResourceName::{self, Carbohydrates, Glucose, InsulinInjection, Note, WorkoutDuration};

use super::super::generated::models::{EventList, UserEvent};
use super::super::mapping;
use super::{check_arrivals, read, values};

/// Returns an event of a kind at a minute after 12:31.
fn event(minute: u32, kind: &str, sub_type: &str, value: &str, unit: &str) -> UserEvent {
    read(&format!(
        r#"{{"recordId":"e-1","systemTime":"2026-03-04T11:{:02}:00","displayTime":"2026-03-04T12:{:02}:00",
            "eventStatus":"created","eventType":"{kind}","eventSubType":{sub_type},"value":{value},"unit":{unit}}}"#,
        31 + minute,
        31 + minute
    ))
}

fn readings(events: &[UserEvent]) -> Vec<Reading> {
    let readings = mapping::events(events).expect("times");
    check_arrivals(&readings);
    readings
}

/// Returns the only value.
fn value(event: UserEvent, resource: ResourceName, source: &str) -> Value {
    let readings = readings(&[event]);
    assert_eq!((readings.len(), readings[0].source_type), (1, Some(source)));
    assert_eq!(readings[0].day.to_string(), "2026-03-04");
    values(&readings, resource).remove(0)
}

const TIME: &str = "2026-03-04T12:31:00+01:00";

#[test]
fn carbohydrates() {
    let list: EventList = read(
        r#"{"recordType":"event","recordVersion":"3.0","userId":"ab12cd","records":[{"recordId":"e-1",
            "systemTime":"2026-03-04T11:31:00","displayTime":"2026-03-04T12:31:00","eventStatus":"created",
            "eventType":"carbs","eventSubType":null,"value":"45","unit":"grams","transmitterId":"t9",
            "transmitterGeneration":"g6","displayDevice":"receiver","new_member":0}]}"#,
    );
    let expected = json!({"timestamp": TIME, "value": 45.0});
    assert_eq!(value(list.records[0].clone(), Carbohydrates, "app"), expected);
    let number = event(0, "carbs", "null", "45", "null");
    assert_eq!(value(number, Carbohydrates, "app"), expected, "a number without a unit");
}

#[test]
fn insulin() {
    let fast = value(
        event(0, "insulin", r#""fastActing""#, r#""4.5""#, r#""units""#),
        InsulinInjection,
        "app",
    );
    assert_eq!(fast, json!({"timestamp": TIME, "value": 4.5, "type": "fastActing"}));
    let other = value(event(0, "insulin", "null", "4", r#""units""#), InsulinInjection, "app");
    assert_eq!(other, json!({"timestamp": TIME, "value": 4.0}));
}

#[test]
fn exercise() {
    for (theirs, ours) in [
        ("light", "low"),
        ("medium", "medium"),
        ("heavy", "high"),
        ("brutal", "brutal"),
    ] {
        let kind = format!("\"{theirs}\"");
        let found = value(
            event(0, "exercise", &kind, r#""30""#, r#""minutes""#),
            WorkoutDuration,
            "app",
        );
        assert_eq!(found, json!({"timestamp": TIME, "value": 30.0, "intensity": ours}));
    }
}

#[test]
fn notes_and_health() {
    let note = value(event(0, "notes", "null", r#""Long walk""#, "null"), Note, "app");
    assert_eq!(note, json!({"timestamp": TIME, "value": "Long walk"}));
    let health = value(event(0, "health", r#""stress""#, "null", "null"), Note, "app");
    assert_eq!(
        health,
        json!({"timestamp": TIME, "value": "stress", "type": "stress", "tags": ["stress"]})
    );
    let with_text = value(event(0, "health", r#""illness""#, r#""A cold""#, "null"), Note, "app");
    assert_eq!(with_text["value"], "A cold");
    assert_eq!(readings(&[event(0, "health", "null", "null", "null")]), []);
}

#[test]
fn glucose_by_unit() {
    let milligrams = value(
        event(0, "bloodGlucose", "null", r#""108""#, r#""mg/dL""#),
        Glucose,
        "fingerprick",
    );
    assert_eq!(milligrams, json!({"timestamp": TIME, "value": 108.0 / 18.0182}));
    let millimoles = value(
        event(0, "bloodGlucose", "null", "6.1", r#""mmol/L""#),
        Glucose,
        "fingerprick",
    );
    assert_eq!(millimoles, json!({"timestamp": TIME, "value": 6.1}));
}

/// Amounts of one time are added; other times, types and resources are not, and of finger-sticks none.
#[test]
fn amounts_of_one_time() {
    let readings = readings(&[
        event(0, "carbs", "null", "45", "null"),
        event(0, "carbs", "null", r#""15.5""#, "null"),
        event(1, "carbs", "null", "7", "null"),
        event(0, "insulin", r#""fastActing""#, "4", "null"),
        event(0, "insulin", r#""longActing""#, "18", "null"),
        event(0, "insulin", r#""fastActing""#, "2", "null"),
        event(0, "health", r#""stress""#, "null", "null"),
        event(0, "health", r#""illness""#, "null", "null"),
        event(0, "bloodGlucose", "null", "6", r#""mmol/L""#),
        event(0, "bloodGlucose", "null", "7", r#""mmol/L""#),
    ]);
    let of = |resource| -> Vec<_> {
        values(&readings, resource)
            .iter()
            .map(|one| one["value"].clone())
            .collect()
    };
    assert_eq!(of(Carbohydrates), [json!(60.5), json!(7.0)]);
    assert_eq!(of(InsulinInjection), [json!(6.0), json!(18.0)]);
    assert_eq!(of(Note), [json!("stress"), json!("illness")]);
    assert_eq!(of(Glucose), [json!(6.0), json!(7.0)]);
}

/// A deleted event has no value, also if its time cannot be read; a state that is not known has one.
#[test]
fn states_of_events() {
    for (state, count) in [("created", 1), ("updated", 1), ("archived", 1), ("deleted", 0)] {
        let mut event = event(0, "carbs", "null", "45", "null");
        event.event_status = state.into();
        assert_eq!(readings(&[event.clone()]).len(), count, "{state}");
        event.system_time = "yesterday".to_owned();
        assert_eq!(mapping::events(&[event]).is_err(), count == 1);
    }
}

#[test]
fn kinds_that_are_not_known() {
    for kind in ["unknown", "moods"] {
        assert_eq!(readings(&[event(0, kind, "null", r#""5""#, "null")]), []);
    }
    for kind in ["carbs", "insulin", "exercise", "notes", "bloodGlucose"] {
        assert_eq!(
            readings(&[event(0, kind, "null", "null", "null")]),
            [],
            "{kind} without a value"
        );
    }
}

/// A text that is not a number, or another unit, gives a reading without a value, which is rejected with a warning.
#[test]
fn values_that_are_not_valid() {
    for event in [
        event(0, "carbs", "null", r#""much""#, r#""grams""#),
        event(0, "carbs", "null", r#""2""#, r#""spoons""#),
        event(0, "bloodGlucose", "null", "6", "null"),
        event(0, "bloodGlucose", "null", r#""high""#, r#""mmol/L""#),
        event(0, "exercise", "null", "true", r#""minutes""#),
    ] {
        let readings = mapping::events(&[event]).expect("a time");
        assert_eq!(readings.len(), 1);
        assert!(!readings[0].value.contains_key("value"));
    }
}

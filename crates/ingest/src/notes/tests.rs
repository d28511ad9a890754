//! Tests of notes.

use serde_json::{Value, json};
use wearlab_models::User;

use crate::DataArrival;

fn arrival(resource: &str, values: &Value) -> DataArrival {
    let id = uuid::Uuid::nil();
    let fields = json!({"team_id": id, "user_id": id, "provider": "stridewell", "resource": resource, "date": "2026-05-01",
        "data": values});
    serde_json::from_value(fields).expect("data")
}

/// Returns the notes of an arrival: code, field and message.
fn notes(resource: &str, values: &Value) -> Vec<(String, String, String)> {
    let notes = arrival(resource, values).notes().into_iter();
    notes
        .map(|note| (note.code.as_str().to_owned(), note.field, note.message))
        .collect()
}

#[test]
fn a_resource_that_cannot_be_read_is_noted_with_the_nearest_one() {
    for (resource, meant) in [
        ("heart_rate", Some("heartrate")),
        ("HeartRate", Some("heartrate")),
        ("step", Some("steps")),
        ("workout", Some("workouts")),
        ("blood_presure", Some("blood_pressure")),
        ("body_weight", Some("weight")),
        ("body_fat", Some("fat")),
        ("mood", None),
    ] {
        let noted = notes(resource, &json!([{"timestamp": "2026-05-01T10:00:00Z", "value": 1}]));
        let [(code, field, message)] = noted.as_slice() else {
            panic!("{resource}: {noted:?}")
        };
        assert_eq!(
            (code.as_str(), field.as_str()),
            ("unreadable_resource", "data.resource")
        );
        assert!(message.contains("cannot be read"), "{message}");
        let hint = meant.map(|meant| format!("did you mean `{meant}`?"));
        assert!(hint.is_none_or(|hint| message.contains(&hint)), "{resource}: {message}");
        assert_eq!(
            message.contains("did you mean"),
            meant.is_some(),
            "{resource}: {message}"
        );
        // The sender's text is not repeated.
        assert!(meant.is_some() || !message.contains(resource), "{message}");
    }
    // Names of the API without values of their own.
    for resource in ["workout_stream", "sleep_stream", "device", "order"] {
        assert_eq!(notes(resource, &json!([]))[0].0, "unreadable_resource");
    }
    for resource in [
        "heartrate",
        "steps",
        "sleep",
        "workouts",
        "hypnogram",
        "note",
        "blood_pressure",
    ] {
        assert_eq!(notes(resource, &json!([])), [], "{resource}");
    }
}

#[test]
fn a_unit_that_is_assumed_is_noted_where_another_one_is_common() {
    let value = |unit: Value| json!({"timestamp": "2026-05-01T10:00:00Z", "value": 95, "unit": unit});
    for (resource, unit) in [
        ("glucose", "mmol/L"),
        ("cholesterol", "mmol/L"),
        ("weight", "kg"),
        ("body_temperature", "°C"),
    ] {
        let noted = notes(resource, &json!([value(json!(unit)), value(Value::Null)]));
        assert_eq!(noted.len(), 1, "{resource}");
        assert_eq!(
            (noted[0].0.as_str(), noted[0].1.as_str()),
            ("assumed_unit", "data.data[1].unit")
        );
        assert!(noted[0].2.contains(unit), "{}", noted[0].2);
        assert_eq!(notes(resource, &json!([value(json!(unit))])), []);
    }
    assert_eq!(notes("steps", &json!([value(Value::Null)])), []);
}

#[test]
fn times_in_a_zone_that_was_never_set_are_noted() {
    let at = "2026-01-01T00:00:00Z";
    let user = |source: &str| -> User {
        let user = json!({"user_id": uuid::Uuid::nil(), "team_id": uuid::Uuid::nil(), "client_user_id": "c", "created_on": at,
            "connected_sources": [], "fallback_time_zone": {"id": "UTC", "source_slug": source, "updated_at": at}});
        serde_json::from_value(user).expect("a user")
    };
    let codes = |values: &Value, source: &str| -> Vec<_> {
        let notes = arrival("heartrate", values).time_notes(&user(source)).expect("is read");
        notes
            .into_iter()
            .map(|note| (note.code.as_str().to_owned(), note.field))
            .collect()
    };
    let local = json!([{"timestamp": "2026-05-01T10:00:00Z"}, {"timestamp": "2026-05-01T10:00:00"}]);
    let expected = [("default_time_zone".to_owned(), "data.data[1].timestamp".to_owned())];
    assert_eq!(codes(&local, "default"), expected);
    assert_eq!(codes(&local, "manual"), []);
    assert_eq!(codes(&json!([{"timestamp": "2026-05-01T10:00:00Z"}]), "default"), []);
    // Its zone is set elsewhere.
    assert_eq!(
        codes(&json!([{"timestamp": "2026-05-01T10:00:00", "tz": "x"}]), "default"),
        []
    );
}

//! What is kept of values: their shape, what identifies them, and what the service adds.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use wearlab_models::{ResourceName, User};

use super::{Completed, DataKind, Kept, StoredSummary, Summary};
use crate::{Arrival, DataArrival, ExactObject, IngestError, ValidArrival};

fn arrival(resource: &str, value: Value) -> Result<DataArrival, crate::LineError> {
    let id = uuid::Uuid::nil();
    let line = json!({"data": {"team_id": id, "user_id": id, "provider": "stridewell", "resource": resource,
        "date": "2026-05-01", "source": {"type": "watch"}, "data": [value]}});
    let valid = ValidArrival::read(&line.to_string())?;
    let Arrival::Data(data) = &*valid else { panic!("data") };
    Ok(data.clone())
}

fn user() -> User {
    let at = "2026-01-01T00:00:00Z";
    let user = json!({"user_id": uuid::Uuid::nil(), "team_id": uuid::Uuid::nil(), "client_user_id": "c", "created_on": at,
        "connected_sources": [], "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": at}});
    serde_json::from_value(user).expect("a user")
}

fn at(time: &str) -> DateTime<Utc> {
    time.parse().expect("a time")
}

/// The only value of an arrival as it is kept, and what it is found by.
fn complete(resource: &str, value: Value, now: &str, before: Option<&ExactObject>) -> (ExactObject, Summary) {
    let arrival = arrival(resource, value).expect("is valid");
    let user = user();
    let arrival = arrival.with_offsets(&user).expect("a time zone");
    let stored = |summary: &Summary| {
        let before = before.map(|document| StoredSummary {
            id: summary.id,
            day: summary.day,
            start: summary.start,
            end: summary.end,
            is_of_provider: true,
            is_of_source: true,
            document: document.clone(),
        });
        Ok::<_, IngestError>(before.into_iter().collect())
    };
    let Completed { arrival, kept, .. } = arrival.completed(&user, at(now), stored).expect("is complete");
    let Kept::Summaries(mut summaries) = kept else {
        panic!("a summary")
    };
    (arrival.data[0].clone(), summaries.remove(0))
}

fn shown(object: &ExactObject) -> Value {
    serde_json::to_value(object).expect("JSON")
}

#[test]
fn values_of_another_shape_are_refused_with_their_field_and_without_the_value() {
    let night = |more: Value| {
        let mut night = json!({"bedtime_start": "2026-05-01T22:00:00Z", "bedtime_stop": "2026-05-02T06:00:00Z",
            "type": "long_sleep", "duration": 1, "total": 1, "awake": 1, "light": 1, "rem": 1, "deep": 1});
        night
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        night
    };
    for (resource, value, expected) in [
        ("steps", json!({"value": 1}), "data.data[0]: missing field `timestamp`"),
        (
            "steps",
            json!({"timestamp": "2026-05-01T10:00:00Z"}),
            "data.data[0]: missing field `value`",
        ),
        (
            "steps",
            json!({"timestamp": "2026-05-01T10:00:00Z", "value": "hush"}),
            "data.data[0].value: expected a number",
        ),
        (
            "glucose",
            json!({"timestamp": "2026-05-01T10:00:00Z", "value": 99, "unit": "mg/dL"}),
            "data.data[0].unit: expected mmol/L, the unit of the resource",
        ),
        (
            "blood_pressure",
            json!({"timestamp": "2026-05-01T10:00:00Z", "systolic": 118}),
            "data.data[0]: missing field `diastolic`",
        ),
        ("activity", json!({"steps": "hush"}), "data.data[0].steps: expected"),
        (
            "activity",
            json!({"heart_rate": {"avg_bpm": "hush"}}),
            "data.data[0].heart_rate.avg_bpm: expected",
        ),
        ("sleep", night(json!({"score": "hush"})), "data.data[0].score: expected"),
        (
            "sleep",
            night(json!({"bedtime_stop": "hush"})),
            "data.data[0].bedtime_stop: expected a date or time",
        ),
        (
            "sleep_cycle",
            json!({"session_start": "2026-05-01T22:00:00Z", "session_end": "2026-05-02T06:00:00Z",
                "stage_start_offset_second": [0, 60], "stage_end_offset_second": [60], "stage_type": [1]}),
            "data.data[0].stage_type: the columns of the stages are not of one length",
        ),
    ] {
        let error = arrival(resource, value).expect_err(expected).to_string();
        assert!(error.starts_with(expected) && !error.contains("hush"), "{error}");
    }
    // What nobody knows is any object.
    assert_eq!(DataKind::of(&ResourceName::from("unheard_of")), DataKind::Other);
    assert!(arrival("unheard_of", json!({"value": "hush"})).is_ok());
}

#[test]
fn a_summary_is_identified_by_its_id_or_by_what_it_is_of() {
    let now = "2026-06-01T00:00:00Z";
    let id = |resource: &str, value: Value| complete(resource, value, now, None).1.id;
    assert_eq!(id("activity", json!({"steps": 1})), id("activity", json!({"steps": 2})));
    assert_ne!(id("activity", json!({})), id("body", json!({})));
    assert_ne!(
        id("activity", json!({})),
        id("activity", json!({"calendar_date": "2026-05-02"}))
    );
    let own = "018f3c52-0000-7000-8000-000000000001";
    assert_eq!(id("activity", json!({"id": own})).to_string(), own);
    let workout = |start: &str, provider_id: &str| {
        let time = format!("2026-05-01T{start}:00Z");
        id(
            "workouts",
            json!({"time_start": time, "time_end": "2026-05-01T12:00:00Z", "provider_id": provider_id}),
        )
    };
    assert_eq!(workout("08:00", "a"), workout("09:00", "a"));
    assert_ne!(workout("08:00", "a"), workout("08:00", "b"));
    let meal = |day: &str| {
        let time = format!("{day}T12:00:00Z");
        id(
            "meal",
            json!({"timestamp": time, "provider_id": "m", "name": "soup", "priority_id": 1, "source_id": 1}),
        )
    };
    assert_eq!(meal("2026-05-01"), meal("2026-05-01"));
}

#[test]
fn a_summary_has_what_every_summary_has() {
    let value = json!({"steps": 812, "calendar_date": "2026-04-30", "user_id": "forged", "created_at": "1999-01-01T00:00:00Z",
        "mood": {"is": 1.50}});
    let (value, summary) = complete("activity", value, "2026-06-01T00:00:00Z", None);
    let expected = json!({"id": summary.id, "user_id": uuid::Uuid::nil(),
        "source": {"provider": "stridewell", "type": "watch", "app_id": null},
        "calendar_date": "2026-04-30", "date": "2026-04-30T00:00:00Z", "steps": 812, "mood": {"is": 1.5},
        "created_at": "2026-06-01T00:00:00Z", "updated_at": "2026-06-01T00:00:00Z"});
    assert_eq!(shown(&value), expected);
    assert_eq!(summary.day.to_string(), "2026-04-30");
}

#[test]
fn a_correction_keeps_when_it_was_created_and_a_repeat_keeps_all() {
    let (first, _) = complete("body", json!({"weight": 71.5}), "2026-06-01T00:00:00Z", None);
    let (again, _) = complete("body", json!({"weight": 71.50}), "2026-06-02T00:00:00Z", Some(&first));
    assert_eq!(shown(&again), shown(&first));
    let (corrected, _) = complete("body", json!({"weight": 71.4}), "2026-06-03T00:00:00Z", Some(&again));
    let corrected = shown(&corrected);
    assert_eq!(corrected["created_at"], "2026-06-01T00:00:00Z");
    assert_eq!(corrected["updated_at"], "2026-06-03T00:00:00Z");
}

#[test]
fn stages_are_in_columns_and_in_a_hypnogram_whichever_came() {
    let session = |more: Value| {
        let mut session = json!({"session_start": "2026-05-01T23:00:00", "session_end": "2026-05-02T06:00:00"});
        session
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        shown(&complete("sleep_cycle", session, "2026-06-01T00:00:00Z", None).0)
    };
    let columns = json!({"stage_start_offset_second": [0, 3000], "stage_end_offset_second": [3000, 6000],
        "stage_type": [2, 1]});
    let stages = json!({"hypnogram": [
        {"start": "2026-05-01T23:00:00+02:00", "end": "2026-05-01T23:50:00+02:00", "stage": "light"},
        {"start": "2026-05-01T23:50:00+02:00", "end": "2026-05-02T00:40:00+02:00", "stage": "deep"},
    ]});
    let (of_columns, of_stages) = (session(columns.clone()), session(stages.clone()));
    for name in ["stage_start_offset_second", "stage_end_offset_second", "stage_type"] {
        assert_eq!(of_stages[name], columns[name], "{name}");
        assert_eq!(of_columns[name], columns[name], "{name}");
    }
    assert_eq!(of_columns["hypnogram"], stages["hypnogram"]);
    assert_eq!(of_stages["hypnogram"], stages["hypnogram"]);
    assert_eq!(
        of_stages["sleep_id"], of_columns["sleep_id"],
        "the sleep that starts at the same time"
    );
}

//! Tests of the stored form of values: their shape, their identity, and the members that the service adds.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use wearlab_models::{ResourceName, User};

use self::memory::Memory;
use super::{Completed, DataKind, Kept, SampleForm, Summary, present};
use crate::{Arrival, DataArrival, ExactObject, ValidArrival};

mod deduplication;
mod matching;
mod memory;

fn arrival(resource: &str, value: Value) -> Result<DataArrival, crate::LineError> {
    arrival_of(resource, &[value])
}

fn arrival_of(resource: &str, values: &[Value]) -> Result<DataArrival, crate::LineError> {
    let id = uuid::Uuid::nil();
    let line = json!({"data": {"team_id": id, "user_id": id, "provider": "stridewell", "resource": resource,
        "date": "2026-05-01", "source": {"type": "watch"}, "data": values}});
    let valid = ValidArrival::read(&line.to_string())?;
    let Arrival::Data(data) = &*valid else { panic!("data") };
    Ok(data.clone())
}

pub(crate) fn user() -> User {
    let at = "2026-01-01T00:00:00Z";
    let user = json!({"user_id": uuid::Uuid::nil(), "team_id": uuid::Uuid::nil(), "client_user_id": "c", "created_on": at,
        "connected_sources": [], "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": at}});
    serde_json::from_value(user).expect("a user")
}

fn at(time: &str) -> DateTime<Utc> {
    time.parse().expect("a time")
}

/// Completes the only value of an arrival, and returns it with its identity.
fn complete(resource: &str, value: Value, now: &str, before: Option<&ExactObject>) -> (ExactObject, Summary) {
    let arrival = arrival(resource, value).expect("is valid");
    let user = user();
    let arrival = arrival.with_offsets(&user).expect("a time zone");
    let lookup = |memory: &mut Memory| {
        let completed = arrival.completed(&user, at(now), memory);
        completed.expect("is complete")
    };
    let mut memory = Memory::default();
    if let Some(document) = before {
        let Kept::Summaries(mut summaries) = lookup(&mut memory).kept else {
            panic!("a summary")
        };
        memory.put(&arrival.resource, &summaries.remove(0), document);
    }
    let Completed { arrival, kept, .. } = lookup(&mut memory);
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
            json!({"calendar_date": "2026-05-02T00:00:00Z"}),
            "data.data[0].calendar_date: expected a date",
        ),
        (
            "meal",
            json!({"timestamp": "2026-05-01T12:00:00Z", "calendar_date": 20260502}),
            "data.data[0].calendar_date: expected a date",
        ),
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
    let meal = |more: Value| {
        let mut meal = json!({"timestamp": "2026-05-01T12:00:00Z", "provider_id": "m", "name": "soup", "priority_id": 1,
            "source_id": 1});
        meal.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        meal
    };
    let energy = json!({"energy": {"unit": "kJ", "value": 99}});
    for (more, expected) in [
        (
            energy.clone(),
            "data.data[0].energy.unit: expected kcal, the unit of energy",
        ),
        (
            json!({"data": {"hush": energy}}),
            "data.data[0].data: expected kcal, the unit of energy",
        ),
    ] {
        let error = arrival("meal", meal(more)).expect_err(expected).to_string();
        assert_eq!(error, expected);
    }
    // Values of an unknown resource are any objects.
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
fn nulls_say_nothing_and_times_are_cut_to_microseconds() {
    let value = json!({"timestamp": "2026-05-01T12:00:00.123456789+02:00", "provider_id": "m", "name": "soup",
        "priority_id": 1, "source_id": 1, "energy": null,
        "micros": {"minerals": {"zinc": null, "iron": 2.5}, "vitamins": null}, "foods": [{"name": null}, null]});
    assert!(arrival("meal", value.clone()).is_ok());
    let (meal, _) = complete("meal", value, "2026-06-01T00:00:00Z", None);
    let meal = shown(&meal);
    assert_eq!(meal["micros"], json!({"minerals": {"iron": 2.5}}));
    assert_eq!(meal["foods"], json!([{}, null]));
    assert_eq!(meal["timestamp"], "2026-05-01T12:00:00.123456+02:00");
    assert!(meal.get("energy").is_none() && meal["source"]["app_id"].is_null());
}

#[test]
fn a_leap_second_is_the_next_second_as_readers_know_none() {
    let cycle = json!({"session_start": "2016-12-31T23:59:60+00:00", "session_end": "2017-01-01T06:00:00Z",
        "hypnogram": [{"start": "2017-01-01T00:59:60.5+01:00", "end": "2017-01-01T06:00:00Z", "stage": "light"}]});
    let cycle = shown(&complete("sleep_cycle", cycle, "2026-06-01T00:00:00Z", None).0);
    assert_eq!(cycle["session_start"], "2017-01-01T00:00:00Z");
    assert_eq!(cycle["hypnogram"][0]["start"], "2017-01-01T01:00:00.500+01:00");
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

/// Returns the values of events, each for an arrival of one value.
fn sent(resource: &str, values: &[Value]) -> Vec<Value> {
    let sent = values.iter().flat_map(|value| {
        let arrival = arrival(resource, value.clone()).expect("is valid");
        let completed = arrival.completed(&user(), at("2026-06-01T00:00:00Z"), &mut Memory::default());
        let text = completed.expect("is complete").values(|_| true).expect("JSON");
        serde_json::from_str::<Vec<Value>>(&text).expect("a list")
    });
    sent.collect()
}

#[test]
fn measured_numbers_are_kept_as_they_came_and_sent_rounded_half_to_even() {
    let night = json!({"bedtime_start": "2026-05-01T22:00:00Z", "bedtime_stop": "2026-05-02T06:00:00Z", "type": "long_sleep",
        "duration": 1, "total": 1, "awake": 1, "light": 1, "rem": 1, "deep": 1, "score": 82.5, "hr_lowest": 43.5,
        "hr_average": 51.5, "hr_resting": 46.0, "efficiency": 93.75, "recovery_readiness_score": 71.4});
    let (kept, _) = complete("sleep", night, "2026-06-01T00:00:00Z", None);
    assert_eq!(shown(&kept)["hr_average"], 51.5);
    let mut read = kept.clone();
    present(&ResourceName::Sleep, &mut read);
    let read_again = {
        let mut again = read.clone();
        present(&ResourceName::Sleep, &mut again);
        shown(&again)
    };
    let read = shown(&read);
    assert_eq!(read, read_again);
    for (name, expected) in [
        ("score", json!(82)),
        ("recovery_readiness_score", json!(71)),
        ("hr_lowest", json!(44)),
        ("hr_average", json!(52)),
        ("hr_resting", json!(46)),
        ("efficiency", json!(93.75)),
    ] {
        assert_eq!(read[name], expected, "{name}");
    }
    let workout = json!({"time_start": "2026-05-01T08:00:00Z", "time_end": "2026-05-01T09:00:00Z", "average_hr": 131.5,
        "max_hr": 172.5, "hr_zones": [60.5, 121.5, 3], "moving_time": 3599.5, "distance": 10.5, "provider_id": "w"});
    let workout = &sent("workouts", &[workout])[0];
    assert_eq!(workout["hr_zones"], json!([60, 122, 3]));
    assert_eq!(workout["moving_time"], 3600);
    assert_eq!([&workout["average_hr"], &workout["max_hr"]], [132, 172]);
    assert_eq!(workout["distance"], 10.5);
    let heart = json!({"session_start": "2026-05-01T08:00:00Z", "session_end": "2026-05-01T08:00:30Z",
        "voltage_sample_count": 1, "heart_rate_mean": 66.5, "sampling_frequency_hz": 512.5});
    let heart = &sent("electrocardiogram", &[heart])[0];
    assert_eq!(
        (&heart["heart_rate_mean"], &heart["sampling_frequency_hz"]),
        (&json!(66), &json!(512.5))
    );
}

#[test]
fn wheelchairs_are_said_of_users_who_use_one() {
    for resource in ["activity", "profile"] {
        let sent = sent(
            resource,
            &[
                json!({"wheelchair_use": false}),
                json!({"wheelchair_use": true}),
                json!({}),
            ],
        );
        let said: Vec<_> = sent.iter().map(|value| value.get("wheelchair_use")).collect();
        assert_eq!(said, [None, Some(&json!(true)), None], "{resource}");
        let (kept, _) = complete(resource, json!({"wheelchair_use": false}), "2026-06-01T00:00:00Z", None);
        assert_eq!(shown(&kept)["wheelchair_use"], false, "{resource}");
    }
}

#[test]
fn summaries_repeat_their_source_and_meals_have_a_day() {
    let session = json!({"session_start": "2026-05-01T23:00:00Z", "session_end": "2026-05-02T06:00:00Z",
        "voltage_sample_count": 0, "stage_start_offset_second": [], "stage_end_offset_second": [], "stage_type": [],
        "period_start": "2026-05-01", "source_type": "forged"});
    for resource in ["sleep_cycle", "electrocardiogram", "menstrual_cycle"] {
        let value = &sent(resource, std::slice::from_ref(&session))[0];
        assert_eq!(value["source_provider"], "stridewell", "{resource}");
        assert_eq!(value["source_type"], "watch", "{resource}");
    }
    let meal = json!({"timestamp": "2026-04-30T23:30:00-05:00", "provider_id": "m", "name": "soup", "priority_id": 1,
        "source_id": 1});
    let (kept, summary) = complete("meal", meal.clone(), "2026-06-01T00:00:00Z", None);
    assert_eq!(shown(&kept)["calendar_date"], summary.day.to_string());
    // Values of earlier versions have none.
    let mut earlier = kept;
    earlier.remove("calendar_date");
    present(&ResourceName::Meal, &mut earlier);
    assert_eq!(shown(&earlier)["calendar_date"], "2026-04-30");
}

#[test]
fn samples_are_sent_with_the_spans_and_types_of_their_series() {
    let at = "2026-05-01T10:00:00Z";
    let instant = json!({"timestamp": at, "value": 2.5});
    let span = json!({"timestamp": at, "value": 2.5, "start": at, "end": "2026-05-01T10:15:00Z", "type": "own"});
    let begun = json!({"timestamp": at, "value": 2.5, "start": "2026-05-01T09:50:00Z", "mood": "fine"});
    let values = [instant, span, begun];
    let steps = sent("steps", &values);
    assert_eq!((&steps[0]["start"], &steps[0]["end"]), (&json!(at), &json!(at)));
    assert_eq!(steps[1]["end"], "2026-05-01T10:15:00Z");
    assert_eq!(
        (&steps[2]["start"], &steps[2]["end"]),
        (&json!("2026-05-01T09:50:00Z"), &json!(at))
    );
    assert_eq!(steps[2]["mood"], "fine");
    assert_eq!(steps[0].get("type"), None);
    let rates = sent("heartrate", &values);
    assert_eq!(rates[0].get("start"), None);
    assert_eq!(rates[2]["start"], "2026-05-01T09:50:00Z");
    let alerts = sent("heart_rate_alert", &values);
    let types: Vec<_> = alerts.iter().map(|alert| &alert["type"]).collect();
    assert_eq!(types, ["unknown", "own", "unknown"]);
    assert_eq!(alerts[0]["value"], json!(2));
    let note = sent(
        "note",
        &[json!({"timestamp": at, "value": "Slept \"start\" badly.", "tags": ["start"]})],
    );
    assert_eq!(note[0]["end"], at);
    assert_eq!(note[0]["tags"], json!(["start"]));
    assert_eq!(note[0]["value"], "Slept \"start\" badly.");
    // Every series has a form of its own, and stored values have none.
    assert_eq!(SampleForm::of(&ResourceName::Heartrate), SampleForm::default());
}

#[test]
fn a_sample_without_a_type_is_one_of_an_unknown_type_where_reads_show_it() {
    let at = "2026-05-01T10:00:00Z";
    let values = [
        json!({"timestamp": at, "value": 1}),
        json!({"timestamp": at, "value": 2, "type": "unknown"}),
    ];
    let kept = |resource: &str| {
        let arrival = arrival_of(resource, &values).expect("is valid");
        let completed = arrival.completed(&user(), self::at("2026-06-01T00:00:00Z"), &mut Memory::default());
        match completed.expect("is complete").kept {
            Kept::Samples(samples) => samples.into_iter().map(|sample| sample.kind).collect::<Vec<_>>(),
            _ => panic!("samples"),
        }
    };
    assert_eq!(kept("insulin_injection"), [None]);
    assert_eq!(kept("heartrate"), [None, Some("unknown".into())]);
}

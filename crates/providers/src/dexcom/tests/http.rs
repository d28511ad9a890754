//! Tests of pulls over HTTP: they read what the simulation has.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, NaiveDateTime};
use serde_json::{Value, json};
use wearlab_connect::{Provider, Reading, Span};
use wearlab_models::{DateTime, ResourceName};

use super::super::Dexcom;
use super::super::generated::models::{EventStatus, EventType, RecordValue, UserEvent};
use super::super::simulated::Data;
use super::check_arrivals;
use super::service::{SCOPES, Service, last_day, pull};

/// Samples by their time: the value, and the type.
type Samples = BTreeMap<DateTime, (Value, Value)>;

/// 40 days, which end some days before the last that there are.
fn forty_days() -> Span {
    let last = last_day() - Days::new(10);
    Span {
        first: last - Days::new(39),
        last,
    }
}

/// Pulls 40 days, and returns the data of the simulation with them.
async fn pulled(minutes: i32) -> (Data, Vec<Reading>) {
    let service = Service::of(minutes, 60).await;
    let readings = pull(&service.session(SCOPES), forty_days()).await.expect("readings");
    check_arrivals(&readings);
    (service.simulation.with_data(|data| data.clone()), readings)
}

/// Returns the samples of a resource and a source.
fn samples(readings: &[Reading], resource: ResourceName, source: Option<&str>) -> Samples {
    let of_resource = |reading: &&Reading| reading.resource == resource && reading.source_type == source;
    let found = readings.iter().filter(of_resource).map(|reading| {
        let value = |name| reading.value.get(name).cloned().unwrap_or_default();
        let time = value("timestamp");
        let time = DateTime::parse_from_rfc3339(time.as_str().expect("a time")).expect("a time");
        assert_eq!(time.date_naive(), reading.day);
        (time, (value("value"), value("type")))
    });
    let all: Vec<_> = found.collect();
    let by_time: Samples = all.iter().cloned().collect();
    assert_eq!(by_time.len(), all.len(), "no value is returned twice");
    by_time
}

/// Returns the time of a record whose display is in the offset of the simulation, if it is of the 40 days.
fn time(display: &str, minutes: i32) -> Option<DateTime> {
    let local = NaiveDateTime::parse_from_str(&display[..19], "%Y-%m-%dT%H:%M:%S").expect("a time");
    let offset = FixedOffset::east_opt(minutes * 60).expect("an offset");
    let span = forty_days();
    let is_within = span.contains(local.date());
    is_within.then(|| local.and_local_timezone(offset).single().expect("a time"))
}

/// The offsets are those where the evening of a day is the next day in UTC, or the morning the day before.
#[tokio::test]
async fn glucose_of_the_sensor() {
    for minutes in [-12 * 60, 345, 14 * 60] {
        let (data, readings) = pulled(minutes).await;
        let expected: Samples = data
            .egvs
            .iter()
            .filter_map(|record| {
                let Some(RecordValue::Number(number)) = record.value else {
                    return None;
                };
                Some((
                    time(&record.display_time, minutes)?,
                    (json!(number / 18.0182), Value::Null),
                ))
            })
            .collect();
        assert!(expected.len() > 10_000);
        assert!(
            data.egvs.iter().any(|record| record.value.is_none()),
            "some are out of range"
        );
        let read = samples(&readings, ResourceName::Glucose, None);
        assert!(read == expected, "{minutes}: {} of {}", read.len(), expected.len());
        let offset = minutes * 60;
        assert!(
            read.keys().all(|time| time.offset().local_minus_utc() == offset),
            "by phones and receivers"
        );
    }
}

fn number(event: &UserEvent) -> f64 {
    match &event.value {
        Some(RecordValue::Text(text)) => text.parse().expect("a number"),
        _ => panic!("a number as text"),
    }
}

#[tokio::test]
async fn entries_and_finger_sticks() {
    let minutes = -210;
    let (data, readings) = pulled(minutes).await;
    assert!(
        data.events
            .iter()
            .any(|event| event.event_status == EventStatus::Deleted)
    );
    let events = |kind: EventType, value: fn(&UserEvent) -> Value| -> Samples {
        let events = data
            .events
            .iter()
            .filter(|event| event.event_status != EventStatus::Deleted);
        let of_kind = events.filter(|event| event.event_type == kind);
        of_kind
            .filter_map(|event| {
                let kind = event.event_sub_type.as_deref().filter(|kind| *kind != "medium");
                Some((time(&event.display_time, minutes)?, (value(event), json!(kind))))
            })
            .collect()
    };
    let amount = |event: &UserEvent| json!(number(event));
    let app = Some("app");
    for (kind, resource) in [
        (EventType::Carbs, ResourceName::Carbohydrates),
        (EventType::Insulin, ResourceName::InsulinInjection),
        (EventType::Exercise, ResourceName::WorkoutDuration),
    ] {
        let expected = events(kind, amount);
        assert!(expected.len() > 25);
        assert_eq!(samples(&readings, resource, app), expected);
    }
    let mut notes = events(EventType::Health, |_| json!("stress"));
    notes.extend(events(EventType::Notes, |_| json!("Long walk")));
    assert_eq!(samples(&readings, ResourceName::Note, app), notes);

    let mut sticks = events(EventType::BloodGlucose, |event| json!(number(event) / 18.0182));
    let calibrations = data.calibrations.iter().filter_map(|record| {
        let value = record.value? / 18.0182;
        Some((time(&record.display_time, minutes)?, (json!(value), Value::Null)))
    });
    let entered = sticks.len();
    sticks.extend(calibrations);
    assert!(entered > 25 && sticks.len() > entered + 5);
    assert_eq!(samples(&readings, ResourceName::Glucose, Some("fingerprick")), sticks);
}

#[tokio::test]
async fn the_account() {
    let service = Service::start().await;
    let account = Dexcom.account(&service.session(SCOPES)).await.expect("an account");
    assert_eq!(account.provider_user_id.as_deref(), Some("person-1"));
    service.simulation.with_data(|data| {
        data.egvs.clear();
        data.events.clear();
        data.calibrations.clear();
    });
    assert!(Dexcom.account(&service.session(SCOPES)).await.is_ok(), "without data");
    assert_eq!(pull(&service.session(SCOPES), forty_days()).await, Ok(Vec::new()));
}

/// Three lists for each window of 28 days: there are no pages.
#[tokio::test]
async fn each_list_is_requested_once() {
    let service = Service::start().await;
    pull(&service.session(SCOPES), forty_days()).await.expect("readings");
    assert_eq!(service.simulation.faults().requests(), 6);
}

//! Tests of pulls over HTTP: they read what the simulation has.

use std::collections::BTreeMap;

use chrono::{Days, FixedOffset, TimeDelta};
use serde_json::{Value, json};
use wearlab_connect::{Provider, Reading, Span};
use wearlab_models::{DateTime, ResourceName};

use super::super::Strava;
use super::super::generated::models::NumberStream;
use super::super::simulated::Recorded;
use super::service::{SCOPES, Service, last_day, last_days, pull};
use super::{check_arrivals, values};
use crate::simulated::local_time::local_time;

/// 40 days, which end some days before the last that there are.
fn forty_days() -> Span {
    let last = last_day() - Days::new(20);
    Span {
        first: last - Days::new(39),
        last,
    }
}

/// Returns the recorded activities of a span, by their local days.
fn recorded(service: &Service, span: Span) -> Vec<Recorded> {
    service.simulation.with_data(|data| {
        let is_within = |recorded: &&Recorded| {
            let local = recorded.activity.start_date_local.expect("a time");
            span.contains(local.date_naive())
        };
        data.activities.iter().filter(is_within).cloned().collect()
    })
}

fn time(value: &Value) -> DateTime {
    DateTime::parse_from_rfc3339(value.as_str().expect("a time")).expect("a time")
}

/// Returns samples by their time.
fn by_time(readings: &[Reading], resource: ResourceName) -> BTreeMap<DateTime, f64> {
    let all = values(readings, resource);
    let samples: BTreeMap<_, _> = all
        .iter()
        .map(|sample| (time(&sample["timestamp"]), sample["value"].as_f64().expect("a number")))
        .collect();
    assert_eq!(samples.len(), all.len(), "no sample is returned twice");
    samples
}

fn streamed(recorded: &[Recorded], stream: fn(&Recorded) -> Option<&NumberStream>) -> BTreeMap<DateTime, f64> {
    let mut samples = BTreeMap::new();
    for one in recorded {
        let times = one
            .streams
            .iter()
            .flat_map(|streams| &streams.time)
            .flat_map(|times| &times.data);
        let values = stream(one).into_iter().flat_map(|stream| &stream.data);
        for (seconds, value) in times.zip(values) {
            if let (Some(seconds), Some(value)) = (seconds, value) {
                samples.insert(one.activity.start_date + TimeDelta::seconds(*seconds as i64), *value);
            }
        }
    }
    samples
}

#[tokio::test]
async fn workouts_with_their_samples() {
    for hours in [-10, 0, 13] {
        let service = Service::start(hours).await;
        let readings = pull(&service.session(SCOPES), "workouts", forty_days())
            .await
            .expect("readings");
        check_arrivals(&readings);
        let recorded = recorded(&service, forty_days());
        assert!(recorded.len() > 10);
        assert!(recorded.iter().any(|one| one.streams.is_none()), "some were entered");
        assert!(recorded.iter().any(|one| one.activity.private == Some(true)));

        let read = values(&readings, ResourceName::Workouts);
        let by_id: BTreeMap<_, _> = read
            .iter()
            .map(|value| (value["provider_id"].as_str(), value))
            .collect();
        assert_eq!((read.len(), by_id.len()), (recorded.len(), recorded.len()));
        for one in &recorded {
            let activity = &one.activity;
            let workout = by_id[&Some(activity.id.to_string().as_str())];
            assert_eq!(workout["calories"].as_f64(), activity.calories, "details are read");
            assert_eq!(time(&workout["time_start"]), activity.start_date);
            let local = activity.start_date_local.expect("a time").date_naive();
            assert_eq!(workout["calendar_date"], json!(local));
        }
        let rates = streamed(&recorded, |one| one.streams.as_ref()?.heartrate.as_ref());
        assert!(rates.len() > 1_000);
        assert_eq!(by_time(&readings, ResourceName::Heartrate), rates);
        let power = streamed(&recorded, |one| one.streams.as_ref()?.watts.as_ref());
        assert_eq!(by_time(&readings, ResourceName::WorkoutPower), power);
        let last = |one: &Recorded| one.streams.as_ref()?.distance.as_ref()?.data.last().copied().flatten();
        let total: f64 = recorded.iter().filter_map(last).sum();
        let read: f64 = by_time(&readings, ResourceName::WorkoutDistance).values().sum();
        assert!((total - read).abs() < 0.01 && total > 1_000.0, "{total} {read}");
    }
}

/// The first and the last minutes of a span, which are of other days in UTC.
#[tokio::test]
async fn workouts_at_the_ends_of_a_span() {
    let span = last_days(5);
    for (hours, day, minutes, is_within) in [
        (-11, span.last, 1_435, true),
        (-11, span.last, 1_440, false),
        (13, span.first, 0, true),
        (13, span.first, -1, false),
    ] {
        let service = Service::start(hours).await;
        service.simulation.with_data(|data| {
            let start = local_time(FixedOffset::east_opt(hours * 3_600).expect("an offset"), day, minutes);
            let mut recorded = data.activities[0].clone();
            recorded.activity.start_date = start.to_utc().fixed_offset();
            recorded.activity.start_date_local = Some(start.naive_local().and_utc().fixed_offset());
            data.activities = vec![recorded];
        });
        let readings = pull(&service.session(SCOPES), "workouts", span)
            .await
            .expect("readings");
        let count = values(&readings, ResourceName::Workouts).len();
        assert_eq!(count, usize::from(is_within), "{hours} {minutes}");
    }
}

/// A page that the grant does not cover is short or empty, and ends the list only if it is empty for all.
#[tokio::test]
async fn pages_are_requested_until_one_is_empty() {
    let service = Service::start(0).await;
    let span = last_days(5);
    service.simulation.with_data(|data| {
        let sample = data
            .activities
            .iter()
            .find(|one| one.streams.is_none())
            .expect("an entered one")
            .clone();
        let copies = (0..450).map(|number| {
            let mut copy = sample.clone();
            copy.activity.id = number;
            copy.activity.start_date = local_time(FixedOffset::east_opt(0).expect("UTC"), span.first, number);
            copy.activity.start_date_local = Some(copy.activity.start_date);
            copy.activity.private = Some(number % 100 != 7);
            copy
        });
        data.activities = copies.collect();
    });
    let session = service.session(&["read", "activity:read"]);
    let before = service.requests();
    let readings = pull(&session, "workouts", span).await.expect("readings");
    let ids: Vec<_> = readings
        .iter()
        .map(|reading| reading.value["provider_id"].clone())
        .collect();
    assert_eq!(ids, ["7", "107", "207", "307", "407"].map(|id| json!(id)));
    assert_eq!(
        service.requests() - before,
        4 + 5,
        "three pages, an empty one, and the details"
    );
}

/// An activity that is deleted between the list and its details, and one whose streams are gone.
#[tokio::test]
async fn activities_that_are_gone() {
    let service = Service::start(0).await;
    let span = last_days(30);
    let before = pull(&service.session(SCOPES), "workouts", span)
        .await
        .expect("readings");
    let id = service.simulation.with_data(|data| {
        let mut recorded = data.activities.iter_mut().rev();
        let with_streams = recorded.find(|one| one.streams.is_some()).expect("an activity");
        with_streams.streams = None;
        with_streams.activity.id.to_string()
    });
    let after = pull(&service.session(SCOPES), "workouts", span)
        .await
        .expect("readings");
    let workouts = |readings: &[Reading]| values(readings, ResourceName::Workouts);
    assert_eq!(workouts(&before), workouts(&after), "the workout stays");
    assert!(after.len() < before.len());
    service
        .simulation
        .with_data(|data| data.activities.retain(|one| one.activity.id.to_string() != id));
    let without = pull(&service.session(SCOPES), "workouts", span)
        .await
        .expect("readings");
    assert_eq!(workouts(&without).len() + 1, workouts(&before).len());
}

#[tokio::test]
async fn activities_of_the_person_alone_need_their_scope() {
    let service = Service::start(0).await;
    let span = last_days(30);
    let count = async |scopes: &[&str]| {
        let readings = pull(&service.session(scopes), "workouts", span)
            .await
            .expect("readings");
        values(&readings, ResourceName::Workouts).len()
    };
    let recorded = recorded(&service, span);
    let public = recorded
        .iter()
        .filter(|one| one.activity.private == Some(false))
        .count();
    assert_eq!(count(SCOPES).await, recorded.len());
    assert_eq!(count(&["activity:read"]).await, public);
    assert!(public < recorded.len());
}

#[tokio::test]
async fn the_athlete() {
    let service = Service::start(1).await;
    let athlete = service.simulation.with_data(|data| data.athlete.clone());
    let account = Strava.account(&service.session(&["read"])).await.expect("an account");
    assert_eq!(account.provider_user_id, Some(athlete.id.to_string()));
    let readings = pull(&service.session(&["read"]), "profile", last_days(1))
        .await
        .expect("readings");
    check_arrivals(&readings);
    let sex = if athlete.sex.as_deref() == Some("F") {
        "female"
    } else {
        "male"
    };
    assert_eq!(values(&readings, ResourceName::Profile), [json!({"sex": sex})]);
    assert_eq!(readings[0].day, last_day());
}

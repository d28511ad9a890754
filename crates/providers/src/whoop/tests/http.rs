//! Tests of pulls over HTTP: they read what the simulation has.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, FixedOffset, NaiveDate, TimeDelta};
use serde_json::json;
use wearlab_connect::{Provider, Reading, Span};
use wearlab_models::{DateTime, ResourceName};

use super::super::Whoop;
use super::super::generated::models::{Recovery, ScoreState, Sleep};
use super::super::simulated::Data;
use super::service::{SCOPES, Service, last_day, last_week, pull};
use super::{check_arrivals, values};
use crate::simulated::local_time::local_time;
use crate::testing::{by_id, by_time};

/// 100 days, which end some days before the last that there are.
fn hundred_days() -> Span {
    let last = last_day() - Days::new(20);
    Span {
        first: last - Days::new(99),
        last,
    }
}

/// Returns the day of a time in the offset of the simulation.
fn day(time: DateTime, hours: i32) -> NaiveDate {
    time.with_timezone(&FixedOffset::east_opt(hours * 3_600).expect("an offset"))
        .date_naive()
}

fn is_within(day: NaiveDate) -> bool {
    let span = hundred_days();
    span.contains(day)
}

/// Pulls a collection of 100 days, and returns the data of the simulation with it.
async fn pulled(name: &str, hours: i32) -> (Data, Vec<Reading>) {
    let service = Service::start(hours).await;
    let session = service.session(SCOPES);
    let readings = pull(&session, name, hundred_days()).await.expect("readings");
    check_arrivals(&readings);
    (service.simulation.with_data(|data| data.clone()), readings)
}

fn is_scored(state: &ScoreState) -> bool {
    *state == ScoreState::Scored
}

/// Returns the recovery of a sleep, if it has values.
fn recovery<'d>(data: &'d Data, sleep: &Sleep) -> Option<&'d Recovery> {
    let mut recoveries = data.recoveries.iter();
    recoveries.find(|recovery| recovery.sleep_id == sleep.id && is_scored(&recovery.score_state))
}

/// The offsets are those where the evening of a day is the next day in UTC, or the morning the day before.
#[tokio::test]
async fn activity() {
    for hours in [-11, 13] {
        let (data, readings) = pulled("cycles", hours).await;
        let mut expected = BTreeMap::new();
        for cycle in &data.cycles {
            let night = data
                .sleep
                .iter()
                .find(|sleep| !sleep.nap && sleep.cycle_id == Some(cycle.id));
            let day = day(night.expect("a night").end, hours);
            let energy = cycle.score.as_ref().expect("a score").kilojoule / 4.184;
            let energy = (energy * 1_000.0).round() / 1_000.0;
            let resting = recovery(&data, night.expect("a night"));
            let resting = resting.and_then(|recovery| Some(recovery.score.as_ref()?.resting_heart_rate));
            if is_within(day) {
                expected.insert(cycle.id.to_string(), (json!(day), json!(energy), resting));
            }
        }
        assert!(expected.len() > 85);
        let activities = by_id(&readings, ResourceName::Activity).into_iter();
        let read: BTreeMap<_, _> = activities
            .map(|(id, value)| {
                let resting = value["heart_rate"]["resting_bpm"].as_f64();
                (
                    id,
                    (value["calendar_date"].clone(), value["calories_total"].clone(), resting),
                )
            })
            .collect();
        assert_eq!(read, expected);
    }
}

#[tokio::test]
async fn sleep() {
    let (data, readings) = pulled("cycles", 9).await;
    let sleeps: Vec<_> = data.sleep.iter().filter(|sleep| is_within(day(sleep.end, 9))).collect();
    for state in [ScoreState::Scored, ScoreState::PendingScore, ScoreState::Unscorable] {
        assert!(sleeps.iter().any(|sleep| sleep.score_state == state), "{state:?}");
    }
    let read = by_id(&readings, ResourceName::Sleep);
    assert_eq!(read.len(), sleeps.len());
    let (mut hrv, mut breaths, mut oxygen, mut temperatures) =
        (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for sleep in sleeps {
        let value = &read[&sleep.id.to_string()];
        let kind = if sleep.nap { "acknowledged_nap" } else { "long_sleep" };
        assert_eq!(
            (&value["type"], &value["timezone_offset"]),
            (&json!(kind), &json!(9 * 3_600))
        );
        let stages = sleep.score.as_ref().map(|score| &score.stage_summary);
        let in_seconds = |milliseconds: i64| (milliseconds as f64 / 1_000.0).round() as i64;
        let deep = stages.map_or(0, |stages| in_seconds(stages.total_slow_wave_sleep_time_milli));
        assert_eq!(value["deep"], json!(deep));
        assert_eq!(value["duration"], json!((sleep.end - sleep.start).num_seconds()));
        breaths.extend(
            sleep
                .score
                .as_ref()
                .and_then(|score| Some((sleep.end, score.respiratory_rate?))),
        );
        let recovery = recovery(&data, sleep).and_then(|recovery| recovery.score.as_ref());
        let score = recovery.map(|recovery| recovery.recovery_score);
        assert_eq!(value["recovery_readiness_score"].as_f64(), score);
        let Some(recovery) = recovery else { continue };
        hrv.insert(sleep.end, recovery.hrv_rmssd_milli);
        oxygen.extend(recovery.spo2_percentage.map(|value| (sleep.end, value)));
        temperatures.extend(recovery.skin_temp_celsius.map(|value| (sleep.end, value)));
    }
    assert!(hrv.len() > oxygen.len() && oxygen.len() > 60);
    assert_eq!(by_time(&readings, ResourceName::Hrv), hrv);
    assert_eq!(by_time(&readings, ResourceName::RespiratoryRate), breaths);
    assert_eq!(by_time(&readings, ResourceName::BloodOxygen), oxygen);
    assert_eq!(by_time(&readings, ResourceName::BodyTemperature), temperatures);
}

#[tokio::test]
async fn workouts() {
    for hours in [-10, 12] {
        let (data, readings) = pulled("workouts", hours).await;
        let workouts = data
            .workouts
            .iter()
            .filter(|workout| is_within(day(workout.start, hours)));
        let expected: BTreeSet<_> = workouts.map(|workout| workout.id.to_string()).collect();
        assert!(expected.len() > 25);
        let read = by_id(&readings, ResourceName::Workouts);
        assert_eq!(read.keys().cloned().collect::<BTreeSet<_>>(), expected);
    }
}

/// The first and the last hour of a span, which are of other days in UTC.
#[tokio::test]
async fn workouts_at_the_ends_of_a_span() {
    let span = hundred_days();
    for (hours, day, minutes) in [(-11, span.last, 1_430), (14, span.first, 5)] {
        let service = Service::start(hours).await;
        service.simulation.with_data(|data| {
            let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
            let mut workout = data.workouts[0].clone();
            workout.start = local_time(offset, day, minutes).to_utc().fixed_offset();
            workout.end = workout.start + TimeDelta::minutes(30);
            data.workouts = vec![workout];
        });
        let readings = pull(&service.session(SCOPES), "workouts", span)
            .await
            .expect("readings");
        assert_eq!(readings.len(), 1, "{hours}");
    }
}

/// The person, also where the user granted records alone.
#[tokio::test]
async fn the_account() {
    let service = Service::start(1).await;
    for scopes in [&["read:profile"], &["read:cycles"]] {
        let account = Whoop.account(&service.session(scopes)).await.expect("an account");
        assert_eq!(account.provider_user_id.as_deref(), Some("4242"), "{scopes:?}");
    }
    service.simulation.with_data(|data| data.cycles.clear());
    let account = Whoop
        .account(&service.session(&["read:cycles"]))
        .await
        .expect("an account");
    assert_eq!(account.provider_user_id, None);
}

#[tokio::test]
async fn the_person() {
    let service = Service::start(1).await;
    let session = service.session(SCOPES);
    let body = service.simulation.with_data(|data| data.body.clone()).expect("a body");
    let readings = pull(&session, "profile", last_week()).await.expect("readings");
    check_arrivals(&readings);
    let height = body.height_meter.expect("a height") * 100.0;
    assert_eq!(
        values(&readings, ResourceName::Profile)[0]["height"]
            .as_f64()
            .map(f64::round),
        Some(height.round())
    );
    assert_eq!(readings.len(), 7, "one a day");
    service.simulation.with_data(|data| data.body = None);
    assert_eq!(pull(&session, "profile", last_week()).await, Ok(Vec::new()));
}

/// Pages have 25 records. Two days before the span, and one after it, are requested, too.
#[tokio::test]
async fn all_pages_are_requested() {
    let service = Service::start(0).await;
    let last = last_day() - Days::new(20);
    let span = Span {
        first: last - Days::new(59),
        last,
    };
    let (start, end) = (span.first - Days::new(2), span.last + Days::new(2));
    let is_requested = |from: DateTime, to: DateTime| {
        let (from, to) = (from.to_utc().naive_utc(), to.to_utc().naive_utc());
        from < end.and_time(chrono::NaiveTime::MIN) && to > start.and_time(chrono::NaiveTime::MIN)
    };
    let pages = service.simulation.with_data(|data| {
        let sleeps = data.sleep.iter().filter(|sleep| is_requested(sleep.start, sleep.end));
        let cycles = data
            .cycles
            .iter()
            .filter(|cycle| is_requested(cycle.start, cycle.end.unwrap_or(cycle.start)));
        let ids: BTreeSet<_> = sleeps.clone().map(|sleep| sleep.id).collect();
        let recoveries = data
            .recoveries
            .iter()
            .filter(|recovery| ids.contains(&recovery.sleep_id));
        [cycles.count(), sleeps.count(), recoveries.count()].map(|records| records.div_ceil(25) as u64)
    });
    assert_eq!(pages, [3, 3, 3]);
    let readings = pull(&service.session(SCOPES), "cycles", span).await.expect("readings");
    assert!(readings.len() > 25);
    assert_eq!(service.simulation.faults().requests(), pages.iter().sum::<u64>());
}

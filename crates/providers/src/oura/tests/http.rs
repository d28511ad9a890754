//! Tests of pulls over HTTP: they read what the simulation has.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, FixedOffset, NaiveDate, NaiveTime, TimeDelta};
use serde_json::json;
use wearlab_connect::{Provider, Reading, Span};
use wearlab_models::ResourceName;

use super::super::Oura;
use super::super::generated::models::SleepType;
use super::super::simulated::Data;
use super::service::{SCOPES, Service, last_day, pull};
use super::{check_arrivals, values};
use crate::simulated::local_time::local_time;
use crate::testing::{by_id, by_time};

/// 40 days, which end some days before the last that there are.
fn forty_days() -> Span {
    let last = last_day() - Days::new(20);
    Span {
        first: last - Days::new(39),
        last,
    }
}

fn is_within(day: NaiveDate) -> bool {
    let span = forty_days();
    span.contains(day)
}

/// Pulls a collection of 40 days, and returns the data of the simulation with it. Where the evening of a day is the next
/// day in UTC, ends of spans matter.
async fn pulled(name: &str, hours: i32) -> (Data, Vec<Reading>) {
    let service = Service::start(hours).await;
    let readings = pull(&service.session(SCOPES), name, forty_days())
        .await
        .expect("readings");
    check_arrivals(&readings);
    (service.simulation.with_data(|data| data.clone()), readings)
}

#[tokio::test]
async fn activity() {
    let (data, readings) = pulled("activity", -8).await;
    let steps: BTreeMap<_, _> = by_id(&readings, ResourceName::Activity)
        .into_iter()
        .map(|(id, value)| (id, value["steps"].as_i64()))
        .collect();
    let days = data.activity.iter().filter(|day| is_within(day.day));
    let expected: BTreeMap<_, _> = days.map(|day| (day.id.clone(), Some(day.steps))).collect();
    assert!(expected.len() > 30);
    assert_eq!(steps, expected);
}

#[tokio::test]
async fn sleep() {
    let (data, readings) = pulled("sleep", 9).await;
    let is_rejected = |kind: &Option<SleepType>| *kind == Some(SleepType::Rest);
    let sleeps: Vec<_> = data.sleep.iter().filter(|sleep| is_within(sleep.day)).collect();
    assert!(
        sleeps.iter().any(|sleep| is_rejected(&sleep.type_)),
        "some are rejected"
    );
    assert!(
        sleeps.iter().any(|sleep| sleep.type_ == Some(SleepType::LateNap)),
        "some are naps"
    );
    let (read, cycles) = (
        by_id(&readings, ResourceName::Sleep),
        by_id(&readings, ResourceName::SleepCycle),
    );
    let (mut samples, mut breaths, mut kept) = (BTreeMap::new(), BTreeMap::new(), 0);
    for sleep in sleeps.iter().filter(|sleep| !is_rejected(&sleep.type_)) {
        kept += 1;
        let summary = &read[&sleep.id];
        assert_eq!(summary["deep"].as_i64(), sleep.deep_sleep_duration);
        assert_eq!(summary["calendar_date"], json!(sleep.day));
        let is_night = sleep.type_ == Some(SleepType::LongSleep);
        let score = data
            .sleep_scores
            .iter()
            .find(|score| is_night && score.day == sleep.day);
        assert_eq!(summary["score"].as_i64(), score.and_then(|score| score.score));
        let readiness = data.readiness.iter().find(|day| is_night && day.day == sleep.day);
        let own = sleep.readiness.as_ref().and_then(|readiness| readiness.score);
        let expected = own.or(readiness.and_then(|day| day.score));
        assert_eq!(summary["recovery_readiness_score"].as_i64(), expected);

        let column =
            |name: &str| -> Vec<i64> { serde_json::from_value(cycles[&sleep.id][name].clone()).expect("a column") };
        let (starts, ends) = (column("stage_start_offset_second"), column("stage_end_offset_second"));
        assert_eq!((starts[0], *ends.last().expect("a stage")), (0, sleep.time_in_bed));
        assert_eq!(starts[1..], ends[..ends.len() - 1], "stages follow each other");
        let deep = (0..starts.len()).filter(|index| column("stage_type")[*index] == 1);
        assert_eq!(
            Some(deep.map(|index| ends[index] - starts[index]).sum()),
            sleep.deep_sleep_duration
        );

        for (index, value) in sleep.hrv.iter().flat_map(|hrv| hrv.items.iter().enumerate()) {
            if let Some(value) = value {
                samples.insert(sleep.bedtime_start + TimeDelta::seconds(300 * index as i64), *value);
            }
        }
        breaths.extend(sleep.average_breath.map(|breath| (sleep.bedtime_end, breath)));
    }
    assert_eq!((read.len(), cycles.len()), (kept, kept));
    assert_eq!(by_time(&readings, ResourceName::Hrv), samples);
    assert_eq!(by_time(&readings, ResourceName::RespiratoryRate), breaths);
    let days = data.readiness.iter().filter(|day| is_within(day.day));
    let expected: BTreeMap<_, _> = days
        .filter_map(|day| Some((day.timestamp, day.temperature_deviation?)))
        .collect();
    assert_eq!(by_time(&readings, ResourceName::BodyTemperatureDelta), expected);
}

/// All samples of the days in UTC are read, and no others, in the west and the east of it.
#[tokio::test]
async fn heart_rate() {
    for hours in [-11, 13] {
        let (data, readings) = pulled("heartrate", hours).await;
        let all: BTreeMap<_, _> = data
            .heart_rate
            .iter()
            .map(|sample| (sample.timestamp, sample.bpm as f64))
            .collect();
        let read = by_time(&readings, ResourceName::Heartrate);
        assert!(read.iter().all(|sample| all.get(sample.0) == Some(sample.1)));
        let start = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc().fixed_offset();
        let span = forty_days();
        let wanted = all.range(start(span.first)..start(span.last + Days::new(1)));
        let wanted: BTreeSet<_> = wanted.map(|sample| *sample.0).collect();
        assert!(wanted.len() > 9_000);
        assert_eq!(read.into_keys().collect::<BTreeSet<_>>(), wanted);
    }
}

#[tokio::test]
async fn blood_oxygen_and_vo2_max() {
    let (data, readings) = pulled("blood_oxygen", 0).await;
    let days = data.spo2.iter().filter(|day| is_within(day.day));
    let averages: Vec<_> = days
        .filter_map(|day| Some(day.spo2_percentage.as_ref()?.average))
        .collect();
    let read: Vec<_> = by_time(&readings, ResourceName::BloodOxygen).into_values().collect();
    assert!(averages.len() > 20);
    assert_eq!(read, averages);

    let (data, readings) = pulled("vo2_max", 0).await;
    let estimates = data.vo2_max.iter().filter(|estimate| is_within(estimate.day));
    let expected: BTreeMap<_, _> = estimates
        .filter_map(|estimate| Some((estimate.timestamp, estimate.vo2_max?)))
        .collect();
    assert!(expected.len() > 3);
    assert_eq!(by_time(&readings, ResourceName::Vo2Max), expected);
}

#[tokio::test]
async fn workouts() {
    for hours in [-10, 12] {
        let (data, readings) = pulled("workouts", hours).await;
        let read: BTreeSet<_> = by_id(&readings, ResourceName::Workouts).into_keys().collect();
        let workouts = data.workouts.iter().filter(|workout| is_within(workout.day));
        let expected: BTreeSet<_> = workouts.map(|workout| workout.id.clone()).collect();
        assert!(expected.len() > 5);
        assert_eq!(read, expected);
    }
}

/// The first and the last hour of a span, which are of other days in UTC.
#[tokio::test]
async fn workouts_at_the_ends_of_a_span() {
    let span = forty_days();
    for (hours, day, minutes) in [(-10, span.last, 1_430), (13, span.first, 5)] {
        let service = Service::start(hours).await;
        service.simulation.with_data(|data| {
            let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
            let mut workout = data.workouts[0].clone();
            workout.day = day;
            workout.start_datetime = local_time(offset, day, minutes);
            workout.end_datetime = local_time(offset, day, minutes + 30);
            data.workouts = vec![workout];
        });
        let session = service.session(SCOPES);
        assert_eq!(
            pull(&session, "workouts", span).await.expect("readings").len(),
            1,
            "{hours}"
        );
    }
}

#[tokio::test]
async fn the_person() {
    let service = Service::start(1).await;
    let person = service.simulation.with_data(|data| data.person.clone());
    let account = Oura.account(&service.session(&[])).await.expect("an account");
    assert_eq!(account.provider_user_id, Some(person.id));

    let today = Span {
        first: last_day(),
        last: last_day(),
    };
    let readings = pull(&service.session(SCOPES), "profile", today)
        .await
        .expect("readings");
    check_arrivals(&readings);
    assert_eq!(
        values(&readings, ResourceName::Profile)[0]["sex"],
        json!(person.biological_sex)
    );
    assert_eq!(readings.len(), 1);
    let without = pull(&service.session(&["daily"]), "profile", today)
        .await
        .expect("readings");
    assert_eq!(without, []);
}

/// Pages have 15 documents. A day before the span, and one after it, are requested, too.
#[tokio::test]
async fn all_pages_are_requested() {
    let service = Service::start(1).await;
    let last = last_day() - Days::new(20);
    let span = Span {
        first: last - Days::new(29),
        last,
    };
    let readings = pull(&service.session(SCOPES), "activity", span)
        .await
        .expect("readings");
    let requested = span.first - Days::new(1)..=span.last + Days::new(1);
    let is_requested = |day| requested.contains(day);
    let days = service
        .simulation
        .with_data(|data| data.activity.iter().map(|day| day.day).collect::<Vec<_>>());
    let documents = days.iter().filter(|day| is_requested(day)).count();
    assert!(readings.len() > 15 && documents > readings.len());
    assert_eq!(service.simulation.faults().requests(), documents.div_ceil(15) as u64);
}

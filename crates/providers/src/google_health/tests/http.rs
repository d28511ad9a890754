//! Tests of pulls over HTTP: they read what the simulation has.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, FixedOffset, NaiveDate};
use serde_json::json;
use wearlab_connect::{Provider, Reading, Span};
use wearlab_models::{DateTime, ResourceName};

use super::super::GoogleHealth;
use super::super::generated::models::DataPoint;
use super::super::simulated::Data;
use super::service::{Service, last_day, pull, scopes};
use super::{check_arrivals, values};
use crate::testing::{by_id, by_time};

/// Offsets where the evening or the morning of a day is another day in UTC.
const HOURS: [i32; 2] = [-10, 13];

/// 40 days, which end some days before the last that there are.
fn forty_days() -> Span {
    let last = last_day() - Days::new(12);
    Span {
        first: last - Days::new(39),
        last,
    }
}

fn is_within(day: NaiveDate) -> bool {
    let span = forty_days();
    span.contains(day)
}

/// Returns whether a time is of the span where the person is.
fn is_local_within(time: DateTime, hours: i32) -> bool {
    let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
    is_within(time.with_timezone(&offset).date_naive())
}

/// Pulls a collection of 40 days, and returns the points of the simulation with it.
async fn pulled(name: &str, hours: i32) -> (Data, Vec<Reading>) {
    let service = Service::start(hours).await;
    let readings = pull(&service.session(&scopes()), name, forty_days())
        .await
        .expect("readings");
    check_arrivals(&readings);
    (service.simulation.with_data(|data| data.clone()), readings)
}

fn points<'d>(data: &'d Data, data_type: &str) -> impl Iterator<Item = &'d DataPoint> {
    data.points[data_type].iter().map(|(_, point)| point)
}

#[tokio::test]
async fn activity() {
    let (data, readings) = pulled("activity", -8).await;
    assert_eq!(readings.len(), 40);
    for reading in &readings {
        let sum = &data.sums["steps"][&reading.day];
        let steps: i64 = sum
            .steps
            .as_ref()
            .and_then(|steps| steps.count_sum.as_ref())
            .expect("steps")
            .parse()
            .expect("a number");
        assert_eq!(reading.value["steps"], json!(steps));
        assert_eq!(reading.value["distance"], json!((steps * 750) as f64 / 1_000.0));
        let mut resting =
            points(&data, "daily-resting-heart-rate").filter_map(|point| point.daily_resting_heart_rate.as_ref());
        let day = reading.day.format("%-d").to_string();
        let month = reading.day.format("%-m").to_string();
        let resting =
            resting.find(|resting| resting.date.day.to_string() == day && resting.date.month.to_string() == month);
        let bpm = resting
            .and_then(|resting| resting.beats_per_minute.as_ref())
            .expect("a rate");
        assert_eq!(reading.value["heart_rate"]["resting_bpm"].to_string(), *bpm);
        assert_eq!(reading.value["heart_rate"]["avg_bpm"], json!(68.5));
    }
}

#[tokio::test]
async fn sleep() {
    for hours in HOURS {
        let (data, readings) = pulled("sleep", hours).await;
        let sleeps = points(&data, "sleep").filter(|point| {
            let interval = &point.sleep.as_ref().expect("a sleep").interval;
            is_local_within(interval.end_time, hours)
        });
        let expected: BTreeMap<_, _> = sleeps
            .map(|point| {
                let name = point.name.as_deref().expect("a name");
                let stages = point.sleep.as_ref().expect("a sleep").stages.len();
                (name.rsplit('/').next().expect("an id").to_owned(), stages)
            })
            .collect();
        assert!(expected.len() > 40, "some are naps");
        let read = by_id(&readings, ResourceName::Sleep);
        let cycles = by_id(&readings, ResourceName::SleepCycle);
        assert_eq!(read.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (id, stages) in expected {
            assert_eq!(cycles[&id]["stage_type"].as_array().map(Vec::len), Some(stages));
            assert_eq!(read[&id]["duration"], json!(stages * 1_800));
            assert_eq!(read[&id].get("average_hrv").is_some(), id.starts_with("night"));
        }
    }
}

#[tokio::test]
async fn workouts() {
    for hours in HOURS {
        let (data, readings) = pulled("workouts", hours).await;
        let workouts = points(&data, "exercise").filter(|point| {
            let interval = &point.exercise.as_ref().expect("a workout").interval;
            is_local_within(interval.start_time, hours)
        });
        let expected: BTreeSet<_> = workouts
            .map(|point| {
                point
                    .name
                    .as_deref()
                    .expect("a name")
                    .rsplit('/')
                    .next()
                    .expect("an id")
                    .to_owned()
            })
            .collect();
        assert!(expected.len() > 5);
        assert_eq!(
            by_id(&readings, ResourceName::Workouts)
                .into_keys()
                .collect::<BTreeSet<_>>(),
            expected
        );
    }
}

#[tokio::test]
async fn samples() {
    for hours in HOURS {
        let (data, readings) = pulled("heartrate", hours).await;
        let expected: BTreeMap<_, _> = points(&data, "heart-rate")
            .filter_map(|point| point.heart_rate.as_ref())
            .filter(|rate| is_local_within(rate.sample_time.physical_time, hours))
            .map(|rate| {
                (
                    rate.sample_time.physical_time,
                    rate.beats_per_minute.parse().expect("a number"),
                )
            })
            .collect();
        assert_eq!(expected.len(), 40 * 96);
        assert_eq!(by_time(&readings, ResourceName::Heartrate), expected);
        assert_eq!(readings.len(), expected.len(), "no sample is returned twice");

        let (data, readings) = pulled("movement", hours).await;
        let expected: BTreeMap<_, _> = points(&data, "distance")
            .filter_map(|point| point.distance.as_ref())
            .filter(|distance| is_local_within(distance.interval.start_time, hours))
            .map(|distance| {
                let millimetres: f64 = distance.millimeters.parse().expect("a number");
                (distance.interval.start_time, millimetres / 1_000.0)
            })
            .collect();
        assert_eq!(by_time(&readings, ResourceName::Distance), expected);
        assert_eq!(values(&readings, ResourceName::Steps).len(), expected.len());
    }
}

#[tokio::test]
async fn measurements() {
    for hours in HOURS {
        let (data, readings) = pulled("measurements", hours).await;
        let expected: BTreeMap<_, _> = points(&data, "weight")
            .filter_map(|point| point.weight.as_ref())
            .filter(|weight| is_local_within(weight.sample_time.physical_time, hours))
            .map(|weight| (weight.sample_time.physical_time, weight.weight_grams / 1_000.0))
            .collect();
        assert_eq!(expected.len(), 40);
        assert_eq!(by_time(&readings, ResourceName::Weight), expected);
        let bodies = by_id(&readings, ResourceName::Body);
        assert_eq!(bodies.len(), 40);
        let fat = bodies.values().filter(|body| body.get("fat").is_some()).count();
        assert_eq!(fat, values(&readings, ResourceName::Fat).len());
        let oxygen: BTreeMap<_, _> = points(&data, "oxygen-saturation")
            .filter_map(|point| point.oxygen_saturation.as_ref())
            .filter(|oxygen| is_local_within(oxygen.sample_time.physical_time, hours))
            .map(|oxygen| (oxygen.sample_time.physical_time, oxygen.percentage))
            .collect();
        assert!(oxygen.len() > 500);
        assert_eq!(by_time(&readings, ResourceName::BloodOxygen), oxygen);
        assert_eq!(by_time(&readings, ResourceName::Hrv).len(), oxygen.len());
        let temperatures = values(&readings, ResourceName::BodyTemperature).len();
        assert!(temperatures > 2);
        assert_eq!(values(&readings, ResourceName::Glucose).len(), temperatures);
    }
}

#[tokio::test]
async fn the_person_and_rare_values() {
    let service = Service::start(1).await;
    let session = service.session(&scopes());
    let account = GoogleHealth.account(&session).await.expect("an account");
    assert_eq!(account.provider_user_id.as_deref(), Some("person-7"));
    let today = Span {
        first: last_day(),
        last: last_day(),
    };
    let profile = pull(&session, "profile", today).await.expect("readings");
    assert_eq!(values(&profile, ResourceName::Profile), [json!({"height": 178.0})]);
    let estimates = pull(&session, "vo2_max", forty_days()).await.expect("readings");
    assert!((5..=6).contains(&estimates.len()));
    let drinks = pull(&session, "hydration", forty_days()).await.expect("readings");
    assert_eq!(values(&drinks, ResourceName::Water).len(), 40);
    check_arrivals(&[profile, estimates, drinks].concat());
}

#[tokio::test]
async fn an_old_height_is_read() {
    let service = Service::start(1).await;
    let day = last_day() + Days::new(900);
    let span = Span { first: day, last: day };
    let profile = pull(&service.session(&scopes()), "profile", span).await;
    let profile = profile.expect("readings");
    assert_eq!(values(&profile, ResourceName::Profile), [json!({"height": 178.0})]);
    check_arrivals(&profile);
}

/// Pages of sleep have 25 points, and the first of several is empty. Each window has three days of values of a day, too.
#[tokio::test]
async fn all_pages_are_requested() {
    let service = Service::start(1).await;
    let last = last_day() - Days::new(12);
    let span = Span {
        first: last - Days::new(29),
        last,
    };
    let readings = pull(&service.session(&scopes()), "sleep", span)
        .await
        .expect("readings");
    assert!(values(&readings, ResourceName::Sleep).len() > 25);
    assert_eq!(service.simulation.faults().requests(), 3 + 3);
}

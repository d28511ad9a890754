//! Tests of pulls over HTTP: they read what the simulation has.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate, TimeDelta};
use serde_json::{Value, json};
use wearlab_connect::{Reading, Span};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::Spo2TestStatus;
use super::super::simulated::Data;
use super::service::{SCOPES, Service, last_day, pull};
use super::{check_arrivals, values};

/// 20 days, which end some days before the last that there are.
fn twenty_days() -> Span {
    let last = last_day() - Days::new(5);
    Span {
        first: last - Days::new(19),
        last,
    }
}

fn is_within(day: NaiveDate) -> bool {
    twenty_days().contains(day)
}

/// Pulls a collection of 20 days, and returns the data of the simulation with it.
async fn pulled(name: &str, hours: i32) -> (Data, Vec<Reading>) {
    let service = Service::start(hours).await;
    let readings = pull(&service.session(SCOPES), name, twenty_days())
        .await
        .expect("readings");
    check_arrivals(&readings);
    (service.simulation.with_data(|data| data.clone()), readings)
}

/// Returns samples by their time.
fn by_time(readings: &[Reading], resource: ResourceName) -> BTreeMap<DateTime, f64> {
    let all = values(readings, resource);
    let sample = |value: &Value| {
        let time = DateTime::parse_from_rfc3339(value["timestamp"].as_str().expect("a time")).expect("a time");
        (time, value["value"].as_f64().expect("a number"))
    };
    let samples: BTreeMap<_, _> = all.iter().map(sample).collect();
    assert_eq!(samples.len(), all.len(), "no sample is returned twice");
    samples
}

#[tokio::test]
async fn nights_with_their_recharge() {
    let (data, readings) = pulled("sleep", 9).await;
    let read = values(&readings, ResourceName::Sleep);
    let cycles = values(&readings, ResourceName::SleepCycle);
    let nights: Vec<_> = data.nights.iter().filter(|night| is_within(night.date)).collect();
    assert!(nights.len() > 15);
    assert_eq!((read.len(), cycles.len()), (nights.len(), nights.len()));
    let mut variability = BTreeMap::new();
    for (index, night) in nights.iter().enumerate() {
        let (sleep, cycle) = (&read[index], &cycles[index]);
        assert_eq!(sleep["calendar_date"], json!(night.date));
        assert_eq!(sleep["deep"].as_i64(), night.deep_sleep);
        let recharge = data
            .recharges
            .iter()
            .find(|recharge| recharge.date == night.date)
            .expect("a recharge");
        assert_eq!(sleep["average_hrv"].as_f64(), recharge.heart_rate_variability_avg);
        let skin = data
            .skin
            .iter()
            .find(|skin| skin.sleep_date == night.date)
            .expect("a temperature");
        assert_eq!(
            sleep["skin_temperature"].as_f64(),
            skin.sleep_time_skin_temperature_celsius
        );

        let column = |name: &str| -> Vec<i64> { serde_json::from_value(cycle[name].clone()).expect("a column") };
        let (starts, ends) = (column("stage_start_offset_second"), column("stage_end_offset_second"));
        let length = (night.sleep_end_time - night.sleep_start_time).num_seconds();
        assert_eq!((starts[0], *ends.last().expect("a stage")), (0, length));
        assert_eq!(starts[1..], ends[..ends.len() - 1], "stages follow each other");
        let minute = |index: usize| night.sleep_start_time + TimeDelta::minutes(30 + 5 * index as i64);
        let clock = |time: DateTime| time.format("%H:%M").to_string();
        for index in 0..recharge.hrv_samples.len() {
            let whole = minute(index) - TimeDelta::seconds(i64::from(chrono::Timelike::second(&minute(index))));
            variability.insert(whole, recharge.hrv_samples[&clock(whole)]);
        }
    }
    assert_eq!(by_time(&readings, ResourceName::Hrv), variability);
    assert_eq!(
        by_time(&readings, ResourceName::RespiratoryRate).len(),
        variability.len()
    );
}

#[tokio::test]
async fn activity_with_steps() {
    for hours in [-10, 13] {
        let (data, readings) = pulled("activity", hours).await;
        let days: Vec<_> = data.activity.iter().filter(|(day, _)| is_within(**day)).collect();
        let read: BTreeMap<_, _> = values(&readings, ResourceName::Activity)
            .iter()
            .map(|day| (day["calendar_date"].as_str().map(str::to_owned), day["steps"].as_i64()))
            .collect();
        let expected: BTreeMap<_, _> = days.iter().map(|(day, of)| (Some(day.to_string()), of.steps)).collect();
        assert!(expected.len() > 15);
        assert_eq!(read, expected);
        let total: i64 = days.iter().filter_map(|(_, of)| of.steps).sum();
        let steps = by_time(&readings, ResourceName::Steps);
        assert_eq!(steps.values().sum::<f64>(), total as f64);
        assert!(
            steps
                .keys()
                .all(|time| time.offset().local_minus_utc() == hours * 3_600 && is_within(time.date_naive()))
        );
        let first = &values(&readings, ResourceName::Activity)[0];
        assert_eq!(
            ["low", "medium", "high"].map(|name| first[name].as_f64()),
            [Some(149.0), Some(50.0), Some(25.0)]
        );
    }
}

#[tokio::test]
async fn heart_rate() {
    let (data, readings) = pulled("heartrate", -3).await;
    let days = data.heart_rate.values().filter(|day| is_within(day.date));
    let rates = days
        .flat_map(|day| &day.heart_rate_samples)
        .map(|sample| sample.heart_rate as f64);
    let expected: Vec<f64> = rates.collect();
    assert!(expected.len() > 4_000);
    assert_eq!(
        by_time(&readings, ResourceName::Heartrate)
            .into_values()
            .collect::<Vec<_>>(),
        expected
    );
}

#[tokio::test]
async fn workouts() {
    for hours in [-10, 13] {
        let (data, readings) = pulled("workouts", hours).await;
        let is_wanted = |start: &str| is_within(start[..10].parse().expect("a day"));
        let exercises: Vec<_> = data
            .exercises
            .iter()
            .filter(|exercise| is_wanted(&exercise.start_time))
            .collect();
        let read = values(&readings, ResourceName::Workouts);
        let ids: BTreeSet<_> = read
            .iter()
            .map(|workout| workout["provider_id"].as_str().expect("an id"))
            .collect();
        let expected: BTreeSet<_> = exercises.iter().map(|exercise| exercise.id.as_str()).collect();
        assert!(expected.len() > 5);
        assert_eq!((ids, read.len()), (expected, exercises.len()));
        assert!(
            read.iter()
                .all(|workout| workout["hr_zones"].as_array().map(Vec::len) == Some(5))
        );
        assert!(read.iter().any(|workout| workout["map"]["polyline"].is_string()));
        let is_rate = |number: &&str| number.parse::<i64>().is_ok_and(|rate| rate > 0);
        let rates = exercises
            .iter()
            .map(|exercise| exercise.samples[0].data.split(',').filter(is_rate).count());
        assert_eq!(by_time(&readings, ResourceName::Heartrate).len(), rates.sum::<usize>());
        let totals = exercises
            .iter()
            .filter_map(|exercise| exercise.samples[1].data.split(',').next_back()?.parse::<f64>().ok());
        let distances = by_time(&readings, ResourceName::WorkoutDistance);
        assert!((distances.values().sum::<f64>() - totals.sum::<f64>()).abs() < 0.01);
    }
}

/// An exercise without an offset has that of the nights.
#[tokio::test]
async fn an_exercise_without_an_offset() {
    let service = Service::start(5).await;
    let offsets = async || {
        let readings = service.pull("workouts", 7).await.expect("readings");
        check_arrivals(&readings);
        let workouts = values(&readings, ResourceName::Workouts);
        assert!(!workouts.is_empty());
        workouts
            .iter()
            .map(|workout| workout["timezone_offset"].as_i64())
            .collect::<BTreeSet<_>>()
    };
    let before = service.requests();
    assert_eq!(offsets().await, BTreeSet::from([Some(18_000)]));
    assert_eq!(service.requests() - before, 1);
    service.simulation.with_data(|data| {
        data.exercises
            .iter_mut()
            .for_each(|one| one.start_time_utc_offset = None)
    });
    assert_eq!(offsets().await, BTreeSet::from([Some(18_000)]));
    assert_eq!(service.requests() - before, 3, "with the nights");
}

/// Measurements are requested by days in UTC, and belong to their own days.
#[tokio::test]
async fn measurements() {
    for hours in [-11, 13] {
        let (data, readings) = pulled("measurements", hours).await;
        let has_passed = |status: &Option<Spo2TestStatus>| *status == Some(Spo2TestStatus::Spo2TestPassed);
        let day = |seconds: i64| {
            let offset = chrono::FixedOffset::east_opt(hours * 3_600).expect("an offset");
            chrono::DateTime::from_timestamp(seconds, 0)
                .expect("a time")
                .with_timezone(&offset)
                .date_naive()
        };
        let tests = data
            .tests
            .values()
            .filter(|test| has_passed(&test.test_status) && is_within(day(test.test_time)));
        let percents: Vec<f64> = tests
            .filter_map(|test| test.blood_oxygen_percent)
            .map(|percent| percent as f64)
            .collect();
        assert!(percents.len() > 3);
        assert_eq!(
            by_time(&readings, ResourceName::BloodOxygen)
                .into_values()
                .collect::<Vec<_>>(),
            percents
        );

        let cardiograms = data
            .cardiograms
            .values()
            .filter(|one| is_within(day(one.test_time / 1_000)));
        let count = cardiograms.count();
        assert!(count > 1);
        assert_eq!(values(&readings, ResourceName::Electrocardiogram).len(), count);
        let voltages = by_time(&readings, ResourceName::ElectrocardiogramVoltage);
        assert_eq!(voltages.len(), count * 125);

        let temperatures = by_time(&readings, ResourceName::BodyTemperature);
        assert!(temperatures.keys().all(|time| is_within(time.to_utc().date_naive())));
        let periods = data.temperatures.keys().filter(|day| is_within(**day)).count();
        assert!(
            periods > 15 && temperatures.len().abs_diff(periods * 6) <= 6,
            "{periods}"
        );
    }
}

#[tokio::test]
async fn the_person() {
    let service = Service::start(1).await;
    let readings = service.pull("profile", 1).await.expect("readings");
    check_arrivals(&readings);
    let info = service.simulation.with_data(|data| data.info.clone());
    assert_eq!(
        values(&readings, ResourceName::Profile)[0]["height"].as_f64(),
        info.height
    );
    assert_eq!(
        by_time(&readings, ResourceName::Weight).into_values().next(),
        info.weight
    );
    assert_eq!(values(&readings, ResourceName::Body)[0]["weight"].as_f64(), info.weight);
    assert_eq!(
        by_time(&readings, ResourceName::Vo2Max).into_values().next(),
        info.vo2_max.map(|value| value as f64)
    );
}

/// A 204 and a 404 are no data, also where there are none at all.
#[tokio::test]
async fn no_data() {
    let service = Service::start(0).await;
    service.simulation.with_data(|data| {
        data.nights.clear();
        data.recharges.clear();
        data.skin.clear();
        data.activity.clear();
        data.heart_rate.clear();
        data.exercises.clear();
        data.temperatures.clear();
        data.tests.clear();
        data.cardiograms.clear();
    });
    for name in ["sleep", "activity", "heartrate", "workouts", "measurements"] {
        assert_eq!(service.pull(name, 30).await, Ok(Vec::new()), "{name}");
    }
}

/// The windows of a whole history are allowed, also those of which the provider has nothing any more.
#[tokio::test]
async fn a_history() {
    let service = Service::start(0).await;
    for name in ["sleep", "activity", "workouts", "measurements"] {
        let readings = service.pull(name, 335).await.expect("readings");
        assert!(!readings.is_empty(), "{name}");
    }
    let old = Span {
        first: last_day() - Days::new(400),
        last: last_day() - Days::new(380),
    };
    assert!(
        pull(&service.session(SCOPES), "activity", old).await.is_err(),
        "the simulation refuses earlier days"
    );
}

/// Data that came late, and a night that was corrected.
#[tokio::test]
async fn corrections() {
    let service = Service::start(2).await;
    let before = service.pull("sleep", 7).await.expect("readings");
    assert_eq!(
        service.pull("sleep", 7).await,
        Ok(before.clone()),
        "data that do not change are read as before"
    );
    service
        .simulation
        .with_data(|data| data.nights.last_mut().expect("a night").sleep_score = Some(12));
    let after = service.pull("sleep", 7).await.expect("readings");
    let changed: Vec<_> = after.iter().filter(|reading| !before.contains(reading)).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].value["score"], json!(12));

    let late = service
        .simulation
        .with_data(|data| data.exercises.pop().expect("an exercise"));
    let without = service.pull("workouts", 14).await.expect("readings");
    service
        .simulation
        .with_data(|data| data.exercises.insert(0, late.clone()));
    let with = service.pull("workouts", 14).await.expect("readings");
    let count = |readings: &[Reading]| values(readings, ResourceName::Workouts).len();
    assert_eq!(count(&with), count(&without) + 1);
}

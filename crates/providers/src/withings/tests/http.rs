//! Tests of pulls over HTTP: they read what the simulation has.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta};
use serde_json::{Value, json};
use wearlab_connect::{Reading, Span};
use wearlab_models::ResourceName;

use super::super::generated::models::{Attribution, MeasureGroup, MeasureType, SleepState};
use super::super::simulated::Data;
use super::service::{SCOPES, Service, last_day, pull};
use super::{check_arrivals, values};
use crate::testing::by_id;
use crate::zones::Zone;

/// Zones where the evening or the morning of a day is another day in UTC.
const ZONES: [&str; 2] = ["Pacific/Honolulu", "Pacific/Auckland"];

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

/// Returns whether a time is of the days of the span in UTC.
fn is_within_utc(seconds: i64) -> bool {
    is_within(DateTime::from_timestamp(seconds, 0).expect("a time").date_naive())
}

/// Pulls a collection of 40 days, and returns the data of the simulation with it.
async fn pulled(name: &str, zone: &str) -> (Data, Vec<Reading>) {
    let service = Service::start(zone).await;
    let readings = pull(&service.session(SCOPES), name, forty_days())
        .await
        .expect("readings");
    check_arrivals(&readings);
    (service.simulation.with_data(|data| data.clone()), readings)
}

/// Samples by source and time in s since 1970.
type Samples = BTreeMap<(Option<&'static str>, i64), f64>;

fn samples(readings: &[Reading], resource: &ResourceName) -> Samples {
    let mut found = BTreeMap::new();
    for reading in readings.iter().filter(|reading| reading.resource == *resource) {
        let time = reading.value["timestamp"].as_str().expect("a time");
        let time = DateTime::parse_from_rfc3339(time).expect("a time").timestamp();
        let value = reading.value["value"].as_f64().expect("a number");
        let before = found.insert((reading.source_type, time), value);
        assert_eq!(before, None, "no sample is returned twice");
    }
    found
}

/// Checks that samples are as expected, and shows the first ones that are not.
fn check_samples(readings: &[Reading], resource: &ResourceName, expected: &Samples) {
    let read = samples(readings, resource);
    let of_one = |one: &Samples, other: &Samples| {
        let differing = one.iter().filter(|(key, value)| other.get(key) != Some(value));
        differing.take(3).map(|(key, value)| (*key, *value)).collect::<Vec<_>>()
    };
    let (extra, missing) = (of_one(&read, expected), of_one(expected, &read));
    assert!(
        extra.is_empty() && missing.is_empty(),
        "{resource:?}: {extra:?} and not {missing:?}"
    );
}

/// Returns the groups of this person in the span, with their local days.
fn groups(data: &Data) -> Vec<(&MeasureGroup, NaiveDate)> {
    let zone = Zone::named(Some(&data.zone));
    let own = data.groups.iter().filter(|group| {
        group.category == Some(1)
            && !matches!(
                group.attrib,
                Some(Attribution::SharedDevice | Attribution::EnteredWithAccount)
            )
    });
    let with_day = own.map(|group| (group, zone.time(group.date).expect("a time").date_naive()));
    with_day.filter(|(_, day)| is_within(*day)).collect()
}

fn measure(group: &MeasureGroup, kind: MeasureType) -> Option<f64> {
    let measure = group.measures.iter().find(|measure| measure.type_ == kind)?;
    Some(measure.value as f64 * 10_f64.powi(i32::try_from(measure.unit).expect("a power")))
}

#[tokio::test]
async fn measures() {
    for zone in ZONES {
        let (data, readings) = pulled("measures", zone).await;
        let own = groups(&data);
        let expected: BTreeMap<_, _> = own
            .iter()
            .filter_map(|(group, day)| Some((group.grpid.to_string(), (*day, measure(group, MeasureType::Weight)?))))
            .collect();
        let bodies = by_id(&readings, ResourceName::Body);
        assert!(expected.len() > 15);
        assert_eq!(bodies.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (id, (day, weight)) in &expected {
            let body = &bodies[id];
            assert_eq!(body["calendar_date"], json!(day));
            assert!((body["weight"].as_f64().expect("a weight") - weight).abs() < 1e-9);
        }
        let weights = samples(&readings, &ResourceName::Weight);
        assert_eq!(weights.len(), expected.len());
        let pressures: Vec<_> = own
            .iter()
            .filter_map(|(group, _)| measure(group, MeasureType::SystolicPressure))
            .map(|systolic| json!(systolic))
            .collect();
        let read: Vec<_> = values(&readings, ResourceName::BloodPressure)
            .iter()
            .map(|sample| sample["systolic"].clone())
            .collect();
        assert!(pressures.len() > 4);
        assert_eq!(read, pressures);
        let estimates = own
            .iter()
            .filter(|(group, _)| measure(group, MeasureType::Vo2Max).is_some());
        assert_eq!(samples(&readings, &ResourceName::Vo2Max).len(), estimates.count());
    }
}

#[tokio::test]
async fn activity() {
    let (data, readings) = pulled("activity", "Europe/Oslo").await;
    let days = data.activities.iter().filter(|day| is_within(day.date));
    let expected: BTreeMap<_, _> = days
        .filter(|day| day.brand != Some(18))
        .map(|day| (day.date, (day.steps, day.distance, day.hr_average)))
        .collect();
    let read: BTreeMap<_, _> = readings
        .iter()
        .map(|reading| {
            let value = &reading.value;
            let heart_rate = value["heart_rate"]["avg_bpm"].as_f64();
            (
                reading.day,
                (value["steps"].as_i64(), value["distance"].as_f64(), heart_rate),
            )
        })
        .collect();
    assert!(expected.len() > 30 && expected.len() < 40, "some are copies");
    assert_eq!((read, readings.len()), (expected.clone(), expected.len()));
}

#[tokio::test]
async fn sleep() {
    for zone in ZONES {
        let (data, readings) = pulled("sleep", zone).await;
        let read = by_id(&readings, ResourceName::Sleep);
        let nights: Vec<_> = data
            .nights
            .iter()
            .filter(|night| night.date.is_some_and(is_within))
            .collect();
        assert_eq!(read.len(), nights.len());
        assert!(nights.len() > 45, "some are of a mat");
        for night in nights {
            let (value, data) = (&read[&night.id.to_string()], night.data.as_ref().expect("values"));
            assert_eq!(value["deep"].as_f64(), data.deepsleepduration);
            assert_eq!(value["score"].as_f64(), data.sleep_score);
            assert_eq!(value["average_hrv"].as_f64(), data.rmssd_start_avg);
            assert_eq!(value["duration"].as_i64(), Some(night.enddate - night.startdate));
        }
    }
}

#[tokio::test]
async fn workouts() {
    for zone in ZONES {
        let (data, readings) = pulled("workouts", zone).await;
        let read = by_id(&readings, ResourceName::Workouts);
        let workouts = data
            .workouts
            .iter()
            .filter(|workout| workout.date.is_some_and(is_within));
        let expected: BTreeMap<_, _> = workouts.map(|workout| (workout.id.to_string(), workout)).collect();
        assert!(expected.len() > 5);
        assert_eq!(read.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (id, workout) in expected {
            let minutes = (workout.enddate - workout.startdate) as f64 / 60.0;
            assert_eq!(read[&id]["calories"], json!(minutes * 7.5), "measured or entered");
        }
    }
}

/// Stages of the nights of the span, and all samples of its days in UTC, and no others. The samples of nights of a watch hide
/// those of the day at the same time.
#[tokio::test]
async fn nights_and_samples() {
    let (data, readings) = pulled("samples", "Pacific/Auckland").await;
    let cycles = by_id(&readings, ResourceName::SleepCycle);
    let nights = data.nights.iter().filter(|night| night.date.is_some_and(is_within));
    let ids: BTreeSet<_> = nights.clone().map(|night| night.id.to_string()).collect();
    assert_eq!(cycles.keys().cloned().collect::<BTreeSet<_>>(), ids);
    for night in nights {
        let stages = data.stages.iter().filter(|stage| {
            stage.hash_deviceid == night.hash_deviceid && (night.startdate..night.enddate).contains(&stage.startdate)
        });
        let cycle = &cycles[&night.id.to_string()];
        let starts: Vec<_> = stages.clone().map(|stage| stage.startdate - night.startdate).collect();
        assert_eq!(cycle["stage_start_offset_second"], json!(starts));
        let deep = stages.filter(|stage| stage.state == SleepState::Deep).count();
        let kinds = cycle["stage_type"].as_array().expect("a column").iter();
        assert_eq!(kinds.filter(|kind| **kind == json!(1)).count(), deep);
    }
    let mut heart_rate = Samples::new();
    let mut variability = Samples::new();
    let mut oxygen = Samples::new();
    for (time, sample) in data.intraday.iter().filter(|(time, _)| is_within_utc(**time)) {
        heart_rate.extend(sample.heart_rate.map(|value| ((None, *time), value)));
        let is_measured = |value: &f64| *value > 0.0;
        variability.extend(sample.rmssd.filter(is_measured).map(|value| ((None, *time), value)));
        oxygen.extend(sample.spo2_auto.map(|value| ((None, *time), value)));
    }
    for (group, _) in groups(&data) {
        let source = if measure(group, MeasureType::Weight).is_some() {
            "scale"
        } else {
            "cuff"
        };
        let pulse = measure(group, MeasureType::Pulse);
        heart_rate.extend(pulse.map(|value| ((Some(source), group.date), value)));
        if let Some(value) = measure(group, MeasureType::BloodOxygen) {
            oxygen.entry((None, group.date)).or_insert(value);
        }
    }
    for stage in &data.stages {
        let source = (stage.hash_deviceid.as_deref() == Some("dev-mat")).then_some("unknown");
        for (values, expected) in [(&stage.hr, &mut heart_rate), (&stage.rmssd, &mut variability)] {
            let times = values
                .iter()
                .map(|(key, value)| (key.parse().expect("a time"), value.expect("a value")));
            let within = times.filter(|(time, value)| is_within_utc(*time) && *value > 0.0);
            expected.extend(within.map(|(time, value)| ((source, time), value)));
        }
    }
    assert!(heart_rate.len() > 8_000 && variability.len() > 3_000 && oxygen.len() > 500);
    check_samples(&readings, &ResourceName::Heartrate, &heart_rate);
    check_samples(&readings, &ResourceName::Hrv, &variability);
    check_samples(&readings, &ResourceName::BloodOxygen, &oxygen);
    let steps: i64 = values(&readings, ResourceName::Steps)
        .iter()
        .filter_map(|sample| sample["value"].as_i64())
        .sum();
    let walked = data.intraday.iter().filter(|(time, _)| is_within_utc(**time));
    assert_eq!(steps, walked.filter_map(|(_, sample)| sample.steps).sum::<i64>());
}

#[tokio::test]
async fn electrocardiograms() {
    let (data, readings) = pulled("electrocardiogram", "Europe/Oslo").await;
    let records = data.heart.iter().filter(|record| is_within_utc(record.timestamp));
    let expected: BTreeSet<_> = records
        .filter_map(|record| Some(record.ecg.as_ref()?.signalid.to_string()))
        .collect();
    assert!(expected.len() > 3);
    let read = by_id(&readings, ResourceName::Electrocardiogram);
    assert_eq!(read.keys().cloned().collect::<BTreeSet<_>>(), expected);
    let millivolts: Vec<_> = values(&readings, ResourceName::ElectrocardiogramVoltage)
        .iter()
        .map(|sample| sample["value"].clone())
        .collect();
    let signals = expected
        .iter()
        .flat_map(|id| &data.signals[&id.parse().expect("an id")]);
    let signals: Vec<Value> = signals.map(|microvolts| json!(*microvolts as f64 / 1_000.0)).collect();
    assert_eq!(millivolts, signals);
}

#[tokio::test]
async fn the_height() {
    let service = Service::start("Europe/Oslo").await;
    let today = Span {
        first: last_day(),
        last: last_day(),
    };
    let readings = pull(&service.session(SCOPES), "profile", today)
        .await
        .expect("readings");
    check_arrivals(&readings);
    let height = service.simulation.with_data(|data| data.groups[0].measures[0].value);
    assert_eq!(
        values(&readings, ResourceName::Profile),
        [json!({"height": height as f64})]
    );
}

/// Pages have 20 items. A day before the span, and two after it, are requested, too.
#[tokio::test]
async fn all_pages_are_requested() {
    let service = Service::start("Europe/Oslo").await;
    let readings = pull(&service.session(SCOPES), "activity", forty_days())
        .await
        .expect("readings");
    assert!(readings.len() > 20);
    assert_eq!(service.simulation.faults().requests(), 43_u64.div_ceil(20));
}

/// The stages of a night without a start are not requested: they would be those of decades.
#[tokio::test]
async fn a_night_without_a_start() {
    let service = Service::start("Europe/Oslo").await;
    let day = service.simulation.with_data(|data| {
        let mut night = data.nights[30].clone();
        night.startdate = 0;
        let day = night.date.expect("a day");
        data.nights = vec![night];
        day
    });
    let span = Span { first: day, last: day };
    for name in ["samples", "sleep"] {
        let readings = pull(&service.session(SCOPES), name, span).await.expect("readings");
        let nights = [ResourceName::Sleep, ResourceName::SleepCycle];
        assert!(
            readings.iter().all(|reading| !nights.contains(&reading.resource)),
            "{name}"
        );
    }
    assert!(service.simulation.faults().requests() < 10);
}

/// A night of more than a day is requested in parts.
#[tokio::test]
async fn a_long_night_is_read_in_parts() {
    let service = Service::start("Europe/Oslo").await;
    let (night, stages) = service.simulation.with_data(|data| {
        let mut night = data.nights[30].clone();
        night.hash_deviceid = Some("dev-long".to_owned());
        night.enddate = night.startdate + 130_000;
        let stage = data.stages[0].clone();
        data.stages = (0..13)
            .map(|index| {
                let mut stage = stage.clone();
                stage.hash_deviceid = Some("dev-long".to_owned());
                stage.startdate = night.startdate + index * 10_000;
                stage.enddate = stage.startdate + 10_000;
                stage
            })
            .collect();
        data.nights = vec![night.clone()];
        (night, data.stages.len())
    });
    let day = night.date.expect("a day");
    let span = Span { first: day, last: day };
    let readings = pull(&service.session(SCOPES), "samples", span).await.expect("readings");
    let cycle = &values(&readings, ResourceName::SleepCycle)[0];
    assert_eq!(cycle["stage_type"].as_array().map(Vec::len), Some(stages));
}

/// A minute after and before midnight, in zones far from UTC.
#[tokio::test]
async fn groups_at_the_ends_of_a_span() {
    let span = forty_days();
    for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
        let service = Service::start(zone).await;
        service.simulation.with_data(|data| {
            let midnight = |day: NaiveDate| {
                let offset = i64::from(
                    Zone::named(Some(zone))
                        .noon(day)
                        .expect("noon")
                        .offset()
                        .local_minus_utc(),
                );
                (day.and_time(NaiveTime::MIN).and_utc() - TimeDelta::seconds(offset)).timestamp()
            };
            let weight = data
                .groups
                .iter()
                .find(|group| measure(group, MeasureType::Weight).is_some());
            let mut weight = weight.expect("a weight").clone();
            weight.attrib = Some(Attribution::Device);
            let (start, end) = (midnight(span.first), midnight(span.last + Days::new(1)));
            data.groups = [start - 1, start, end - 1, end]
                .into_iter()
                .map(|date| MeasureGroup {
                    grpid: date,
                    date,
                    ..weight.clone()
                })
                .collect();
        });
        let readings = pull(&service.session(SCOPES), "measures", span)
            .await
            .expect("readings");
        let days: Vec<_> = values(&readings, ResourceName::Body)
            .iter()
            .map(|body| body["calendar_date"].clone())
            .collect();
        assert_eq!(days, [json!(span.first), json!(span.last)], "{zone}");
    }
}

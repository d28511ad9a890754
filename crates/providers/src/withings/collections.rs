//! Collections, and the readings of each.

use std::collections::HashSet;

use chrono::NaiveDate;
use wearlab_connect::{Collection, Reading, Refusal, Span};
use wearlab_models::ResourceName;

use super::generated::models::MeasureType;
use super::mapping;
use super::requests::Requests;
use crate::days::{days_after, days_before, midnight};
use crate::records::readable;

/// A scale or a watch may synchronise weeks late. A list of so many days is one request.
const LOOK_BACK_DAYS: u32 = 30;
/// Samples need two requests for each day.
const LOOK_BACK_DAYS_OF_SAMPLES: u32 = 8;

const HOUR: u32 = 3_600;

const PROVIDER: &str = "withings";

/// Types of measures of the body.
const BODY: &[MeasureType] = &[
    MeasureType::Weight,
    MeasureType::FatFreeMass,
    MeasureType::FatRatio,
    MeasureType::DiastolicPressure,
    MeasureType::SystolicPressure,
    MeasureType::MuscleMass,
    MeasureType::Water,
    MeasureType::BoneMass,
    MeasureType::Vo2Max,
    MeasureType::VisceralFat,
];
/// Types of measures that are samples of time series which other requests return, too. Weights and pressures tell the device.
const VITALS: &[MeasureType] = &[
    MeasureType::Weight,
    MeasureType::SystolicPressure,
    MeasureType::Pulse,
    MeasureType::Temperature,
    MeasureType::BloodOxygen,
    MeasureType::BodyTemperature,
    MeasureType::SkinTemperature,
];

pub(super) static COLLECTIONS: &[Collection] = &[
    Collection {
        name: "measures",
        resources: &[
            ResourceName::Body,
            ResourceName::Weight,
            ResourceName::Fat,
            ResourceName::LeanBodyMass,
            ResourceName::BloodPressure,
            ResourceName::Vo2Max,
        ],
        scopes: &["user.metrics"],
        window_days: 90,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "activity",
        resources: &[ResourceName::Activity],
        scopes: &["user.activity"],
        window_days: 90,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "sleep",
        resources: &[ResourceName::Sleep],
        scopes: &["user.activity"],
        window_days: 90,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "workouts",
        resources: &[ResourceName::Workouts],
        scopes: &["user.activity"],
        window_days: 90,
        look_back_days: LOOK_BACK_DAYS,
        pace_seconds: HOUR,
        has_history: true,
    },
    Collection {
        name: "samples",
        resources: &[
            ResourceName::SleepCycle,
            ResourceName::Heartrate,
            ResourceName::Hrv,
            ResourceName::RespiratoryRate,
            ResourceName::BloodOxygen,
            ResourceName::BodyTemperature,
            ResourceName::Steps,
            ResourceName::Distance,
            ResourceName::FloorsClimbed,
            ResourceName::CaloriesActive,
        ],
        scopes: &["user.activity", "user.metrics"],
        window_days: 10,
        look_back_days: LOOK_BACK_DAYS_OF_SAMPLES,
        pace_seconds: 4 * HOUR,
        has_history: true,
    },
    Collection {
        name: "electrocardiogram",
        resources: &[ResourceName::Electrocardiogram, ResourceName::ElectrocardiogramVoltage],
        scopes: &["user.metrics"],
        // Each has thousands of voltages.
        window_days: 10,
        look_back_days: LOOK_BACK_DAYS_OF_SAMPLES,
        pace_seconds: 4 * HOUR,
        has_history: true,
    },
    Collection {
        name: "profile",
        resources: &[ResourceName::Profile],
        scopes: &["user.metrics"],
        window_days: 1,
        look_back_days: 1,
        pace_seconds: 24 * HOUR,
        has_history: false,
    },
];

/// Reads the values of a collection in a span of days.
pub(super) async fn read(requests: &Requests<'_>, collection: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    // Days of other zones begin and end up to 14 hours from those of UTC, and the end of a span may be exclusive.
    let (first, last) = (days_before(span.first, 1), days_after(span.last, 2));
    let mut readings = Vec::new();
    match collection {
        "measures" => {
            let groups = requests.measures(BODY, epoch(first), epoch(last)).await?;
            let bodies = groups.iter().map(|(group, zone)| mapping::body(group, zone.as_deref()));
            readings.extend(readable(PROVIDER, "measures", bodies)?.into_iter().flatten());
        }
        "activity" => {
            for day in requests.activities(first, last).await? {
                readings.extend(mapping::activity(&day));
            }
        }
        "sleep" => {
            let nights = requests.nights(first, last).await?;
            readings.extend(readable(PROVIDER, "nights", nights.iter().map(mapping::sleep))?);
        }
        "workouts" => {
            let workouts = requests.workouts(first, last).await?;
            readings.extend(readable(PROVIDER, "workouts", workouts.iter().map(mapping::workout))?);
        }
        "samples" => return samples(requests, span).await,
        "electrocardiogram" => {
            let (start, end) = (epoch(span.first), epoch(days_after(span.last, 1)));
            let mut cardiograms = Vec::new();
            for record in requests.heart_records(start, end).await? {
                if let Some(ecg) = &record.ecg {
                    let signal = requests.signal(ecg.signalid).await?;
                    cardiograms.push(mapping::electrocardiogram(&record, ecg, &signal));
                }
            }
            let cardiograms = readable(PROVIDER, "electrocardiograms", cardiograms)?;
            readings.extend(cardiograms.into_iter().flatten());
        }
        "profile" => {
            let groups = requests.measures(&[MeasureType::Height], 0, epoch(last)).await?;
            return Ok(mapping::height(groups.iter().map(|(group, _)| group), span.last)
                .into_iter()
                .collect());
        }
        other => return Err(Refusal::Failed(format!("Withings has no collection {other}"))),
    }
    readings.retain(|reading| span.contains(reading.day));
    Ok(readings)
}

/// Reads the stages of the nights of a span, and the samples of its days, which are those of UTC: samples have no zone.
async fn samples(requests: &Requests<'_>, span: Span) -> Result<Vec<Reading>, Refusal> {
    let (start, end) = (epoch(span.first), epoch(days_after(span.last, 1)));
    let mut of_nights = Vec::new();
    let nights = requests.nights(days_before(span.first, 1), days_after(span.last, 2));
    for night in nights.await? {
        let is_night_of_span = mapping::night_day(&night).is_ok_and(|day| span.contains(day));
        if !is_night_of_span && (night.enddate < start || night.startdate >= end) {
            continue;
        }
        let stages = requests.stages(&night).await?;
        let cycle = mapping::sleep_cycle(&night, &stages);
        let cycle = cycle.map(|cycle| cycle.filter(|_| is_night_of_span));
        of_nights.push(cycle.and_then(|cycle| Ok((cycle, mapping::stage_samples(&night, &stages)?))));
    }
    let (mut cycles, mut samples) = (Vec::new(), Vec::new());
    for (cycle, of_stages) in readable(PROVIDER, "stages", of_nights)? {
        cycles.extend(cycle);
        samples.extend(of_stages);
    }
    for day in span.days() {
        let of_day = requests.intraday(epoch(day), epoch(days_after(day, 1))).await?;
        let of_day = of_day.iter().map(|(key, sample)| mapping::intraday(key, sample));
        samples.extend(readable(PROVIDER, "samples", of_day)?.into_iter().flatten());
    }
    // Groups have a zone, and are of its days, as blood pressures are.
    let (first, last) = (days_before(span.first, 1), days_after(span.last, 2));
    let groups = requests.measures(VITALS, epoch(first), epoch(last)).await?;
    let vitals = groups
        .iter()
        .map(|(group, zone)| mapping::vitals(group, zone.as_deref()));
    samples.extend(readable(PROVIDER, "vitals", vitals)?.into_iter().flatten());
    // A watch has a sample in the night and in the day, at the same time: that of the night counts.
    let mut seen = HashSet::new();
    samples.retain(|sample| span.contains(sample.day) && seen.insert(mapping::identity(sample)));
    cycles.append(&mut samples);
    Ok(cycles)
}

/// Returns the start of a day of UTC, in s since 1970.
fn epoch(day: NaiveDate) -> i64 {
    midnight(day).timestamp()
}

//! Conversion of the stages of nights, and of their samples.

use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName;

use super::super::generated::models::{Night, SleepState, Stage};
use super::night::{night_day, source};
use super::numbers::measured;
use super::times::{key_time, time_in, with_source};
use crate::samples::sample_at;
use crate::stages::{self, ASLEEP, AWAKE, DEEP, LIGHT, REM, UNKNOWN, cycle, without_overlaps};
use crate::zones::Zone;

/// Returns the stages of a night, which are in order. None if it has none. They end with the night, and one that begins before
/// the end of another begins there.
///
/// # Errors
///
/// If a time is out of range.
pub fn sleep_cycle(night: &Night, stages: &[Stage]) -> Result<Option<Reading>, Refusal> {
    let zone = Zone::named(night.timezone.as_deref());
    let length = night.enddate.saturating_sub(night.startdate);
    let of_night = |stage: &Stage| stages::Stage {
        start: stage.startdate.saturating_sub(night.startdate),
        end: stage.enddate.saturating_sub(night.startdate),
        kind: kind(&stage.state),
    };
    let stages = without_overlaps(length, stages.iter().map(of_night));
    if stages.is_empty() {
        return Ok(None);
    }
    let ends = (time_in(&zone, night.startdate)?, time_in(&zone, night.enddate)?);
    let mut reading = cycle(&night.id.to_string(), ends, night_day(night)?, &stages);
    if let (Some(reading), Some(zone)) = (&mut reading, &night.timezone) {
        reading.value.insert("time_zone".to_owned(), json!(zone));
    }
    Ok(reading.map(|reading| with_source(source(night), reading)))
}

/// Returns the samples of the stages of a night.
///
/// # Errors
///
/// If a key is not a time.
pub fn stage_samples(night: &Night, stages: &[Stage]) -> Result<Vec<Reading>, Refusal> {
    let mut samples = Vec::new();
    for stage in stages {
        for (resource, values) in [
            (ResourceName::Heartrate, &stage.hr),
            (ResourceName::RespiratoryRate, &stage.rr),
            (ResourceName::Hrv, &stage.rmssd),
        ] {
            for (key, value) in values {
                if let Some(value) = measured(*value) {
                    let sample = sample_at(resource.clone(), key_time(key)?, json!(value));
                    samples.push(with_source(source(night), sample));
                }
            }
        }
    }
    Ok(samples)
}

/// Returns the kind of a stage.
fn kind(state: &SleepState) -> i64 {
    match state {
        SleepState::Awake | SleepState::OutOfBed => AWAKE,
        SleepState::Light => LIGHT,
        SleepState::Deep => DEEP,
        SleepState::Rem => REM,
        SleepState::Entered | SleepState::Unspecified => ASLEEP,
        SleepState::Other(_) => UNKNOWN,
    }
}

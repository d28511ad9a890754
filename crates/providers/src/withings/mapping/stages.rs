//! Conversion of the stages of nights, and of their samples.

use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName;

use super::super::generated::models::{Night, SleepState, Stage};
use super::night::{night_day, source};
use super::numbers::measured;
use super::times::{key_time, time_in, with_source};
use crate::samples::sample_at;
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
    let (mut starts, mut ends, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for stage in stages {
        let earliest = ends.last().copied().unwrap_or(0);
        let start = stage.startdate.saturating_sub(night.startdate).max(earliest);
        let end = stage.enddate.saturating_sub(night.startdate).min(length);
        if start < end {
            starts.push(start);
            ends.push(end);
            kinds.push(kind(stage.state));
        }
    }
    if kinds.is_empty() {
        return Ok(None);
    }
    let value = json!({
        "provider_id": night.id.to_string(),
        "session_start": time_in(&zone, night.startdate)?.to_rfc3339(),
        "session_end": time_in(&zone, night.enddate)?.to_rfc3339(),
        "time_zone": night.timezone,
        "stage_start_offset_second": starts,
        "stage_end_offset_second": ends,
        "stage_type": kinds,
    });
    let reading = Reading::new(ResourceName::SleepCycle, night_day(night)?, value);
    Ok(Some(with_source(source(night), reading)))
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

/// Returns a stage by our numbers: 1 deep, 2 light, 3 REM, 4 awake, 5 asleep, -1 unknown.
fn kind(state: SleepState) -> i64 {
    match state {
        SleepState::Awake | SleepState::OutOfBed => 4,
        SleepState::Light => 2,
        SleepState::Deep => 1,
        SleepState::Rem => 3,
        SleepState::Entered | SleepState::Unspecified => 5,
        SleepState::Other(_) => -1,
    }
}

//! Conversion of glucose: values of the sensor, and of finger-sticks that calibrate it.

use std::collections::HashMap;

use chrono::TimeDelta;
use serde_json::Value;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{Calibration, Egv};
use super::time::{UnreadableTime, time};
use super::values::{glucose, number};
use crate::records::readable;
use crate::samples::sample_at;

/// Source of finger-sticks.
const FINGERPRICK: &str = "fingerprick";

/// Time between two uploads of the same value: less than half of that between two values.
const SAME_VALUE: TimeDelta = TimeDelta::seconds(150);

/// Returns the values of the sensor. Of those that two displays uploaded, the first counts.
///
/// # Errors
///
/// If no time of a list with records can be read.
pub fn egvs(records: &[Egv]) -> Result<Vec<Reading>, Refusal> {
    let timed = records.iter().enumerate().map(|(index, record)| {
        let time = time(index, &record.system_time, &record.display_time)?;
        Ok::<_, UnreadableTime>((time, record))
    });
    let timed = readable("dexcom", "egvs", timed)?.into_iter();
    let values = timed.filter_map(|(time, record)| {
        // Out of range, there is no number, or a limit.
        let number = number(record.value.as_ref()?)?;
        Some((time, record, glucose(number, &record.unit)))
    });
    let mut values: Vec<_> = values.collect();
    values.sort_by(|one, other| (one.0, &one.1.record_id).cmp(&(other.0, &other.1.record_id)));
    let mut ticks: HashMap<(&str, i64), DateTime> = HashMap::new();
    values.retain(|(time, record, _)| {
        let key = record.transmitter_id.as_deref().zip(record.transmitter_ticks);
        let earlier = key.and_then(|key| ticks.insert(key, *time));
        earlier.is_none_or(|earlier| *time - earlier > SAME_VALUE)
    });
    let readings = values.into_iter();
    Ok(readings
        .map(|(time, _, value)| sample_at(ResourceName::Glucose, time, value))
        .collect())
}

/// Returns the values of finger-sticks.
///
/// # Errors
///
/// If no time of a list with records can be read.
pub fn calibrations(records: &[Calibration]) -> Result<Vec<Reading>, Refusal> {
    let readings = records.iter().enumerate().map(|(index, record)| {
        let time = time(index, &record.system_time, &record.display_time)?;
        let value = record.value.map(|number| glucose(number, &record.unit));
        Ok::<_, UnreadableTime>(value.map(|value| fingerprick(time, value)))
    });
    let readings = readable("dexcom", "calibrations", readings)?;
    Ok(readings.into_iter().flatten().collect())
}

/// Returns a value of a finger-stick.
pub(super) fn fingerprick(time: DateTime, value: Value) -> Reading {
    Reading {
        source_type: Some(FINGERPRICK),
        ..sample_at(ResourceName::Glucose, time, value)
    }
}

//! The values of resources that have a shape of their own.

use chrono::SecondsFormat;
use wearlab_models::{DateTime, ResourceName};

use crate::kept::times_of;
use crate::{ExactObject, ExactValue};

/// Writes the times of a value as the interface has them.
pub(crate) fn write_times(resource: &ResourceName, value: &mut ExactObject) {
    for name in times_of(resource) {
        write_time(value.get_mut(name));
    }
    if *resource == ResourceName::SleepCycle
        && let Some(ExactValue::Array(stages)) = value.get_mut("hypnogram")
    {
        stages.iter_mut().for_each(write_stage);
    }
}

/// The stages of a hypnogram, or those of sleep cycles one after the other.
pub(super) fn hypnogram(resource: &ResourceName, values: &[ExactObject]) -> Vec<ExactObject> {
    let mut stages = Vec::new();
    for value in values {
        match value.get("hypnogram") {
            Some(ExactValue::Array(of_cycle)) if *resource == ResourceName::SleepCycle => {
                stages.extend(of_cycle.iter().cloned());
            }
            _ => stages.push(ExactValue::Object(value.clone())),
        }
    }
    stages.iter_mut().for_each(write_stage);
    let objects = stages.into_iter().filter_map(|stage| match stage {
        ExactValue::Object(stage) => Some(stage),
        _ => None,
    });
    objects.collect()
}

fn write_stage(stage: &mut ExactValue) {
    if let ExactValue::Object(stage) = stage {
        write_time(stage.get_mut("start"));
        write_time(stage.get_mut("end"));
    }
}

/// Writes a time as the types of the interface do, whatever form of ISO 8601 it came in. What is finer than microseconds is
/// cut off, and a leap second is the next second, as they are of samples.
fn write_time(member: Option<&mut ExactValue>) {
    if let Some(ExactValue::String(text)) = member
        && let Ok(time) = text.parse::<DateTime>()
        && let Some(instant) = chrono::DateTime::from_timestamp_micros(time.timestamp_micros())
    {
        let time = instant.with_timezone(time.offset());
        *text = time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    }
}

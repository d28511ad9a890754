//! Values of resources that events show in another shape.

use chrono::SecondsFormat;
use wearlab_models::{DateTime, ResourceName};

use crate::kept::times_of;
use crate::{ExactObject, ExactValue};

/// Normalises the times of a value.
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

/// Returns the stages of a hypnogram, or those of sleep cycles one after the other.
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

/// Normalises a time of any form of ISO 8601 to that of the API. Digits after microseconds are cut off, and a leap
/// second is the next second, like those of samples.
fn write_time(member: Option<&mut ExactValue>) {
    if let Some(ExactValue::String(text)) = member
        && let Ok(time) = text.parse::<DateTime>()
        && let Some(instant) = chrono::DateTime::from_timestamp_micros(time.timestamp_micros())
    {
        let time = instant.with_timezone(time.offset());
        *text = time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    }
}

//! The values of resources that have a shape of their own.

use chrono::SecondsFormat;
use serde::de::DeserializeOwned;
use wearlab_models::{DateTime, HypnogramEntry, ResourceName, SleepCycle};

use crate::{ExactObject, ExactValue, IngestError};

/// Checks that a resource can be a part of an event type, and that values have the shape that it has, if it has one.
pub fn check(resource: &ResourceName, values: &[ExactObject]) -> Result<(), IngestError> {
    let name = resource.as_str();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if name.is_empty() || !name.bytes().all(fits) {
        let what = "the resource is no name of letters, digits, _ and -";
        return Err(IngestError::Invalid { what });
    }
    match resource {
        ResourceName::SleepCycle => typed::<SleepCycle>(values, "the values are not sleep cycles"),
        ResourceName::Hypnogram => typed::<HypnogramEntry>(values, "the values are not stages of a hypnogram"),
        _ => Ok(()),
    }
}

fn typed<T: DeserializeOwned>(values: &[ExactObject], what: &'static str) -> Result<(), IngestError> {
    let mut values = values.iter();
    // Without the cause: it quotes the values.
    values
        .try_for_each(|value| serde_json::from_value::<T>(serde_json::to_value(value)?).map(drop))
        .map_err(|_: serde_json::Error| IngestError::Invalid { what })
}

/// Sleep cycles with their times as the interface has them.
pub(super) fn sleep_cycles(values: &[ExactObject]) -> Vec<ExactObject> {
    let mut cycles = values.to_vec();
    for cycle in &mut cycles {
        for name in ["session_start", "session_end"] {
            write_time(cycle.get_mut(name));
        }
        if let Some(ExactValue::Array(stages)) = cycle.get_mut("hypnogram") {
            stages.iter_mut().for_each(write_stage);
        }
    }
    cycles
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

/// Writes a time as the types of the interface do, whatever form of ISO 8601 it came in.
fn write_time(member: Option<&mut ExactValue>) {
    if let Some(ExactValue::String(text)) = member
        && let Ok(time) = text.parse::<DateTime>()
    {
        *text = time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    }
}

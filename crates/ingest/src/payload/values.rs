//! The values of resources that have a shape of their own.

use chrono::SecondsFormat;
use wearlab_models::{DateTime, ResourceName};

use crate::{ExactObject, ExactValue};

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

//! Stages of a sleep.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

/// Kinds of stages.
pub(crate) const DEEP: i64 = 1;
pub(crate) const LIGHT: i64 = 2;
pub(crate) const REM: i64 = 3;
pub(crate) const AWAKE: i64 = 4;
pub(crate) const ASLEEP: i64 = 5;
pub(crate) const UNKNOWN: i64 = -1;

/// Time in a stage, in seconds from the start of the sleep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// 1 deep, 2 light, 3 REM, 4 awake, 5 asleep, -1 unknown.
    pub(crate) kind: i64,
}

/// Adds the next stage, or extends the last one if it is of the same kind.
pub(crate) fn push(stages: &mut Vec<Stage>, stage: Stage) {
    match stages.last_mut().filter(|last| last.kind == stage.kind) {
        Some(last) => last.end = stage.end,
        None => stages.push(stage),
    }
}

/// Returns the stages of a sleep of some seconds, which are in order. They end with the sleep, and one that begins before the end
/// of another begins there.
pub(crate) fn without_overlaps(length: i64, stages: impl IntoIterator<Item = Stage>) -> Vec<Stage> {
    let mut found: Vec<Stage> = Vec::new();
    for stage in stages {
        let earliest = found.last().map_or(0, |last| last.end);
        let (start, end) = (stage.start.max(earliest), stage.end.min(length));
        if start < end {
            found.push(Stage { start, end, ..stage });
        }
    }
    found
}

/// Returns the seconds in a kind of stage, if there are stages.
pub(crate) fn seconds_in(stages: &[Stage], kind: i64) -> Option<i64> {
    let of_kind = stages.iter().filter(|stage| stage.kind == kind);
    (!stages.is_empty()).then(|| of_kind.map(|stage| stage.end - stage.start).sum())
}

/// Returns the stages of a sleep of a day, from its start to its end, if it has some.
pub(crate) fn cycle(
    provider_id: &str,
    (start, end): (DateTime, DateTime),
    day: NaiveDate,
    stages: &[Stage],
) -> Option<Reading> {
    let column = |of: fn(&Stage) -> i64| stages.iter().map(of).collect::<Vec<_>>();
    let value = json!({
        "provider_id": provider_id,
        "session_start": start.to_rfc3339(),
        "session_end": end.to_rfc3339(),
        "stage_start_offset_second": column(|stage| stage.start),
        "stage_end_offset_second": column(|stage| stage.end),
        "stage_type": column(|stage| stage.kind),
    });
    (!stages.is_empty()).then(|| Reading::new(ResourceName::SleepCycle, day, value))
}

//! Stages of a sleep cycle, in columns and as a hypnogram. If one is missing, it is created from the other.

use chrono::{DateTime, Duration, FixedOffset, SecondsFormat};
use serde_json::json;

use crate::{ExactObject, ExactValue, LineError};

const START: &str = "stage_start_offset_second";
const END: &str = "stage_end_offset_second";
const TYPE: &str = "stage_type";

/// Numbers of the stages in the API.
const STAGES: &[(i64, &str)] = &[
    (1, "deep"),
    (2, "light"),
    (3, "rem"),
    (4, "awake"),
    (5, "asleep"),
    (-1, "unknown"),
];

/// Completes the stages of a cycle.
///
/// # Errors
///
/// Returns an error if its columns differ in length, or some are missing.
pub(super) fn complete(cycle: &mut ExactObject) -> Result<(), LineError> {
    let Some(session) = time(cycle.get("session_start")) else {
        // Validation by the schema reports the error.
        return Ok(());
    };
    let columns = [START, END, TYPE].map(|name| cycle.get(name).map(numbers));
    match columns {
        [Some(starts), Some(ends), Some(types)] => {
            let (Some(starts), Some(ends), Some(types)) = (starts, ends, types) else {
                return Ok(());
            };
            if starts.len() != ends.len() || starts.len() != types.len() {
                return Err(LineError::new(TYPE, "the columns of the stages are not of one length"));
            }
            if cycle.get("hypnogram").is_none() {
                let stages = starts.iter().zip(&ends).zip(&types);
                let stages = stages.map(|((start, end), stage)| entry(session, *start, *end, *stage));
                let stages = stages.collect::<Option<_>>();
                let stages = stages.ok_or_else(|| LineError::new(START, "a stage is too far from the session"))?;
                cycle.insert("hypnogram", ExactValue::Array(stages));
            }
        }
        [None, None, None] => {
            let Some(ExactValue::Array(stages)) = cycle.get("hypnogram") else {
                return Ok(());
            };
            let rows = stages.iter().map(|stage| row(session, stage));
            // If a stage has no times, validation by the schema reports that.
            let Some(rows) = rows.collect::<Option<Vec<_>>>() else {
                return Ok(());
            };
            for (index, name) in [START, END, TYPE].into_iter().enumerate() {
                let column = rows.iter().map(|row| exact(&json!(row[index])));
                cycle.insert(name, ExactValue::Array(column.collect()));
            }
        }
        _ => return Err(LineError::new(TYPE, "some columns of the stages are missing")),
    }
    Ok(())
}

fn numbers(column: &ExactValue) -> Option<Vec<i64>> {
    let ExactValue::Array(values) = column else { return None };
    let number = |value: &ExactValue| match value {
        ExactValue::Number(number) => number.as_str().parse().ok(),
        _ => None,
    };
    values.iter().map(number).collect()
}

/// Creates a stage of the hypnogram from a row of the columns.
fn entry(session: DateTime<FixedOffset>, start: i64, end: i64, stage: i64) -> Option<ExactValue> {
    let at = |seconds| {
        let time = session.checked_add_signed(Duration::try_seconds(seconds)?)?;
        Some(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    };
    let name = STAGES.iter().find(|(number, _)| *number == stage);
    let name = name.map_or("unknown", |(_, name)| name);
    Some(exact(&json!({"start": at(start)?, "end": at(end)?, "stage": name})))
}

/// Creates a row of the columns from a stage of the hypnogram.
fn row(session: DateTime<FixedOffset>, stage: &ExactValue) -> Option<[i64; 3]> {
    let ExactValue::Object(stage) = stage else { return None };
    let offset = |name| Some((time(stage.get(name))? - session).num_seconds());
    let Some(ExactValue::String(name)) = stage.get("stage") else {
        return None;
    };
    let number = STAGES.iter().find(|(_, known)| known == name);
    Some([
        offset("start")?,
        offset("end")?,
        number.map_or(-1, |(number, _)| *number),
    ])
}

fn time(member: Option<&ExactValue>) -> Option<DateTime<FixedOffset>> {
    match member {
        Some(ExactValue::String(text)) => text.parse().ok(),
        _ => None,
    }
}

fn exact(value: &serde_json::Value) -> ExactValue {
    ExactValue::read(&value.to_string()).unwrap_or(ExactValue::Null)
}

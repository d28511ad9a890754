//! Conversion of what the user entered.

use serde_json::{Value, json};
use wearlab_connect::Reading;
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{EventStatus, EventType, GlucoseUnit, RecordValue, UserEvent};
use super::glucose::fingerprick;
use super::time::{UnreadableTime, time};
use super::values::{amount, glucose, number, text};

/// Source of entries.
const APP: &str = "app";

/// Returns the samples of events. Deleted ones have none.
///
/// # Errors
///
/// A time that cannot be read.
pub fn events(records: &[UserEvent]) -> Result<Vec<Reading>, UnreadableTime> {
    let mut readings = Vec::new();
    for (index, event) in records.iter().enumerate() {
        if event.event_status == EventStatus::Deleted {
            continue;
        }
        let time = time(index, &event.system_time, &event.display_time)?;
        if let Some(reading) = reading(event, time) {
            add(&mut readings, reading);
        }
    }
    Ok(readings)
}

/// Adds a reading, to an amount of the same time and type if there is one: a sample of that time would replace it.
fn add(readings: &mut Vec<Reading>, reading: Reading) {
    let key = |reading: &Reading| {
        let member = |name: &str| reading.value.get(name).cloned();
        (reading.resource.clone(), member("timestamp"), member("type"))
    };
    let amount = |reading: &Reading| reading.value.get("value").and_then(Value::as_f64);
    let is_amount = matches!(
        reading.resource,
        ResourceName::Carbohydrates | ResourceName::InsulinInjection
    );
    let same = readings
        .iter_mut()
        .find(|other| is_amount && key(other) == key(&reading));
    if let Some(other) = same
        && let Some((one, more)) = amount(other).zip(amount(&reading))
    {
        other.value.insert("value".to_owned(), json!(one + more));
        return;
    }
    readings.push(reading);
}

/// Returns the sample of an event, if it has one.
fn reading(event: &UserEvent, time: DateTime) -> Option<Reading> {
    let kind = event.event_sub_type.as_deref();
    let value = event.value.as_ref();
    let amount = |unit: &str| {
        let is_unit = event.unit.as_deref().is_none_or(|own| own == unit);
        value.map(|value| amount(value, is_unit))
    };
    let (resource, value) = match &event.event_type {
        EventType::BloodGlucose => return Some(fingerprick(time, blood_glucose(value?, event.unit.as_deref()))),
        EventType::Carbs => (ResourceName::Carbohydrates, json!({"value": amount("grams")?})),
        EventType::Insulin => {
            let value = json!({"value": amount("units")?, "type": kind});
            (ResourceName::InsulinInjection, value)
        }
        EventType::Exercise => {
            let value = json!({"value": amount("minutes")?, "intensity": kind.map(intensity)});
            (ResourceName::WorkoutDuration, value)
        }
        EventType::Health | EventType::Notes => {
            let text = value.and_then(text).or(kind.map(str::to_owned))?;
            (
                ResourceName::Note,
                json!({"value": text, "type": kind, "tags": kind.map(|kind| [kind])}),
            )
        }
        _ => return None,
    };
    let mut reading = Reading {
        source_type: Some(APP),
        ..Reading::new(resource, time.date_naive(), value)
    };
    let timestamp = time.to_rfc3339();
    reading.value.insert("timestamp".to_owned(), timestamp.into());
    Some(reading)
}

/// Returns glucose in mmol/L. Null if it is not a number, or its unit is not known.
fn blood_glucose(value: &RecordValue, unit: Option<&str>) -> Value {
    let unit = GlucoseUnit::from(unit.unwrap_or_default());
    number(value).map_or(Value::Null, |number| glucose(number, &unit))
}

fn intensity(kind: &str) -> &str {
    match kind {
        "light" => "low",
        "heavy" => "high",
        other => other,
    }
}

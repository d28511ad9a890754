//! Conversion of what the user entered.

use std::collections::HashMap;

use serde_json::{Value, json};
use wearlab_connect::{Reading, Refusal};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{EventStatus, EventType, GlucoseUnit, RecordValue, UserEvent};
use super::glucose::fingerprick;
use super::time::{UnreadableTime, time};
use super::values::{amount, glucose, number, text};
use crate::records::readable;

/// Source of entries.
const APP: &str = "app";

/// Returns the samples of events. Deleted ones have none.
///
/// # Errors
///
/// If no time of a list with events can be read.
pub fn events(records: &[UserEvent]) -> Result<Vec<Reading>, Refusal> {
    let events = records.iter().enumerate();
    let events = events.filter(|(_, event)| event.event_status != EventStatus::Deleted);
    let timed = events.map(|(index, event)| {
        let time = time(index, &event.system_time, &event.display_time)?;
        Ok::<_, UnreadableTime>((time, event))
    });
    let mut samples = Samples::default();
    for (time, event) in readable("dexcom", "events", timed)? {
        if let Some(reading) = reading(event, time) {
            samples.add(event, time, reading);
        }
    }
    Ok(samples.readings)
}

/// Samples of events. Amounts of one time and type are one sample, since the later would replace the earlier.
#[derive(Default)]
struct Samples<'e> {
    readings: Vec<Reading>,
    /// Positions of amounts in the readings.
    amounts: HashMap<(ResourceName, DateTime, Option<&'e str>), usize>,
}

impl<'e> Samples<'e> {
    fn add(&mut self, event: &'e UserEvent, time: DateTime, reading: Reading) {
        let amount = |reading: &Reading| reading.value.get("value").and_then(Value::as_f64);
        let is_amount = matches!(event.event_type, EventType::Carbs | EventType::Insulin);
        if let Some(more) = amount(&reading).filter(|_| is_amount) {
            let kind = event.event_sub_type.as_deref();
            let kind = kind.filter(|_| event.event_type == EventType::Insulin);
            let key = (reading.resource.clone(), time, kind);
            let position = *self.amounts.entry(key).or_insert(self.readings.len());
            if let Some(earlier) = self.readings.get_mut(position) {
                let sum = amount(earlier).unwrap_or_default() + more;
                earlier.value.insert("value".to_owned(), json!(sum));
                return;
            }
        }
        self.readings.push(reading);
    }
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

//! Conversion of the samples of a day.

use chrono::TimeDelta;
use serde_json::{Value, json};
use wearlab_connect::{Reading, Refusal};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::IntradaySample;
use super::numbers::measured;
use super::times::key_time;
use crate::samples::{sample_at, sample_of_span};

/// Returns the values of a sample, whose key is its time.
///
/// # Errors
///
/// If the key is not a time.
pub fn intraday(key: &str, sample: &IntradaySample) -> Result<Vec<Reading>, Refusal> {
    let start = key_time(key)?;
    let instants = [
        (ResourceName::Heartrate, measured(sample.heart_rate)),
        (ResourceName::BloodOxygen, measured(sample.spo2_auto)),
        (ResourceName::Hrv, measured(sample.rmssd)),
        (ResourceName::RespiratoryRate, measured(sample.rr)),
        (ResourceName::BodyTemperature, measured(sample.core_body_temperature)),
        (ResourceName::FloorsClimbed, sample.elevation),
    ];
    let instants = instants.into_iter().filter_map(|(resource, value)| {
        let value = value?;
        Some(sample_at(resource, start, json!(value)))
    });
    let duration = sample.duration.and_then(TimeDelta::try_seconds).unwrap_or_default();
    let end = start.checked_add_signed(duration).unwrap_or(start);
    let spans = [
        (ResourceName::Steps, json!(sample.steps)),
        (ResourceName::Distance, json!(sample.distance)),
        (ResourceName::CaloriesActive, json!(sample.calories)),
    ];
    let spans = spans.into_iter().filter(|(_, value)| !value.is_null());
    let spans = spans.map(|(resource, value)| sample_of_span(resource, (start, end), value));
    Ok(instants.chain(spans).collect())
}

/// Returns what distinguishes a sample: its resource, source, time in UTC and type.
pub fn identity(sample: &Reading) -> (ResourceName, Option<&'static str>, String, String) {
    let text = |name: &str| {
        sample
            .value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    (
        sample.resource.clone(),
        sample.source_type,
        DateTime::parse_from_rfc3339(&text("timestamp"))
            .map_or_else(|_| text("timestamp"), |time| time.to_utc().to_rfc3339()),
        text("type"),
    )
}

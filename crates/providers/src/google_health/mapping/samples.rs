//! Conversion of samples of time series, of bodies, and of the height.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde_json::{Value, json};
use wearlab_connect::{Reading, Refusal};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{DataPoint, TimeInterval};
use super::numbers::{thousandths, whole};
use super::times::{local, sample_time};
use crate::numbers::{GLUCOSE_MILLIGRAMS, rounded};
use crate::records::readable;
use crate::samples::{sample_at, sample_of_span};

/// Returns the samples of points of all types.
///
/// # Errors
///
/// If the number or the offset of none of them can be read.
pub fn samples(points: &[DataPoint]) -> Result<Vec<Reading>, Refusal> {
    let samples = points.iter().map(|point| {
        let instant = instants(point)?;
        Ok::<_, Refusal>(instant.or(spans(point)?))
    });
    let samples = readable("google_health", "samples", samples)?;
    Ok(samples.into_iter().flatten().collect())
}

/// Returns the sample of a point that has a time.
fn instants(point: &DataPoint) -> Result<Option<Reading>, Refusal> {
    let sample = if let Some(rate) = &point.heart_rate {
        let bpm = json!(whole(&rate.beats_per_minute)?);
        Some((ResourceName::Heartrate, &rate.sample_time, bpm))
    } else if let Some(variability) = &point.heart_rate_variability {
        let milliseconds = json!(variability.rmssd_milliseconds);
        Some((ResourceName::Hrv, &variability.sample_time, milliseconds))
    } else if let Some(oxygen) = &point.oxygen_saturation {
        Some((ResourceName::BloodOxygen, &oxygen.sample_time, json!(oxygen.percentage)))
    } else if let Some(weight) = &point.weight {
        let kilograms = json!(thousandths(weight.weight_grams));
        Some((ResourceName::Weight, &weight.sample_time, kilograms))
    } else if let Some(fat) = &point.body_fat {
        Some((ResourceName::Fat, &fat.sample_time, json!(fat.percentage)))
    } else if let Some(temperature) = &point.core_body_temperature {
        let celsius = json!(temperature.temperature_celsius.or(temperature.celsius));
        Some((ResourceName::BodyTemperature, &temperature.sample_time, celsius))
    } else if let Some(glucose) = &point.blood_glucose {
        let milligrams = glucose.blood_glucose_milligrams_per_deciliter;
        let millimoles = json!(milligrams.map(|milligrams| rounded(milligrams / GLUCOSE_MILLIGRAMS, 3)));
        Some((ResourceName::Glucose, &glucose.sample_time, millimoles))
    } else {
        None
    };
    let Some((resource, time, value)) = sample.filter(|(_, _, value)| !value.is_null()) else {
        return Ok(None);
    };
    Ok(Some(sample_at(resource, sample_time(time)?, value)))
}

/// Returns the sample of a point that has a span.
fn spans(point: &DataPoint) -> Result<Option<Reading>, Refusal> {
    if let Some(steps) = &point.steps {
        return span(ResourceName::Steps, &steps.interval, json!(whole(&steps.count)?)).map(Some);
    }
    if let Some(distance) = &point.distance {
        let metres = thousandths(whole(&distance.millimeters)? as f64);
        return span(ResourceName::Distance, &distance.interval, json!(metres)).map(Some);
    }
    let Some(drink) = &point.hydration_log else {
        return Ok(None);
    };
    let Some(millilitres) = drink.amount_consumed.as_ref().and_then(|amount| amount.milliliters) else {
        return Ok(None);
    };
    let (start, _) = ends(&drink.interval)?;
    Ok(Some(sample_at(ResourceName::Water, start, json!(millilitres))))
}

fn span(resource: ResourceName, interval: &TimeInterval, value: Value) -> Result<Reading, Refusal> {
    Ok(sample_of_span(resource, ends(interval)?, value))
}

/// Returns the local start and end of an interval.
pub(super) fn ends(interval: &TimeInterval) -> Result<(DateTime, DateTime), Refusal> {
    let start = local(interval.start_time, interval.start_utc_offset.as_deref())?;
    let end_offset = interval
        .end_utc_offset
        .as_deref()
        .or(interval.start_utc_offset.as_deref());
    Ok((start, local(interval.end_time, end_offset)?))
}

/// Returns the bodies of the weights and the fat of some points: those of one time are one.
pub fn bodies(points: &[DataPoint]) -> Vec<Reading> {
    let mut bodies: BTreeMap<DateTime, Value> = BTreeMap::new();
    for point in points {
        let weight = point.weight.as_ref().map(|weight| {
            let kilograms = json!(thousandths(weight.weight_grams));
            ("weight", &weight.sample_time, kilograms)
        });
        let fat = point
            .body_fat
            .as_ref()
            .map(|fat| ("fat", &fat.sample_time, json!(fat.percentage)));
        for (name, time, value) in weight.into_iter().chain(fat) {
            let Ok(time) = sample_time(time) else { continue };
            let body = bodies.entry(time).or_insert_with(|| {
                let id = time.to_utc().to_rfc3339();
                json!({"provider_id": id, "calendar_date": time.date_naive()})
            });
            body[name] = value;
        }
    }
    let readings = bodies.into_iter();
    readings
        .map(|(time, body)| Reading::new(ResourceName::Body, time.date_naive(), body))
        .collect()
}

/// Returns the newest height of some points, as the profile of a day.
///
/// # Errors
///
/// If a number cannot be read.
pub fn height(points: &[DataPoint], day: NaiveDate) -> Result<Option<Reading>, Refusal> {
    let heights = points.iter().filter_map(|point| point.height.as_ref());
    let Some(height) = heights.max_by_key(|height| height.sample_time.physical_time) else {
        return Ok(None);
    };
    let centimetres = whole(&height.height_millimeters)? as f64 / 10.0;
    Ok(Some(Reading::new(
        ResourceName::Profile,
        day,
        json!({"height": centimetres}),
    )))
}

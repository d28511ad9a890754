//! Conversion of electrocardiograms and their signals.

use chrono::TimeDelta;
use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName;

use super::super::generated::models::{AtrialFibrillation, Ecg, HeartPage, HeartRate, HeartRecord};
use super::numbers::measured;
use super::times::{time_in, with_source};
use crate::samples::sample_at;
use crate::zones::Zone;

const MICROSECONDS: i64 = 1_000_000;

/// Returns an electrocardiogram and its voltages. A record has no zone, so that times are in UTC.
///
/// # Errors
///
/// If a time is out of range, or the signal has no frequency.
pub fn electrocardiogram(record: &HeartRecord, ecg: &Ecg, signal: &HeartPage) -> Result<Vec<Reading>, Refusal> {
    let start = time_in(&Zone::named(None), record.timestamp)?;
    let frequency = signal.sampling_frequency.filter(|frequency| *frequency > 0);
    if frequency.is_none() && !signal.signal.is_empty() {
        return Err(Refusal::Failed("body.sampling_frequency: is missing".to_owned()));
    }
    let frequency_hz = frequency.unwrap_or(1);
    let time = |samples: usize| start + TimeDelta::microseconds(samples as i64 * MICROSECONDS / frequency_hz);
    let value = json!({
        "provider_id": ecg.signalid.to_string(),
        "session_start": start.to_rfc3339(),
        "session_end": time(signal.signal.len()).to_rfc3339(),
        "voltage_sample_count": signal.signal.len(),
        "heart_rate_mean": record.heart_rate.as_ref().and_then(rate),
        "sampling_frequency_hz": frequency,
        "classification": ecg.afib.and_then(classification),
    });
    // A monitor of blood pressure has both.
    let source = record.bloodpressure.is_some().then_some("cuff");
    let summary = Reading::new(ResourceName::Electrocardiogram, start.date_naive(), value);
    let voltages = signal.signal.iter().enumerate().map(|(index, microvolts)| {
        let millivolts = json!(*microvolts as f64 / 1_000.0);
        Reading {
            // All belong to the electrocardiogram, also after midnight.
            day: start.date_naive(),
            ..sample_at(ResourceName::ElectrocardiogramVoltage, time(index), millivolts)
        }
    });
    let readings = std::iter::once(summary).chain(voltages);
    Ok(readings.map(|reading| with_source(source, reading)).collect())
}

/// Returns the heart rate, if it was not deleted.
fn rate(rate: &HeartRate) -> Option<f64> {
    match rate {
        HeartRate::Bpm(bpm) => measured(Some(*bpm)),
        HeartRate::HeartRateValue(value) if value.is_deleted != Some(true) => measured(value.value),
        _ => None,
    }
}

fn classification(found: AtrialFibrillation) -> Option<&'static str> {
    match found {
        AtrialFibrillation::Negative => Some("sinus_rhythm"),
        AtrialFibrillation::Positive => Some("atrial_fibrillation"),
        AtrialFibrillation::Inconclusive => Some("inconclusive"),
        AtrialFibrillation::Other(_) => None,
    }
}

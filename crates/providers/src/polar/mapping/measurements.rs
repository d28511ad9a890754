//! Conversion of measurements of temperature, blood oxygen and the heart.

use chrono::TimeDelta;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{BodyTemperature, Ecg, Spo2Test, Spo2TestStatus, TemperatureType};
use super::times::{epoch, utc};
use crate::samples::sample_at;

/// Returns the temperatures of a period. Their days are those of UTC. None if its start cannot be read.
pub fn body_temperature(period: &BodyTemperature) -> Option<Vec<Reading>> {
    let start = utc(&period.start_time)?;
    let location = match &period.measurement_type {
        Some(TemperatureType::TmSkinTemperature) => Some("skin"),
        Some(TemperatureType::TmCoreTemperature) => Some("core"),
        _ => None,
    };
    let samples = period.samples.iter().filter_map(|sample| {
        let after = TimeDelta::try_milliseconds(sample.recording_time_delta_milliseconds)?;
        let time = start.checked_add_signed(after)?;
        let value = json!({
            "timestamp": time.to_rfc3339(),
            "value": sample.temperature_celsius,
            "type": location,
            "sensor_location": location,
        });
        Some(Reading::new(ResourceName::BodyTemperature, time.date_naive(), value))
    });
    Some(samples.collect())
}

/// Returns the blood oxygen of a test that passed.
pub fn blood_oxygen(test: &Spo2Test) -> Option<Reading> {
    let percent = test.blood_oxygen_percent?;
    let has_passed = test.test_status == Some(Spo2TestStatus::Spo2TestPassed);
    let time = epoch(test.test_time, test.time_zone_offset).filter(|_| has_passed)?;
    Some(sample_at(ResourceName::BloodOxygen, time, json!(percent)))
}

/// Returns an electrocardiogram with its voltages. None if its time is not one.
pub fn electrocardiogram(cardiogram: &Ecg) -> Vec<Reading> {
    let Some(start) = epoch(cardiogram.test_time, cardiogram.time_zone_offset) else {
        return Vec::new();
    };
    let voltages = cardiogram.samples.iter().filter_map(|sample| {
        let after = TimeDelta::try_milliseconds(sample.recording_time_delta_ms)?;
        Some((start.checked_add_signed(after)?, sample.amplitude_mv))
    });
    let voltages: Vec<_> = voltages.collect();
    let end = voltages.iter().map(|(time, _)| *time).max().unwrap_or(start);
    let day = start.date_naive();
    let value = json!({
        "session_start": start.to_rfc3339(),
        "session_end": end.to_rfc3339(),
        "voltage_sample_count": voltages.len(),
        "heart_rate_mean": cardiogram.average_heart_rate_bpm,
    });
    let mut readings = vec![Reading::new(ResourceName::Electrocardiogram, day, value)];
    for (time, voltage) in voltages {
        let value = json!({"timestamp": time.to_rfc3339(), "value": voltage});
        readings.push(Reading::new(ResourceName::ElectrocardiogramVoltage, day, value));
    }
    readings
}

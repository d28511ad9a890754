//! Conversion of summaries of days, and of heart rate.

use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{DailyActivity, DailyReadiness, DailySpo2, HeartRate, Vo2Max};
use super::samples::daily_sample;
use crate::samples::{offset_seconds, sample_at};

/// Returns the activity of a day.
pub fn activity(day: &DailyActivity) -> Reading {
    let value = json!({
        "provider_id": day.id,
        "calendar_date": day.day,
        "timezone_offset": offset_seconds(day.timestamp),
        "calories_total": day.total_calories,
        "calories_active": day.active_calories,
        "steps": day.steps,
        "daily_movement": day.equivalent_walking_distance,
        "low": minutes(day.low_activity_time),
        "medium": minutes(day.medium_activity_time),
        "high": minutes(day.high_activity_time),
    });
    Reading::new(ResourceName::Activity, day.day, value)
}

/// Returns the deviation of the skin temperature of a day, if it is known.
pub fn body_temperature_delta(day: &DailyReadiness) -> Option<Reading> {
    let value = json!({
        "timestamp": day.timestamp.to_rfc3339(),
        "value": day.temperature_deviation?,
        "sensor_location": "finger",
    });
    Some(Reading::new(ResourceName::BodyTemperatureDelta, day.day, value))
}

/// Returns a sample of heart rate.
pub fn heart_rate(sample: &HeartRate) -> Reading {
    sample_at(ResourceName::Heartrate, sample.timestamp, json!(sample.bpm))
}

/// Returns the blood oxygen of a night, if it is known.
pub fn blood_oxygen(day: &DailySpo2) -> Option<Reading> {
    let average = day.spo2_percentage.as_ref()?.average;
    Some(daily_sample(ResourceName::BloodOxygen, day.day, average))
}

/// Returns an estimate of VO2 max, if it is known.
pub fn vo2_max(estimate: &Vo2Max) -> Option<Reading> {
    let value = json!({"timestamp": estimate.timestamp.to_rfc3339(), "value": estimate.vo2_max?});
    Some(Reading::new(ResourceName::Vo2Max, estimate.day, value))
}

fn minutes(seconds: i64) -> f64 {
    seconds as f64 / 60.0
}

//! Conversion of sums and values of days.

use std::collections::BTreeMap;

use chrono::{NaiveDate, NaiveTime};
use serde_json::{Map, Value, json};
use wearlab_connect::{Reading, Refusal, object};
use wearlab_models::ResourceName;

use super::super::generated::models::{ActivityLevel, DataPoint, RollUp};
use super::numbers::{optional, thousandths};
use super::times::day;
use crate::records::readable;

/// Members of the activity of a day.
#[derive(Default)]
struct Day {
    activity: Map<String, Value>,
    heart_rate: Map<String, Value>,
}

/// Returns the activity of the days of some sums and resting heart rates.
///
/// # Errors
///
/// If no number of a list with sums or days can be read.
pub fn activity(sums: &[RollUp], resting: &[DataPoint]) -> Result<Vec<Reading>, Refusal> {
    let mut days: BTreeMap<NaiveDate, Day> = BTreeMap::new();
    let added = sums.iter().map(|sum| {
        let date = sum.civil_start_time.as_ref().and_then(|start| day(&start.date));
        date.map_or(Ok(()), |date| add(days.entry(date).or_default(), sum))
    });
    readable("google_health", "sums of days", added)?;
    let resting = resting
        .iter()
        .filter_map(|point| point.daily_resting_heart_rate.as_ref());
    let resting = resting.map(|resting| Ok::<_, Refusal>((resting, optional(resting.beats_per_minute.as_deref())?)));
    for (resting, bpm) in readable("google_health", "resting heart rates", resting)? {
        if let (Some(date), Some(bpm)) = (day(&resting.date), bpm) {
            days.entry(date)
                .or_default()
                .heart_rate
                .insert("resting_bpm".to_owned(), json!(bpm));
        }
    }
    let with_values = days
        .into_iter()
        .filter(|(_, day)| !day.activity.is_empty() || !day.heart_rate.is_empty());
    Ok(with_values.map(|(date, day)| reading(date, day)).collect())
}

/// Adds a sum to its day. It has the members of one type.
fn add(day: &mut Day, sum: &RollUp) -> Result<(), Refusal> {
    let count = |count: &Option<String>| optional(count.as_deref());
    let mut members = json!({
        "steps": sum.steps.as_ref().map(|sum| count(&sum.count_sum)).transpose()?.flatten(),
        "floors_climbed": sum.floors.as_ref().map(|sum| count(&sum.count_sum)).transpose()?.flatten(),
        "calories_active": sum.active_energy_burned.as_ref().and_then(|sum| sum.kcal_sum),
        "calories_total": sum.total_calories.as_ref().and_then(|sum| sum.kcal_sum),
    });
    if let Some(distance) = &sum.distance {
        let metres = count(&distance.millimeters_sum)?.map(|millimetres| thousandths(millimetres as f64));
        members["distance"] = json!(metres);
    }
    for level in sum
        .active_minutes
        .iter()
        .flat_map(|minutes| &minutes.active_minutes_rollup_by_activity_level)
    {
        let name = match level.activity_level {
            ActivityLevel::Light => "low",
            ActivityLevel::Moderate => "medium",
            ActivityLevel::Vigorous => "high",
            _ => continue,
        };
        members[name] = json!(count(&level.active_minutes_sum)?);
    }
    day.activity.extend(object(members));
    if let Some(range) = &sum.heart_rate {
        day.heart_rate.extend(object(json!({
            "avg_bpm": range.beats_per_minute_avg,
            "min_bpm": range.beats_per_minute_min,
            "max_bpm": range.beats_per_minute_max,
        })));
    }
    Ok(())
}

fn reading(date: NaiveDate, day: Day) -> Reading {
    let mut value = day.activity;
    value.insert("calendar_date".to_owned(), json!(date));
    if !day.heart_rate.is_empty() {
        value.insert("heart_rate".to_owned(), Value::Object(day.heart_rate));
    }
    Reading::new(ResourceName::Activity, date, Value::Object(value))
}

/// Returns VO2 max of days, whose times are not known.
pub fn vo2_max(points: &[DataPoint]) -> Vec<Reading> {
    let estimates = points.iter().filter_map(|point| point.daily_vo2_max.as_ref());
    let ten = NaiveTime::from_hms_opt(10, 0, 0).unwrap_or_default();
    let readings = estimates.filter_map(|estimate| {
        let date = day(&estimate.date)?;
        let value = json!({"timestamp": date.and_time(ten).and_utc().to_rfc3339(), "value": estimate.vo2_max?});
        Some(Reading::new(ResourceName::Vo2Max, date, value))
    });
    readings.collect()
}

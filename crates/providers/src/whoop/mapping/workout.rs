//! Conversion of workouts.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{ScoreState, Workout, ZoneDurations};
use super::local::Local;
use super::units::{kilocalories, seconds};
use crate::sports::sport;

/// Returns the day of a workout: that on which it starts.
pub(crate) fn day(workout: &Workout) -> NaiveDate {
    Local::parse(&workout.timezone_offset).day(workout.start)
}

/// Returns a workout.
pub fn workout(workout: &Workout) -> Reading {
    let local = Local::parse(&workout.timezone_offset);
    let day = day(workout);
    let score = workout
        .score
        .as_ref()
        .filter(|_| workout.score_state == ScoreState::Scored);
    let value = json!({
        "provider_id": workout.id,
        "calendar_date": day,
        "timezone_offset": local.seconds(),
        "time_start": local.time(workout.start).to_rfc3339(),
        "time_end": local.time(workout.end).to_rfc3339(),
        "sport": workout.sport_name.as_deref().map(sport),
        "calories": score.map(|score| kilocalories(score.kilojoule)),
        "average_hr": score.map(|score| score.average_heart_rate),
        "max_hr": score.map(|score| score.max_heart_rate),
        "distance": score.and_then(|score| score.distance_meter),
        "total_elevation_gain": score.and_then(|score| score.altitude_gain_meter),
        "hr_zones": score.and_then(|score| score.zone_durations.as_ref()).map(zones),
    });
    Reading::new(ResourceName::Workouts, day, value)
}

/// Returns the time in each zone in s, the lowest first.
fn zones(zones: &ZoneDurations) -> [i64; 6] {
    [
        zones.zone_zero_milli,
        zones.zone_one_milli,
        zones.zone_two_milli,
        zones.zone_three_milli,
        zones.zone_four_milli,
        zones.zone_five_milli,
    ]
    .map(seconds)
}

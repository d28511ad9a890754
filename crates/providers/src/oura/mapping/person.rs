//! Conversion of workouts and of the person.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::{PersonalInfo, Workout};
use crate::numbers::rounded;
use crate::samples::offset_seconds;
use crate::sports::sport;

/// Returns a workout.
pub fn workout(workout: &Workout) -> Reading {
    let value = json!({
        "provider_id": workout.id,
        "calendar_date": workout.day,
        "title": workout.label,
        "timezone_offset": offset_seconds(workout.start_datetime),
        "time_start": workout.start_datetime.to_rfc3339(),
        "time_end": workout.end_datetime.to_rfc3339(),
        "calories": workout.calories,
        "distance": workout.distance,
        "sport": sport(&workout.activity),
    });
    Reading::new(ResourceName::Workouts, workout.day, value)
}

/// Returns the profile of a person on a day. Their weight has no time of its own, and would be a new one each day.
pub fn person(person: &PersonalInfo, day: NaiveDate) -> Vec<Reading> {
    if person.height.is_none() && person.biological_sex.is_none() {
        return Vec::new();
    }
    let height = person.height.map(|metres| rounded(metres * 100.0, 1));
    let value = json!({"height": height, "sex": person.biological_sex});
    vec![Reading::new(ResourceName::Profile, day, value)]
}

//! Conversion of workouts.

use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName;

use super::super::generated::models::{Workout, WorkoutData};
use super::numbers::measured;
use super::times::time_in;
use crate::sports::sport;
use crate::zones::Zone;

/// Sports, by the number of their category.
const SPORTS: &[(i64, &str)] = &[
    (1, "walking"),
    (2, "running"),
    (3, "hiking"),
    (4, "skating"),
    (5, "bmx"),
    (6, "cycling"),
    (7, "swimming"),
    (8, "surfing"),
    (9, "kitesurfing"),
    (10, "windsurfing"),
    (11, "bodyboard"),
    (12, "tennis"),
    (13, "table_tennis"),
    (14, "squash"),
    (15, "badminton"),
    (16, "strength_training"),
    (17, "calisthenics"),
    (18, "elliptical"),
    (19, "pilates"),
    (20, "basketball"),
    (21, "soccer"),
    (22, "football"),
    (23, "rugby"),
    (24, "volleyball"),
    (25, "water_polo"),
    (26, "horseback_riding"),
    (27, "golf"),
    (28, "yoga"),
    (29, "dancing"),
    (30, "boxing"),
    (31, "fencing"),
    (32, "wrestling"),
    (33, "martial_arts"),
    (34, "skiing"),
    (35, "snowboarding"),
    (187, "rowing"),
    (188, "zumba"),
    (191, "baseball"),
    (192, "handball"),
    (193, "hockey"),
    (194, "ice_hockey"),
    (195, "climbing"),
    (196, "ice_skating"),
    (272, "multisport"),
    (306, "indoor_walking"),
    (307, "indoor_running"),
    (308, "indoor_cycling"),
];

/// Returns a workout.
///
/// # Errors
///
/// If a time is out of range.
pub fn workout(workout: &Workout) -> Result<Reading, Refusal> {
    let zone = Zone::named(workout.timezone.as_deref());
    let (start, end) = (time_in(&zone, workout.startdate)?, time_in(&zone, workout.enddate)?);
    let day = workout.date.unwrap_or(start.date_naive());
    let data = workout.data.as_ref();
    let number = |member: fn(&WorkoutData) -> Option<f64>| measured(data.and_then(member));
    let zones = data.map(|data| [data.hr_zone_0, data.hr_zone_1, data.hr_zone_2, data.hr_zone_3]);
    let zones = zones.map(|zones| zones.map(Option::unwrap_or_default));
    let pause = data.and_then(|data| data.pause_duration).unwrap_or(0);
    let value = json!({
        "provider_id": workout.id.to_string(),
        "calendar_date": day,
        "timezone_offset": zone.offset(start),
        "time_start": start.to_rfc3339(),
        "time_end": end.to_rfc3339(),
        "sport": sport(name(workout.category)),
        "calories": number(|data| data.calories).or(number(|data| data.manual_calories)),
        "distance": number(|data| data.distance).or(number(|data| data.manual_distance)),
        "steps": data.and_then(|data| data.steps).filter(|steps| *steps > 0),
        "average_hr": number(|data| data.hr_average),
        "max_hr": number(|data| data.hr_max),
        "hr_zones": zones.filter(|zones| zones.iter().any(|seconds| *seconds > 0)),
        "moving_time": (end - start).num_seconds().saturating_sub(pause).max(0),
    });
    Ok(Reading::new(ResourceName::Workouts, day, value))
}

/// Returns the name of a sport, which is `other` if its number has none.
fn name(category: Option<i64>) -> &'static str {
    let found = SPORTS.iter().find(|(number, _)| Some(*number) == category);
    found.map_or("other", |(_, name)| name)
}

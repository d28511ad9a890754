//! Conversion of workouts.

use serde_json::json;
use wearlab_connect::{Reading, Refusal};
use wearlab_models::ResourceName;

use super::super::generated::models::{DataPoint, Exercise, ExerciseType};
use super::numbers::{optional, seconds, thousandths};
use super::samples::ends;
use super::sleep::id;
use crate::records::readable;
use crate::samples::offset_seconds;
use crate::sports::sport;

/// Returns the workouts of points.
///
/// # Errors
///
/// If a number, a duration or an offset of each of them cannot be read.
pub fn workouts(points: &[DataPoint]) -> Result<Vec<Reading>, Refusal> {
    let exercises = points
        .iter()
        .filter_map(|point| Some((point, point.exercise.as_ref()?)));
    let workouts = exercises.map(|(point, exercise)| workout(point, exercise));
    readable("google_health", "workouts", workouts)
}

fn workout(point: &DataPoint, exercise: &Exercise) -> Result<Reading, Refusal> {
    let (start, end) = ends(&exercise.interval)?;
    let metrics = exercise.metrics_summary.as_ref();
    let zones = metrics.and_then(|metrics| metrics.heart_rate_zone_durations.as_ref());
    let zones = match zones {
        None => None,
        Some(zones) => {
            let texts = [
                &zones.light_time,
                &zones.moderate_time,
                &zones.vigorous_time,
                &zones.peak_time,
            ];
            let times = texts.map(|text| seconds(text.as_deref()));
            let times = times.into_iter().collect::<Result<Vec<_>, _>>()?;
            Some(times.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>())
        }
    };
    let heart_rate = metrics.and_then(|metrics| metrics.average_heart_rate_beats_per_minute.as_deref());
    let value = json!({
        "provider_id": id(point, start),
        "calendar_date": start.date_naive(),
        "title": exercise.display_name,
        "timezone_offset": exercise.interval.start_utc_offset.as_ref().map(|_| offset_seconds(start)),
        "time_start": start.to_rfc3339(),
        "time_end": end.to_rfc3339(),
        "sport": sport(name(exercise.exercise_type.as_ref())),
        "moving_time": seconds(exercise.active_duration.as_deref())?,
        "calories": metrics.and_then(|metrics| metrics.calories_kcal),
        "distance": metrics.and_then(|metrics| metrics.distance_millimeters).map(thousandths),
        "total_elevation_gain": metrics.and_then(|metrics| metrics.elevation_gain_millimeters).map(thousandths),
        "average_speed": metrics.and_then(|metrics| metrics.average_speed_millimeters_per_second).map(thousandths),
        "steps": optional(metrics.and_then(|metrics| metrics.steps.as_deref()))?,
        "average_hr": optional(heart_rate)?,
        "hr_zones": zones,
    });
    Ok(Reading::new(ResourceName::Workouts, start.date_naive(), value))
}

/// Returns the name of a sport.
fn name(kind: Option<&ExerciseType>) -> &str {
    match kind {
        None | Some(ExerciseType::ExerciseTypeUnspecified) => "other",
        Some(ExerciseType::Biking) => "cycling",
        Some(ExerciseType::Hiit) => "high_intensity_interval_training",
        Some(ExerciseType::Weightlifting) => "strength_training",
        Some(kind) => kind.as_str(),
    }
}

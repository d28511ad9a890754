//! Conversion of days of activity.

use serde_json::{Value, json};
use wearlab_connect::{Reading, object};
use wearlab_models::ResourceName;

use super::super::generated::models::Activity;
use super::numbers::{measured, whole};
use super::times::with_source;
use crate::zones::Zone;

/// Brand of copies of data of other services.
const COPY: i64 = 18;

/// Returns the activity of a day. None if it is a copy of another service's.
pub fn activity(day: &Activity) -> Option<Reading> {
    if day.brand == Some(COPY) {
        return None;
    }
    let zone = Zone::named(day.timezone.as_deref());
    let offset = zone.noon(day.date).and_then(|noon| zone.offset(noon));
    let heart_rate = object(json!({
        "avg_bpm": measured(day.hr_average),
        "min_bpm": measured(day.hr_min),
        "max_bpm": measured(day.hr_max),
    }));
    let value = json!({
        "calendar_date": day.date,
        "time_zone": day.timezone,
        "timezone_offset": offset,
        "calories_total": day.totalcalories,
        "calories_active": day.calories,
        "steps": day.steps,
        "distance": day.distance,
        "low": day.soft.map(minutes),
        "medium": day.moderate.map(minutes),
        "high": day.intense.map(minutes),
        "floors_climbed": day.elevation.map(whole),
        "heart_rate": (!heart_rate.is_empty()).then_some(Value::Object(heart_rate)),
    });
    let source = (day.is_tracker == Some(false)).then_some("app");
    Some(with_source(
        source,
        Reading::new(ResourceName::Activity, day.date, value),
    ))
}

fn minutes(seconds: i64) -> f64 {
    seconds as f64 / 60.0
}

//! Conversion of activities, and their times.

use chrono::{FixedOffset, NaiveDate, TimeDelta};
use serde_json::{Value, json};
use wearlab_connect::{Reading, object};
use wearlab_models::{DateTime, ResourceName};

use super::super::generated::models::{Activity, ActivityMap};
use crate::samples::offset_seconds;
use crate::sports::sport;

/// Returns the workout of an activity.
pub fn workout(activity: &Activity) -> Reading {
    let start = start(activity);
    let end = TimeDelta::try_seconds(activity.elapsed_time).and_then(|elapsed| start.checked_add_signed(elapsed));
    let is_measured = activity.device_watts == Some(true);
    let value = json!({
        "provider_id": activity.id.to_string(),
        "calendar_date": day(activity),
        "title": activity.name,
        "timezone_offset": offset_seconds(start),
        "time_start": start.to_rfc3339(),
        "time_end": end.map(|end| end.to_rfc3339()),
        "sport": activity.sport_type.as_deref().or(activity.type_.as_deref()).map(sport),
        "distance": activity.distance,
        "moving_time": activity.moving_time,
        "total_elevation_gain": activity.total_elevation_gain,
        "elev_high": activity.elev_high,
        "elev_low": activity.elev_low,
        "average_speed": activity.average_speed,
        "max_speed": activity.max_speed,
        "average_watts": activity.average_watts,
        "max_watts": activity.max_watts,
        "weighted_average_watts": activity.weighted_average_watts,
        "device_watts": activity.average_watts.filter(|_| is_measured),
        "average_hr": activity.average_heartrate,
        "max_hr": activity.max_heartrate,
        "calories": activity.calories.or(activity.kilojoules),
        "map": activity.map.as_ref().and_then(map),
    });
    Reading::new(ResourceName::Workouts, day(activity), value)
}

/// Returns the day of an activity, in the time of the person.
pub fn day(activity: &Activity) -> NaiveDate {
    let local = activity.start_date_local.unwrap_or_else(|| start(activity));
    local.date_naive()
}

/// Returns the start of an activity, with the offset of the person.
pub(super) fn start(activity: &Activity) -> DateTime {
    activity.start_date.with_timezone(&offset(activity))
}

/// Returns the offset of the person. It is UTC if the activity does not have it.
fn offset(activity: &Activity) -> FixedOffset {
    let named = activity.utc_offset.map(|seconds| seconds as i32);
    let local = activity.start_date_local.map(|local| {
        let difference = local.naive_local() - activity.start_date.naive_utc();
        i32::try_from(difference.num_seconds()).unwrap_or(i32::MAX)
    });
    let offsets = [named, local].into_iter().flatten();
    let mut valid = offsets.filter_map(FixedOffset::east_opt);
    valid.next().unwrap_or(*activity.start_date.offset())
}

/// Returns the route, if there is one: indoors, both lines are empty.
fn map(map: &ActivityMap) -> Option<Value> {
    let line = |line: &Option<String>| line.clone().filter(|line| !line.is_empty());
    let route = object(json!({
        "polyline": line(&map.polyline),
        "summary_polyline": line(&map.summary_polyline),
    }));
    (!route.is_empty()).then_some(Value::Object(route))
}

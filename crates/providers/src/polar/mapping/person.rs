//! Conversion of physical information.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::{Reading, object};
use wearlab_models::ResourceName;

use super::super::generated::models::PhysicalInfo;

/// Returns the profile of a person on a day, and what was measured at the last change.
pub fn physical_info(info: &PhysicalInfo, day: NaiveDate) -> Vec<Reading> {
    let gender = info.gender.as_ref().map(|gender| gender.as_str().to_lowercase());
    let value = json!({"height": info.height, "birth_date": info.birthday, "gender": gender});
    let mut readings = Vec::new();
    if !object(value.clone()).is_empty() {
        readings.push(Reading::new(ResourceName::Profile, day, value));
    }
    let Some(time) = info.modified.or(info.created) else {
        return readings;
    };
    let (day, timestamp) = (time.date_naive(), time.to_rfc3339());
    if let Some(weight) = info.weight.filter(|weight| *weight > 0.0) {
        let value = json!({"calendar_date": day, "weight": weight});
        readings.push(Reading::new(ResourceName::Body, day, value));
        let value = json!({"timestamp": timestamp, "value": weight});
        readings.push(Reading::new(ResourceName::Weight, day, value));
    }
    if let Some(vo2_max) = info.vo2_max {
        let value = json!({"timestamp": timestamp, "value": vo2_max});
        readings.push(Reading::new(ResourceName::Vo2Max, day, value));
    }
    readings
}

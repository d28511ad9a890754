//! Conversion of the person.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::BodyMeasurement;
use crate::numbers::rounded;

/// Returns the profile of a person on a day, if their height is known.
pub fn profile(body: &BodyMeasurement, day: NaiveDate) -> Option<Reading> {
    let value = json!({"height": rounded(body.height_meter? * 100.0, 1)});
    Some(Reading::new(ResourceName::Profile, day, value))
}

//! Conversion of the athlete.

use chrono::NaiveDate;
use serde_json::json;
use wearlab_connect::Reading;
use wearlab_models::ResourceName;

use super::super::generated::models::Athlete;

/// Returns the profile of the athlete on a day, if anything of it is known.
pub fn athlete(athlete: &Athlete, day: NaiveDate) -> Option<Reading> {
    let sex = match athlete.sex.as_deref()? {
        "M" => "male",
        "F" => "female",
        other => other,
    };
    Some(Reading::new(ResourceName::Profile, day, json!({"sex": sex})))
}

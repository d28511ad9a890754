//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod days;
mod http;
mod oauth;
mod refusals;
mod samples;
mod service;
mod settings;
mod sleep;
mod workouts;
mod zones;

use wearlab_connect::Reading;

use super::GoogleHealth;
use crate::testing::{self, read, values};

/// Checks that each reading is the value of an arrival.
fn check_arrivals(readings: &[Reading]) {
    let mut readings = readings.to_vec();
    // Data of a kind come from several requests.
    readings.sort_by(|one, other| one.resource.cmp(&other.resource));
    testing::check_arrivals(&GoogleHealth, &readings);
}

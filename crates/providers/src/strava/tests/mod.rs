//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod http;
mod limits;
mod notices;
mod oauth;
mod refusals;
mod samples;
mod service;
mod settings;
mod workouts;
mod zones;

use wearlab_connect::Reading;

use super::Strava;
use crate::testing::{self, read, values};

/// Checks that each reading is the value of an arrival.
fn check_arrivals(readings: &[Reading]) {
    testing::check_arrivals(&Strava, readings);
}

//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod corrections;
mod http;
mod notices;
mod oauth;
mod records;
mod refusals;
mod scores;
mod service;
mod settings;
mod zones;

use wearlab_connect::Reading;

use super::Whoop;
use crate::testing::{self, read, values};

/// Checks that each reading is the value of an arrival.
fn check_arrivals(readings: &[Reading]) {
    testing::check_arrivals(&Whoop, readings);
}

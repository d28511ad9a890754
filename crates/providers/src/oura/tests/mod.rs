//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod corrections;
mod days;
mod http;
mod nights;
mod notices;
mod oauth;
mod refusals;
mod service;
mod settings;
mod zones;

use wearlab_connect::Reading;

use super::Oura;
use crate::testing::{self, read, values};

/// Checks that each reading is the value of an arrival.
fn check_arrivals(readings: &[Reading]) {
    testing::check_arrivals(&Oura, readings);
}

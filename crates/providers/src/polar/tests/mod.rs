//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod days;
mod exercises;
mod http;
mod measurements;
mod nights;
mod notices;
mod oauth;
mod refusals;
mod registration;
mod service;
mod zones;

use wearlab_connect::Reading;

use super::Polar;
use super::mapping::Clocks;
use crate::testing::{self, read, values};

/// Checks that each reading is the value of an arrival, whose times have offsets.
fn check_arrivals(readings: &[Reading]) {
    testing::check_arrivals(&Polar, readings);
}

/// Returns the clocks of nights: days, and the ends of the nights.
fn clocks(nights: &[(&str, &str, &str)]) -> Clocks {
    let night = |(date, start, end): &(&str, &str, &str)| {
        read(&format!(
            r#"{{"date":"{date}","sleep_start_time":"{start}","sleep_end_time":"{end}"}}"#
        ))
    };
    Clocks::of(&nights.iter().map(night).collect::<Vec<_>>())
}

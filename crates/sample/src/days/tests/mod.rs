//! Tests of days of wearers.

mod agreement;
mod feeding;
mod times;

use chrono::NaiveDate;

use super::clock::Clock;
use super::{Feed, Wearer};

/// Returns a user of the population of seed 1.
fn wearer(index: u32) -> Wearer {
    let feed = Feed::new(1).expect("the catalogue is valid");
    feed.wearer(index).expect("the user").0
}

/// Returns the same user in another time zone.
fn wearer_in(zone: &str) -> Wearer {
    let mut wearer = wearer(0);
    wearer.zone = zone.to_owned();
    wearer.clock = Clock::of(zone);
    wearer
}

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

/// Instant after all days of the tests.
const LATER: i64 = 4_000_000_000;

//! Made-up numbers that are the same each time.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};

/// Source of made-up numbers, which depend on a seed alone.
#[derive(Clone, Copy, Debug)]
pub struct Noise(u64);

impl Noise {
    /// Creates a source.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// Returns the source of a day.
    #[must_use]
    pub fn for_day(self, day: NaiveDate) -> Self {
        self.derive(u64::from(day.num_days_from_ce().unsigned_abs()))
    }

    /// Returns a source for a purpose or an index.
    #[must_use]
    pub fn derive(self, index: u64) -> Self {
        Self(mix(self.0 ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Returns a number of a range, which must not be empty.
    pub fn within(self, range: Range<i64>) -> i64 {
        let width = range.end.abs_diff(range.start).max(1);
        range.start + (self.0 % width) as i64
    }

    /// Returns true in one of `times` cases.
    pub fn is_one_in(self, times: i64) -> bool {
        self.within(0..times) == 0
    }
}

/// The finalizer of splitmix64.
fn mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

//! Spans of days.

use chrono::NaiveDate;

/// Days from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First day.
    pub first: NaiveDate,
    /// Last day.
    pub last: NaiveDate,
}

impl Span {
    /// Returns whether a day is one of these days.
    pub fn contains(self, day: NaiveDate) -> bool {
        (self.first..=self.last).contains(&day)
    }

    /// Returns the days, in order.
    pub fn days(self) -> impl Iterator<Item = NaiveDate> {
        self.first.iter_days().take_while(move |day| *day <= self.last)
    }
}

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

//! Times in the offset of the user.

use chrono::{FixedOffset, NaiveDate, Offset, TimeDelta, Utc};
use wearlab_models::DateTime;

/// Offset of a record.
#[derive(Clone, Copy)]
pub(super) struct Local(Option<FixedOffset>);

impl Local {
    /// Reads `+hh:mm`, `-hh:mm` or `Z`.
    pub(super) fn parse(offset: &str) -> Self {
        Self(match offset {
            "Z" | "z" => Utc.fix().into(),
            _ => offset.parse().ok(),
        })
    }

    /// Returns a time of UTC in the time of the user.
    pub(super) fn time(self, time: DateTime) -> DateTime {
        match self.0 {
            Some(offset) => time.with_timezone(&offset),
            None => time,
        }
    }

    /// Returns the day of a time.
    pub(super) fn day(self, time: DateTime) -> NaiveDate {
        self.time(time).date_naive()
    }

    /// Returns the day that most of the hours after a time belong to.
    pub(super) fn day_ahead(self, time: DateTime) -> NaiveDate {
        let ahead = time.checked_add_signed(TimeDelta::hours(12));
        self.day(ahead.unwrap_or(time))
    }

    /// Returns the offset in s, if it could be read.
    pub(super) fn seconds(self) -> Option<i32> {
        self.0.map(|offset| offset.local_minus_utc())
    }
}

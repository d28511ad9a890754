//! Days that are read again each time: data come late, and are corrected.

use chrono::{DateTime, Days, TimeDelta, Utc};

use crate::provider::{Collection, Span};

/// Returns the last days of a collection. The span ends tomorrow, since a user may be ahead of UTC.
pub(crate) fn span(collection: &Collection, now: DateTime<Utc>) -> Span {
    let today = now.date_naive();
    Span {
        first: today - Days::new(u64::from(collection.look_back_days)),
        last: today + Days::new(1),
    }
}

/// Returns the time of the next pull: the pace of the collection, more or less by up to a tenth by `random` (0 to 1), so that
/// connections that were linked together are not pulled together.
pub(crate) fn next(collection: &Collection, now: DateTime<Utc>, random: f64) -> DateTime<Utc> {
    let pace = f64::from(collection.pace_seconds) * (0.9 + random.clamp(0.0, 1.0) / 5.0);
    now + TimeDelta::seconds(pace as i64)
}

//! Days that are read again each time: data come late, and are corrected.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};

use crate::provider::{Collection, Span};
use crate::task::Recent;

/// Returns the next days to read. They begin before the last day that was read, or before today, and end tomorrow, since a user
/// may be ahead of UTC; after a long pause, they end earlier.
pub(crate) fn span(collection: &Collection, state: Recent, now: DateTime<Utc>) -> Span {
    let days = |days: u32| Days::new(u64::from(days));
    let today = now.date_naive();
    let since = state.read_until.unwrap_or(today).min(today);
    let first = since - days(collection.look_back_days);
    let longest = first + days(collection.window_days.max(collection.look_back_days + 2) - 1);
    Span {
        first,
        last: longest.min(tomorrow(now)),
    }
}

/// Returns the state after a span, and the time of the next pull: now if there are more days to read, and else after the pace
/// of the collection, more or less by up to a tenth by `random` (0 to 1), so that connections that were linked together are
/// not pulled together.
pub(crate) fn next(collection: &Collection, span: Span, now: DateTime<Utc>, random: f64) -> (Recent, DateTime<Utc>) {
    let state = Recent {
        read_until: Some(span.last.min(now.date_naive())),
    };
    if span.last < tomorrow(now) {
        return (state, now);
    }
    let pace = f64::from(collection.pace_seconds) * (0.9 + random.clamp(0.0, 1.0) / 5.0);
    (state, now + TimeDelta::seconds(pace as i64))
}

fn tomorrow(now: DateTime<Utc>) -> NaiveDate {
    now.date_naive() + Days::new(1)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::{next, span};
    use crate::provider::Collection;
    use crate::task::Recent;

    static ACTIVITY: Collection = Collection {
        name: "activity",
        resources: &[],
        scopes: &[],
        window_days: 30,
        look_back_days: 7,
        pace_seconds: 3600,
        has_history: true,
    };

    #[test]
    fn days_of_a_long_pause_are_read() {
        let now: DateTime<Utc> = "2026-03-31T12:00:00Z".parse().expect("a time");
        let day = |text: &str| text.parse().expect("a day");
        let mut state = Recent::default();
        let usual = span(&ACTIVITY, state, now);
        assert_eq!((usual.first, usual.last), (day("2026-03-24"), day("2026-04-01")));

        state.read_until = Some(day("2026-02-01"));
        let (mut days, mut spans) = (day("2026-01-25"), 0);
        loop {
            let span = span(&ACTIVITY, state, now);
            assert!(span.first <= days, "{span:?}: days are left out");
            let (after, due) = next(&ACTIVITY, span, now, 0.5);
            (state, days, spans) = (after, span.last, spans + 1);
            if due > now {
                break;
            }
        }
        assert_eq!((days, spans), (day("2026-04-01"), 3));
        assert_eq!(state.read_until, Some(day("2026-03-31")));
    }
}

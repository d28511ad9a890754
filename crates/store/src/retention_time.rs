//! Retention time: the time of the clock, limited to the time that has really passed.
//!
//! A clock that jumps ahead makes every event look old, and pruning cannot be undone. Retention therefore uses a time
//! of its own, which the store keeps. It advances with the clock, at most as long as a process has run, and stands
//! still while no process runs: events are then kept longer, and none is lost.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// Clock readings of a process when it prunes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// Time of the wall clock.
    pub now: DateTime<Utc>,
    /// The previous result of [`Transaction::retention_time`](crate::Transaction::retention_time) in this process, and
    /// the time since then by a monotonic clock. None in the first call.
    pub last: Option<(DateTime<Utc>, Duration)>,
}

/// Calculates the current retention time from its stored value and the times of the first and the last event of the
/// log. None if there is neither an event nor a stored value.
pub(crate) fn count(
    reading: &ClockReading,
    stored: Option<DateTime<Utc>>,
    events: Option<(DateTime<Utc>, DateTime<Utc>)>,
) -> Option<DateTime<Utc>> {
    let ClockReading { now, last } = *reading;
    // No process has pruned this log yet. Its events may be of a wrong clock, and so may this one. The earliest of
    // these times makes none of them old.
    let Some(stored) = stored else {
        return events.map(|(first, last)| first.min(last).min(now));
    };
    let newest = events.map(|(_, last)| last);
    if now <= stored {
        // The clock was set back, or corrected after a jump ahead. The stored time counts only as far as the log
        // confirms it: a machine that boots in 1970 and then sets its clock is not a jump.
        return Some(newest.map_or(now, |newest| now.max(newest.min(stored))));
    }
    let ran = last.map_or(stored, |(counted, ran)| {
        let ran = TimeDelta::from_std(ran).unwrap_or(TimeDelta::MAX);
        counted.checked_add_signed(ran).unwrap_or(now)
    });
    Some(now.min(stored.max(ran)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::{DateTime, TimeDelta, Utc};

    use super::{ClockReading, count};

    /// Time of the first event of a log that was never pruned.
    const FIRST: i64 = -50;

    /// Noon of the first of June, some hours later.
    fn at(hours: i64) -> DateTime<Utc> {
        "2026-06-01T12:00:00Z".parse::<DateTime<Utc>>().expect("a time") + TimeDelta::hours(hours)
    }

    fn reading(now: i64, last: Option<(i64, u64)>) -> ClockReading {
        ClockReading {
            now: at(now),
            last: last.map(|(counted, ran)| (at(counted), Duration::from_hours(ran))),
        }
    }

    #[test]
    fn it_goes_on_with_the_clock_for_as_long_as_a_process_runs() {
        for (name, now, last, stored, newest, counted) in [
            ("a log that was never pruned", 2400, None, None, Some(-1), FIRST),
            (
                "an event of a jump in a log that was never pruned",
                2400,
                None,
                None,
                Some(2400),
                FIRST,
            ),
            ("an hour of work", 1, Some((0, 1)), Some(0), Some(1), 1),
            ("a restart after some time", 5, None, Some(0), Some(-9), 0),
            ("a jump", 2401, Some((0, 1)), Some(0), Some(0), 1),
            ("an event of the jump", 2401, Some((0, 1)), Some(0), Some(2401), 1),
            ("a restart after the jump", 2402, None, Some(1), Some(0), 1),
            ("the work after it", 2403, Some((1, 1)), Some(1), Some(0), 2),
            ("another process went on", 7, Some((0, 1)), Some(6), Some(0), 6),
            ("the clock goes slower than time", 1, Some((0, 3)), Some(0), Some(0), 1),
            ("the jump is over", 3, Some((2, 1)), Some(2), Some(0), 3),
            (
                "a clock without a battery",
                -400_000,
                Some((0, 1)),
                Some(0),
                Some(-2),
                -2,
            ),
            ("the log is ahead", -3, None, Some(0), Some(2400), 0),
            ("a first time that was far ahead", 0, None, Some(2400), Some(0), 0),
            (
                "a first time that was far ahead, without events",
                0,
                None,
                Some(2400),
                None,
                0,
            ),
        ] {
            let events = newest.map(|newest| (at(FIRST), at(newest)));
            let events = events
                .filter(|_| stored.is_none())
                .or(newest.map(|newest| (at(newest), at(newest))));
            let found = count(&reading(now, last), stored.map(at), events);
            assert_eq!(found, Some(at(counted)), "{name}");
        }
        assert_eq!(count(&reading(2400, None), None, None), None, "an empty store");
    }
}

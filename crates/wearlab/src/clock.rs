//! The machine's clock, whatever it shows.
//!
//! One that was never set may show a time before 1970, and what libraries bring panics then.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SubsecRound, Utc};
use uuid::{NoContext, Timestamp, Uuid};

use crate::pruner::Reading;

/// The time, in whole microseconds: other languages read no finer ones.
pub(crate) fn now() -> DateTime<Utc> {
    DateTime::<Utc>::from(SystemTime::now()).trunc_subsecs(6)
}

/// What the clock shows, and how long this process has run since it was asked first, which nobody can set.
pub(crate) fn reading() -> Reading {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    Reading {
        now: now(),
        running: START.elapsed(),
    }
}

/// An id that is not in use. Later ones are greater, where the clock goes on.
pub(crate) fn fresh_id() -> Uuid {
    fresh_id_at(SystemTime::now())
}

fn fresh_id_at(now: SystemTime) -> Uuid {
    match now < UNIX_EPOCH {
        // All but the time is random.
        true => Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0)),
        false => Uuid::now_v7(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::{fresh_id_at, now};

    #[test]
    fn times_are_whole_microseconds() {
        assert!((0..100).all(|_| now().timestamp_subsec_nanos().is_multiple_of(1_000)));
    }

    #[test]
    fn ids_are_fresh_whatever_the_clock_shows() {
        let times = [
            UNIX_EPOCH - Duration::from_nanos(1),
            UNIX_EPOCH - Duration::from_hours(1),
            SystemTime::now(),
        ];
        let ids: HashSet<_> = times.into_iter().cycle().take(3_000).map(fresh_id_at).collect();
        assert_eq!(ids.len(), 3_000);
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }
}

//! The clock of the machine, ids that grow with it, and deadlines of tasks.
//!
//! The time is not checked: a clock that was never set may show a time before 1970, for which some libraries panic.

pub mod deadline;

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SubsecRound, Utc};
use uuid::{NoContext, Timestamp, Uuid};

/// Returns the time in whole microseconds, the finest resolution that other languages parse.
pub fn now() -> DateTime<Utc> {
    DateTime::<Utc>::from(SystemTime::now()).trunc_subsecs(6)
}

/// Returns an id that is not in use. Later ids are greater, unless the clock is set back.
pub fn fresh_id() -> Uuid {
    fresh_id_at(SystemTime::now())
}

fn fresh_id_at(now: SystemTime) -> Uuid {
    match now < UNIX_EPOCH {
        // All bits except the time are random.
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

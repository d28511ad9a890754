//! Deadlines of tasks: the store reads them where it waits for a database server.
//!
//! An operation waits for its server on the thread that polls it, so a timeout around it cannot end it.

use std::time::{Duration, Instant};

tokio::task_local! {
    static DEADLINE: Instant;
}

/// Runs `work` with a deadline. Deadlines nest: the earliest one applies. It applies to `work` itself, and not to tasks that
/// it spawns.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> T {
    DEADLINE.scope(earliest(limit), work).await
}

/// Runs `work` like [`within`], but ignores enclosing deadlines: for work that goes on after a wait that they do not count.
pub async fn within_anew<T>(limit: Duration, work: impl Future<Output = T>) -> T {
    DEADLINE.scope(end_of(limit), work).await
}

/// Returns the end of `limit`, or the deadline of the task if that is earlier.
pub fn earliest(limit: Duration) -> Instant {
    let end = end_of(limit);
    DEADLINE.try_with(|deadline| end.min(*deadline)).unwrap_or(end)
}

fn end_of(limit: Duration) -> Instant {
    let now = Instant::now();
    // A limit beyond the range of the clock is no limit.
    now.checked_add(limit)
        .unwrap_or(now + Duration::from_secs(365 * 24 * 60 * 60))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{earliest, within, within_anew};

    #[tokio::test]
    async fn the_shortest_limit_holds() {
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        assert!(earliest(minute) > Instant::now() + Duration::from_secs(30));
        within(second, async {
            assert!(earliest(minute) <= Instant::now() + second);
            within(minute, async { assert!(earliest(minute) <= Instant::now() + second) }).await;
            within_anew(minute, async { assert!(earliest(minute) > Instant::now() + second) }).await;
        })
        .await;
        assert!(earliest(Duration::MAX) > Instant::now() + minute);
    }
}

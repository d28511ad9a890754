//! Deadlines of operations on the store.

use std::time::Duration;
#[cfg(feature = "postgres")]
use std::time::Instant;

#[cfg(feature = "postgres")]
tokio::task_local! {
    static DEADLINE: Instant;
}

/// Runs `work`, whose operations on stores of a server fail with [`StoreError::Unreachable`](crate::StoreError) or
/// [`StoreError::Busy`](crate::StoreError) if they are not done within `limit`.
///
/// An operation waits for its server on the thread that polls it, so a time-out around it cannot end it. Limits nest:
/// the shortest one applies. The limit applies to `work` itself, and not to tasks that it spawns.
#[cfg(feature = "postgres")]
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> T {
    DEADLINE.scope(earliest(limit), work).await
}

/// Runs `work` like [`within`], but ignores enclosing limits: for work that goes on after a wait that they do not
/// count.
#[cfg(feature = "postgres")]
pub async fn within_anew<T>(limit: Duration, work: impl Future<Output = T>) -> T {
    DEADLINE.scope(end_of(limit), work).await
}

/// Runs `work`. The embedded store needs no deadline.
#[cfg(not(feature = "postgres"))]
pub async fn within_anew<T>(_limit: Duration, work: impl Future<Output = T>) -> T {
    work.await
}

/// Runs `work`. The embedded store needs no deadline.
#[cfg(not(feature = "postgres"))]
pub async fn within<T>(_limit: Duration, work: impl Future<Output = T>) -> T {
    work.await
}

/// The end of `limit`, or the deadline of the task where that is earlier.
#[cfg(feature = "postgres")]
pub(crate) fn earliest(limit: Duration) -> Instant {
    let end = end_of(limit);
    DEADLINE.try_with(|deadline| end.min(*deadline)).unwrap_or(end)
}

#[cfg(feature = "postgres")]
fn end_of(limit: Duration) -> Instant {
    let now = Instant::now();
    // A limit beyond the range of the clock is no limit.
    now.checked_add(limit)
        .unwrap_or(now + Duration::from_secs(365 * 24 * 60 * 60))
}

#[cfg(all(test, feature = "postgres"))]
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

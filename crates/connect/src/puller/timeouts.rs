//! Timeouts of tasks.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::provider::Session;
use crate::refusal::Refusal;

/// Maximum time of a task without a request. One with many requests takes long at a provider that permits few, and would start
/// from nothing again and again.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Maximum time of a task.
const TASK_TIMEOUT: Duration = Duration::from_secs(2 * 60 * 60);

/// Waits for the work of a task. It is not available now, if the work takes too long, or sends no request for a while.
pub(super) async fn in_time<T>(
    session: &Session,
    work: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    in_times(session, [IDLE_TIMEOUT, TASK_TIMEOUT], work).await
}

async fn in_times<T>(
    session: &Session,
    [idle, all]: [Duration; 2],
    work: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    tokio::pin!(work);
    let end = Instant::now() + all;
    loop {
        let before = session.requests.load(Ordering::Relaxed);
        if let Ok(done) = timeout(idle, &mut work).await {
            return done;
        }
        let is_idle = session.requests.load(Ordering::Relaxed) == before;
        if is_idle || Instant::now() >= end {
            return Err(Refusal::Later(None));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    use wearlab_models::Secret;

    use super::in_times;
    use crate::provider::Session;
    use crate::refusal::Refusal;

    /// Sends requests with pauses of some ms, with timeouts of 200 ms and of 2 s.
    async fn outcome(requests: u32, milliseconds: u64) -> Result<(), Refusal> {
        let session = Session {
            http: reqwest::Client::new(),
            base_url: None,
            access_token: Secret::from("token"),
            pace: Arc::default(),
            requests: AtomicU64::new(0),
        };
        let work = async {
            for _ in 0..requests {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
                session.permit().await;
            }
            Ok(())
        };
        in_times(&session, [200, 2_000].map(Duration::from_millis), work).await
    }

    #[tokio::test]
    async fn a_task_with_requests_may_take_long() {
        assert_eq!(outcome(30, 20).await, Ok(()));
        assert_eq!(outcome(1, 5_000).await, Err(Refusal::Later(None)), "no request");
        assert_eq!(outcome(10_000, 20).await, Err(Refusal::Later(None)), "without end");
    }
}

//! Lease of this process on a destination.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;
use wearlab_store::Lease;

/// Validity of a lease. Other processes take over when it expires.
pub(super) const SPAN: Duration = Duration::from_secs(5);

/// Interval of renewals of leases.
pub(super) const RENEW: Duration = Duration::from_millis(1500);

/// A lease of this process.
pub(super) struct LeaseGuard {
    pub(super) lease: Lease,
    /// Expiry time, unless no other process can take the lease.
    until: Mutex<Option<Instant>>,
}

impl LeaseGuard {
    /// Wraps a lease. `until` counts from before the lease was requested, so that it expires here first.
    pub(super) fn new(lease: Lease, until: Option<Instant>) -> Self {
        Self {
            lease,
            until: Mutex::new(until),
        }
    }

    pub(super) fn renew(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    pub(super) fn is_active(&self) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_none_or(|until| Instant::now() < until)
    }

    /// Runs a future while the lease is active. The lease is checked before each poll: a process that was paused does
    /// not continue a delivery that another one has taken over.
    pub(super) async fn within<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        std::future::poll_fn(|context| match self.is_active() {
            true => work.as_mut().poll(context).map(Some),
            false => Poll::Ready(None),
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tokio::time::{Instant, sleep};
    use wearlab_store::{Store, TeamRecord};

    use super::LeaseGuard;

    #[tokio::test]
    async fn work_ends_with_the_lease() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("a store");
        let destination = store
            .write(|write| {
                write.put_organisation("org")?;
                let team = write.put_team(&TeamRecord {
                    team_id: uuid::Uuid::from_u128(1),
                    org_id: "org".to_owned(),
                    environment: wearlab_models::Environment::Sandbox,
                    region: wearlab_models::Region::Eu,
                })?;
                write.destination(team, "rabbitmq", None)
            })
            .await
            .expect("a destination");
        let share = store.share(uuid::Uuid::from_u128(2), &[destination], super::SPAN).await;
        let lease = share.expect("shares").leases[0];
        let steps = AtomicUsize::new(0);
        let work = async || {
            for _ in 0..100 {
                steps.fetch_add(1, Ordering::Relaxed);
                sleep(Duration::from_millis(5)).await;
            }
        };
        let guard = LeaseGuard::new(lease, Some(Instant::now() + Duration::from_millis(60)));
        assert!(guard.within(work()).await.is_none(), "it is over");
        let done = steps.load(Ordering::Relaxed);
        assert!((1..100).contains(&done), "{done} steps");
        assert!(guard.within(work()).await.is_none());
        assert_eq!(steps.load(Ordering::Relaxed), done, "not one step more");
        guard.renew(None);
        assert!(guard.within(work()).await.is_some());
        assert_eq!(steps.load(Ordering::Relaxed), done + 100);
    }
}

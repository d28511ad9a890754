//! Limits of requests to a provider.

use chrono::{DateTime, Utc};
use governor::{DefaultDirectRateLimiter, Quota as Rate, RateLimiter};
use wearlab_store::Store;

use crate::quota::Quota;
use crate::shared_quota::SharedQuota;

/// Limits of the requests of one client of a provider.
#[derive(Debug, Default)]
pub struct Pace(Vec<Limiter>);

/// Limit of one quota.
#[derive(Debug)]
enum Limiter {
    /// Limit of a process that has the store alone.
    Own(DefaultDirectRateLimiter),
    /// Limit of all processes of a store.
    Shared(SharedQuota),
}

impl Pace {
    /// Creates the limits of a process that has the store alone. Another process on the same store would have its own, and
    /// together they exceed those of the provider, whose refusals they then obey.
    pub fn new(quotas: &[Quota]) -> Self {
        let limiters = quotas.iter().filter_map(rate).map(RateLimiter::direct);
        Self(limiters.map(Limiter::Own).collect())
    }

    /// Creates the limits of a provider for all processes of a store. `now` is the clock.
    pub fn shared(store: &Store, now: fn() -> DateTime<Utc>, slug: &str, quotas: &[Quota]) -> Self {
        let quotas = quotas.iter().enumerate();
        let shared = quotas.map(|(number, quota)| SharedQuota::new(store.clone(), now, slug, number, *quota));
        Self(shared.map(Limiter::Shared).collect())
    }

    /// Waits until a request may be sent.
    pub async fn permit(&self) {
        for limiter in &self.0 {
            match limiter {
                Limiter::Own(limiter) => limiter.until_ready().await,
                Limiter::Shared(quota) => quota.permit().await,
            }
        }
    }
}

fn rate(quota: &Quota) -> Option<Rate> {
    Some(Rate::with_period(quota.interval())?.allow_burst(quota.burst()))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use governor::RateLimiter;
    use governor::clock::FakeRelativeClock;

    use super::rate;
    use crate::quota::Quota;

    #[test]
    fn no_period_has_more_requests_than_the_quota() {
        for requests in [1, 5, 19, 100, 120] {
            let quota = Quota {
                requests: NonZeroU32::new(requests).expect("not zero"),
                period: Duration::from_secs(60),
            };
            let clock = FakeRelativeClock::default();
            let limiter = RateLimiter::direct_with_clock(rate(&quota).expect("a rate"), clock.clone());
            let mut sent = 0;
            for _ in 0..5_999 {
                while limiter.check().is_ok() {
                    sent += 1;
                }
                clock.advance(Duration::from_millis(10));
            }
            assert!(sent <= requests && sent * 10 >= requests * 9, "{sent} of {requests}");
        }
    }
}

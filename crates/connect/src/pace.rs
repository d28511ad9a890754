//! Limits of requests to a provider.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota as Rate, RateLimiter};

/// Maximum requests in a time.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// Number of requests.
    pub requests: NonZeroU32,
    /// Time in which they may be sent.
    pub period: Duration,
}

/// Limits of the requests of one client of a provider in this process.
#[derive(Debug, Default)]
pub struct Pace {
    limiters: Vec<DefaultDirectRateLimiter>,
}

impl Pace {
    /// Creates the limits. A burst has a tenth of the requests of each.
    pub fn new(quotas: &[Quota]) -> Self {
        let limiters = quotas.iter().filter_map(|quota| {
            let burst = NonZeroU32::new(quota.requests.get() / 10).unwrap_or(NonZeroU32::MIN);
            let rate = Rate::with_period(quota.period / quota.requests.get())?;
            Some(RateLimiter::direct(rate.allow_burst(burst)))
        });
        Self {
            limiters: limiters.collect(),
        }
    }

    /// Waits until a request may be sent.
    pub async fn permit(&self) {
        for limiter in &self.limiters {
            limiter.until_ready().await;
        }
    }
}

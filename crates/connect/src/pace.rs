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

/// Limits of the requests of one client of a provider in this process. Several processes have them each, and together exceed
/// those of the provider, whose refusals they then obey.
#[derive(Debug, Default)]
pub struct Pace {
    limiters: Vec<DefaultDirectRateLimiter>,
}

impl Pace {
    /// Creates the limits. A burst has a tenth of the requests of each, and the others are spread over its time, so that no
    /// period has more than all of them.
    pub fn new(quotas: &[Quota]) -> Self {
        let limiters = quotas.iter().filter_map(rate).map(RateLimiter::direct);
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

/// Returns the burst of a quota, and the interval in which it is refilled.
fn rate(quota: &Quota) -> Option<Rate> {
    let burst = NonZeroU32::new(quota.requests.get() / 10).unwrap_or(NonZeroU32::MIN);
    let interval = quota.period.div_f64(f64::from(quota.requests.get()) * 0.9);
    Some(Rate::with_period(interval)?.allow_burst(burst))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use governor::RateLimiter;
    use governor::clock::FakeRelativeClock;

    use super::{Quota, rate};

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

//! Rate limit of the requests with each key. Off by default.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use sha2::{Digest, Sha256};
use wearlab_server::ApiError;

use crate::settings::RateLimit;

/// Hash of a credential of the store: credentials themselves are not kept.
type Key = [u8; 32];

/// Number of requests between removals of keys whose limit is full again.
const CLEANUP_INTERVAL: usize = 4096;

/// Rate limiter by key.
pub struct RateLimiter {
    keys: DefaultKeyedRateLimiter<Key>,
    counted: AtomicUsize,
    clock: DefaultClock,
}

impl RateLimiter {
    /// Creates a limiter that gives each credential this limit.
    pub fn new(limit: RateLimit) -> Self {
        let quota = Quota::per_second(limit.per_second).allow_burst(limit.burst);
        Self {
            keys: DefaultKeyedRateLimiter::keyed(quota),
            counted: AtomicUsize::new(0),
            clock: DefaultClock::default(),
        }
    }

    /// Counts one request with a valid credential. Invalid ones would fill the memory.
    ///
    /// # Errors
    ///
    /// 429 above the limit, with the time to wait.
    pub fn count(&self, credential: &str) -> Result<(), ApiError> {
        // Link tokens come and go, so their entries are removed.
        if self.counted.fetch_add(1, Ordering::Relaxed) % CLEANUP_INTERVAL == CLEANUP_INTERVAL - 1 {
            self.keys.retain_recent();
        }
        let key = Key::from(Sha256::digest(credential));
        self.keys.check_key(&key).map_err(|refused| {
            let wait: Duration = refused.wait_time_from(self.clock.now());
            ApiError::too_many_requests(wait)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::{CLEANUP_INTERVAL, RateLimiter};
    use crate::settings::RateLimit;

    #[test]
    fn keys_that_do_not_come_again_are_forgotten() {
        let often = NonZeroU32::new(1_000_000).expect("not 0");
        let limiter = RateLimiter::new(RateLimit {
            per_second: often,
            burst: NonZeroU32::MIN,
        });
        for number in 0..8 * CLEANUP_INTERVAL {
            limiter.count(&number.to_string()).expect("the first of its key");
        }
        let kept = limiter.keys.len();
        assert!(kept <= CLEANUP_INTERVAL, "{kept}");
    }
}

//! Policy of retries: calls that are retried, and pauses.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::Error;

/// Retries of a call. A call is retried if a second request has the same effect as the first (GET, PUT and DELETE, and
/// operations with the parameter `Idempotency-Key`), or if there was no connection to send the first.
///
/// A call with the parameter `Idempotency-Key` gets a random key, unless it is set. All attempts have the same one.
///
/// Only transient errors are retried: 429, 502, 503 and 504, and connections that fail ([`Error::is_retryable`]).
/// Before attempt *n* there is a pause of a random length, up to the first pause times 2ⁿ⁻¹ and at most the longest
/// pause; a `Retry-After` of the service is waited for as well. A call that would have to wait longer than its deadline
/// allows, or than the longest wait, is not retried: it returns the error immediately.
///
/// In WebAssembly there are no retries: not all its hosts have a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct RetryPolicy {
    retries: u32,
    first_pause: Duration,
    longest_pause: Duration,
    longest_wait: Duration,
}

/// Two retries; pauses of up to 0.25 and 0.5 seconds; waits of up to 30 seconds for a service that asks for one.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 2,
            first_pause: Duration::from_millis(250),
            longest_pause: Duration::from_secs(8),
            longest_wait: Duration::from_secs(30),
        }
    }
}

impl RetryPolicy {
    /// Disables retries.
    pub fn none() -> Self {
        Self::default().retries(0)
    }

    /// Sets the maximum number of retries of a call.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the longest pause before the second attempt. It doubles with each attempt.
    pub fn first_pause(mut self, pause: Duration) -> Self {
        self.first_pause = pause;
        self
    }

    /// Sets the longest pause, unless the service asks for a longer one.
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.longest_pause = pause;
        self
    }

    /// Sets the longest `Retry-After` that is waited for.
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// Returns the pause after an error. None if the call is not retried. `tried` counts the earlier attempts.
    pub(crate) fn pause(&self, error: &Error, tried: u32, random: u64) -> Option<Duration> {
        if tried > self.retries || !error.is_retryable() {
            return None;
        }
        let asked = error.failure().and_then(crate::Failure::retry_after);
        if asked.is_some_and(|asked| asked > self.longest_wait) {
            return None;
        }
        let doubled = 2u32.saturating_pow(tried.saturating_sub(1));
        let most = self.first_pause.saturating_mul(doubled).min(self.longest_pause);
        // Added to a requested pause, too: callers with the same response do not retry together.
        let jitter = most.mul_f64(random as f64 / u64::MAX as f64);
        Some(asked.unwrap_or_default().saturating_add(jitter))
    }
}

/// A random number. The standard library seeds its hashers at random, which is enough for a pause.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::StatusCode;
    use reqwest::header::{HeaderValue, RETRY_AFTER};

    use super::{RetryPolicy, random};
    use crate::Error;

    fn error(status: u16, retry_after: Option<u64>) -> Error {
        let status = StatusCode::from_u16(status).expect("a status");
        let headers = retry_after.map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds)));
        Error::of(status, &headers.into_iter().collect(), b"")
    }

    const ALL: u64 = u64::MAX;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let policy = RetryPolicy::default().retries(9);
        let longest = |tried| policy.pause(&error(503, None), tried, ALL).expect("another try");
        let seconds: Vec<_> = (1..=9).map(|tried| longest(tried).as_secs_f64()).collect();
        assert_eq!(seconds, [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0]);
        assert_eq!(
            policy.pause(&error(503, None), 10, ALL),
            None,
            "nine retries are ten tries"
        );
        let endless = policy.retries(u32::MAX);
        let late = endless.pause(&error(503, None), u32::MAX, ALL);
        assert_eq!(late, Some(Duration::from_secs(8)), "nothing overflows");
    }

    #[test]
    fn jitter_takes_all_of_the_pause() {
        let policy = RetryPolicy::default();
        let pause = |random| policy.pause(&error(503, None), 1, random).expect("another try");
        assert_eq!(pause(0), Duration::ZERO);
        assert_eq!(pause(ALL / 2).as_millis(), 125);
        assert_eq!(pause(ALL), Duration::from_millis(250));
        let drawn: Vec<_> = (0..1000).map(|_| pause(random())).collect();
        assert!(drawn.iter().all(|pause| *pause <= Duration::from_millis(250)));
        let mean = drawn.iter().sum::<Duration>() / 1000;
        assert!((100..150).contains(&mean.as_millis()), "{mean:?}");
    }

    #[test]
    fn what_the_service_asks_for_is_waited_up_to_a_bound() {
        let policy = RetryPolicy::default();
        let pause = |seconds, random| policy.pause(&error(429, Some(seconds)), 1, random);
        assert_eq!(pause(3, 0), Some(Duration::from_secs(3)), "never earlier");
        assert_eq!(pause(3, ALL), Some(Duration::from_millis(3250)));
        assert_eq!(pause(30, 0), Some(Duration::from_secs(30)));
        assert_eq!(pause(31, 0), None, "too long to wait");
        assert_eq!(pause(u64::MAX, ALL), None);
        let patient = policy.longest_wait(Duration::MAX);
        let endless = patient.pause(&error(429, Some(u64::MAX)), 1, ALL);
        assert_eq!(
            endless,
            Some(Duration::from_secs(u64::MAX).saturating_add(Duration::from_millis(250)))
        );
    }

    #[test]
    fn what_will_not_change_is_not_tried_again() {
        for status in [304, 400, 401, 404, 405, 408, 418, 422, 500, 501, 505] {
            assert_eq!(
                RetryPolicy::default().pause(&error(status, None), 1, 0),
                None,
                "{status}"
            );
        }
        for status in [429, 502, 503, 504] {
            assert!(
                RetryPolicy::default().pause(&error(status, None), 1, 0).is_some(),
                "{status}"
            );
            assert_eq!(RetryPolicy::none().pause(&error(status, None), 1, 0), None, "{status}");
        }
    }
}

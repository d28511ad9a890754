//! Quotas of providers.

use std::num::NonZeroU32;
use std::time::Duration;

/// Maximum requests in a time.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// Number of requests.
    pub requests: NonZeroU32,
    /// Time in which they may be sent.
    pub period: Duration,
}

impl Quota {
    /// Returns the number of requests that may be sent at once: a tenth.
    pub(crate) fn burst(&self) -> NonZeroU32 {
        NonZeroU32::new(self.requests.get() / 10).unwrap_or(NonZeroU32::MIN)
    }

    /// Returns the interval of the others, which are spread over the time, so that no period has more than all of them.
    pub(crate) fn interval(&self) -> Duration {
        self.period.div_f64(f64::from(self.requests.get()) * 0.9)
    }
}

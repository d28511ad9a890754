//! Settings of retries.

use std::time::Duration;

use crate::webhook::schedule;

/// Schedule of retries.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DispatchSettings {
    /// Pauses of a webhook after each failed attempt; behind the last one, the event is parked. The schedule of
    /// Standard Webhooks by default.
    pub schedule: fn(failed: u32, random: f64) -> Option<Duration>,
    /// The age from which a failed event of any other kind is parked. Seven days by default.
    pub give_up_after: Duration,
    /// The first pause of a destination that is down, and of a failed event; doubled each time. A second by default.
    pub first_pause: Duration,
    /// Interval of polls of the log for new events. 200 ms by default.
    pub poll: Duration,
    /// Number of events of a destination that wait for a retry, from which no new ones are sent. 1,000 by default.
    pub window: usize,
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            schedule,
            give_up_after: Duration::from_secs(7 * 24 * 3600),
            first_pause: Duration::from_secs(1),
            poll: Duration::from_millis(200),
            window: 1000,
        }
    }
}

//! Settings of the event log.

use std::time::Duration;

use serde::Deserialize;
use wearlab_settings::duration;
use wearlab_store::DeprecatedForms;

/// Content and retention of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventSettings {
    /// Retention of events that were delivered to all destinations. Default: 30 days.
    #[serde(deserialize_with = "duration::deserialize")]
    pub keep: Duration,
    /// Retention of undelivered events. Default: 90 days.
    #[serde(deserialize_with = "duration::deserialize")]
    pub keep_undelivered: Duration,
    /// Timeout of an incomplete historical pull for its next chunk. Default: 30 days.
    #[serde(deserialize_with = "duration::deserialize")]
    pub keep_unfinished_pulls: Duration,
    /// Deprecated forms of events that are still sent.
    pub deprecated: DeprecatedForms,
}

const fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 3600)
}

impl Default for EventSettings {
    fn default() -> Self {
        Self {
            keep: days(30),
            keep_undelivered: days(90),
            keep_unfinished_pulls: days(30),
            deprecated: DeprecatedForms::default(),
        }
    }
}

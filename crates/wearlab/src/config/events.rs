//! Settings of the event log.

use std::time::Duration;

use serde::Deserialize;
use wearlab_store::DeprecatedForms;

use super::span;

/// What is in events, and how long they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EventSettings {
    /// How long events are kept that all destinations of their team have. Default: 30 days.
    #[serde(deserialize_with = "span::read")]
    pub keep: Duration,
    /// How long events are kept that a destination does not have. Default: 90 days.
    #[serde(deserialize_with = "span::read")]
    pub keep_undelivered: Duration,
    /// How long the chunks of a historical pull wait for the next one. Default: 30 days.
    #[serde(deserialize_with = "span::read")]
    pub keep_unfinished_pulls: Duration,
    /// Which deprecated forms are still sent.
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

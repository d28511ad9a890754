//! Observer of a dispatcher.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use wearlab_models::Uuid;
use wearlab_store::Backlog;

/// Identifies a destination of a team. Each has a cursor of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DestinationKey {
    /// The team whose events go there.
    pub team_id: Uuid,
    /// The kind of destination: that of the pipeline, or `webhook`.
    pub kind: String,
    /// The endpoint, of the kind `webhook`.
    pub webhook_id: Option<String>,
}

/// Counts of delivery attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Attempts that succeeded.
    pub delivered: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Events that were parked after such an attempt.
    pub parked: u64,
}

/// Observes deliveries, to count them.
pub trait DeliveryObserver: Send + Sync {
    /// Deliveries were attempted.
    fn sent(&self, key: &DestinationKey, sent: Sent);

    /// A destination is up or down.
    fn up(&self, key: &DestinationKey, up: bool);

    /// A destination is gone, or another process delivers to it.
    fn removed(&self, _: &DestinationKey) {}

    /// The backlogs of all destinations, by team and kind, as of a time.
    fn backlogs(&self, backlogs: &BTreeMap<(Uuid, String), Backlog>, now: DateTime<Utc>);
}

/// Ignores everything.
impl DeliveryObserver for () {
    fn sent(&self, _: &DestinationKey, _: Sent) {}

    fn up(&self, _: &DestinationKey, _: bool) {}

    fn backlogs(&self, _: &BTreeMap<(Uuid, String), Backlog>, _: DateTime<Utc>) {}
}

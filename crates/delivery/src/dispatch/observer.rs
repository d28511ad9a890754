//! What a dispatcher tells of its work.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use wearlab_models::Uuid;
use wearlab_store::Backlog;

/// One destination of a team. Each has a cursor of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// The team whose events go there.
    pub team_id: Uuid,
    /// The kind of destination: that of the pipeline, or `webhook`.
    pub kind: String,
    /// The endpoint, of the kind `webhook`.
    pub webhook_id: Option<String>,
}

/// How many messages were tried, and how it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// How many the destination has for good.
    pub delivered: u64,
    /// How many it has not: they are tried again, or were given up.
    pub failed: u64,
    /// How many of these were given up.
    pub parked: u64,
}

/// Hears how deliveries go, to count them.
pub trait DeliveryObserver: Send + Sync {
    /// Messages were tried.
    fn sent(&self, lane: &Lane, sent: Sent);

    /// A destination works, or is down.
    fn up(&self, lane: &Lane, up: bool);

    /// A destination is gone, or another process delivers to it.
    fn removed(&self, _: &Lane) {}

    /// How far all destinations are behind, by team and kind, as of a time.
    fn behind(&self, backlogs: &BTreeMap<(Uuid, String), Backlog>, now: DateTime<Utc>);
}

/// Hears nothing.
impl DeliveryObserver for () {
    fn sent(&self, _: &Lane, _: Sent) {}

    fn up(&self, _: &Lane, _: bool) {}

    fn behind(&self, _: &BTreeMap<(Uuid, String), Backlog>, _: DateTime<Utc>) {}
}

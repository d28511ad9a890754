//! What is counted of deliveries, by team and kind.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use wearlab_delivery::{DeliveryObserver, Lane, Sent};
use wearlab_models::Uuid;
use wearlab_store::Backlog;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Whose {
    team_id: String,
    kind: String,
}

impl Whose {
    fn new(team_id: Uuid, kind: &str) -> Self {
        Self {
            team_id: team_id.to_string(),
            kind: kind.to_owned(),
        }
    }
}

/// Counters of the deliveries of one running service. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveryMetrics {
    attempts: Family<Whose, Counter>,
    failures: Family<Whose, Counter>,
    given_up: Family<Whose, Counter>,
    up: Family<Whose, Gauge>,
    backlog: Family<Whose, Gauge>,
    parked: Family<Whose, Gauge>,
    oldest: Family<Whose, Gauge>,
}

impl DeliveryMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("delivery_attempts", "Events that were sent", self.attempts.clone());
        let help = "Events that were sent in vain, each time";
        registry.register("delivery_failures", help, self.failures.clone());
        let help = "Events that were given up: they are parked";
        registry.register("delivery_given_up", help, self.given_up.clone());
        let help = "Whether events can be delivered: 0 where the destination is down";
        registry.register("delivery_up", help, self.up.clone());
        let help = "Events that wait to be sent, for the first time or again";
        registry.register("delivery_backlog", help, self.backlog.clone());
        registry.register("delivery_parked", "Events that are parked", self.parked.clone());
        let help = "Age of the oldest event that waits to be sent";
        registry.register_with_unit("delivery_oldest", help, Unit::Seconds, self.oldest.clone());
    }
}

impl DeliveryObserver for DeliveryMetrics {
    fn sent(&self, lane: &Lane, sent: Sent) {
        let whose = Whose::new(lane.team_id, &lane.kind);
        self.attempts.get_or_create(&whose).inc_by(sent.delivered + sent.failed);
        self.failures.get_or_create(&whose).inc_by(sent.failed);
        self.given_up.get_or_create(&whose).inc_by(sent.parked);
    }

    fn up(&self, lane: &Lane, up: bool) {
        let whose = Whose::new(lane.team_id, &lane.kind);
        self.up.get_or_create(&whose).set(i64::from(up));
    }

    fn behind(&self, backlogs: &BTreeMap<(Uuid, String), Backlog>, now: DateTime<Utc>) {
        // Destinations that are no more are shown no more.
        for gauges in [&self.backlog, &self.parked, &self.oldest] {
            gauges.clear();
        }
        for ((team_id, kind), backlog) in backlogs {
            let whose = Whose::new(*team_id, kind);
            let age = backlog.oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0));
            self.backlog.get_or_create(&whose).set(backlog.waiting);
            self.parked.get_or_create(&whose).set(backlog.parked);
            self.oldest.get_or_create(&whose).set(age);
        }
    }
}

//! Metrics of deliveries, by team and kind of destination.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use wearlab_delivery::{DeliveryObserver, DestinationKey, Sent};
use wearlab_models::Uuid;
use wearlab_store::Backlog;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    team_id: String,
    kind: String,
}

impl Labels {
    fn new(team_id: Uuid, kind: &str) -> Self {
        Self {
            team_id: team_id.to_string(),
            kind: kind.to_owned(),
        }
    }
}

/// Counters of deliveries of one running service. Clones share their counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveryMetrics {
    attempts: Family<Labels, Counter>,
    failures: Family<Labels, Counter>,
    given_up: Family<Labels, Counter>,
    up: Family<Labels, Gauge>,
    /// True if each destination is up: the webhooks of a team share a gauge.
    each_up: Arc<Mutex<HashMap<DestinationKey, bool>>>,
    backlog: Family<Labels, Gauge>,
    parked: Family<Labels, Gauge>,
    oldest: Family<Labels, Gauge>,
}

impl DeliveryMetrics {
    fn each_up(&self) -> MutexGuard<'_, HashMap<DestinationKey, bool>> {
        self.each_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the gauge of a destination's team and kind: 0 if any of its destinations is down.
    fn set_up(&self, key: &DestinationKey, each_up: &HashMap<DestinationKey, bool>) {
        let labels = Labels::new(key.team_id, &key.kind);
        let same = |(other, _): &(&DestinationKey, &bool)| other.team_id == key.team_id && other.kind == key.kind;
        match each_up
            .iter()
            .filter(same)
            .map(|(_, up)| *up)
            .reduce(|all, up| all && up)
        {
            Some(up) => {
                self.up.get_or_create(&labels).set(i64::from(up));
            }
            None => {
                self.up.remove(&labels);
            }
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("delivery_attempts", "Delivery attempts", self.attempts.clone());
        let help = "Failed delivery attempts";
        registry.register("delivery_failures", help, self.failures.clone());
        let help = "Events that were parked";
        registry.register("delivery_given_up", help, self.given_up.clone());
        let help = "Whether events can be delivered: 0 if a destination is down";
        registry.register("delivery_up", help, self.up.clone());
        let help = "Events that are not delivered yet";
        registry.register("delivery_backlog", help, self.backlog.clone());
        registry.register("delivery_parked", "Parked events", self.parked.clone());
        let help = "Age of the oldest event that is not delivered yet";
        registry.register_with_unit("delivery_oldest", help, Unit::Seconds, self.oldest.clone());
    }
}

impl DeliveryObserver for DeliveryMetrics {
    fn sent(&self, key: &DestinationKey, sent: Sent) {
        let labels = Labels::new(key.team_id, &key.kind);
        self.attempts
            .get_or_create(&labels)
            .inc_by(sent.delivered + sent.failed);
        self.failures.get_or_create(&labels).inc_by(sent.failed);
        self.given_up.get_or_create(&labels).inc_by(sent.parked);
    }

    fn up(&self, key: &DestinationKey, up: bool) {
        let mut each_up = self.each_up();
        if each_up.insert(key.clone(), up) != Some(up) {
            self.set_up(key, &each_up);
        }
    }

    fn removed(&self, key: &DestinationKey) {
        let mut each_up = self.each_up();
        if each_up.remove(key).is_some() {
            self.set_up(key, &each_up);
        }
    }

    fn backlogs(&self, backlogs: &BTreeMap<(Uuid, String), Backlog>, now: DateTime<Utc>) {
        // Removes the gauges of deleted destinations.
        for gauges in [&self.backlog, &self.parked, &self.oldest] {
            gauges.clear();
        }
        for ((team_id, kind), backlog) in backlogs {
            let labels = Labels::new(*team_id, kind);
            let age = backlog.oldest.map_or(0, |oldest| (now - oldest).num_seconds().max(0));
            self.backlog.get_or_create(&labels).set(backlog.waiting);
            self.parked.get_or_create(&labels).set(backlog.parked);
            self.oldest.get_or_create(&labels).set(age);
        }
    }
}

#[cfg(test)]
mod tests {
    use wearlab_delivery::{DeliveryObserver, DestinationKey};
    use wearlab_models::Uuid;

    use super::{DeliveryMetrics, Labels};

    #[test]
    fn a_team_is_up_when_all_its_webhooks_are() {
        let metrics = DeliveryMetrics::default();
        let webhook = |id: &str| DestinationKey {
            team_id: Uuid::nil(),
            kind: "webhook".to_owned(),
            webhook_id: Some(id.to_owned()),
        };
        let labels = Labels::new(Uuid::nil(), "webhook");
        let up = || metrics.up.get(&labels).map(|gauge| gauge.get());
        metrics.up(&webhook("a"), false);
        metrics.up(&webhook("b"), true);
        assert_eq!(up(), Some(0), "one is down");
        metrics.up(&webhook("a"), true);
        assert_eq!(up(), Some(1));
        metrics.up(&webhook("a"), false);
        metrics.removed(&webhook("a"));
        assert_eq!(up(), Some(1), "the one that is down is gone");
        metrics.removed(&webhook("b"));
        assert_eq!(up(), None, "nothing is known");
    }
}

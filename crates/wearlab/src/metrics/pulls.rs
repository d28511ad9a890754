//! Metrics of connectors: pulls by provider, kind of task and outcome, and the tasks that are due.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use wearlab_connect::PullObserver;
use wearlab_store::PullBacklog;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PullLabels {
    provider: String,
    task: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProviderLabels {
    provider: String,
}

/// Counters of pulls of one running service. Clones share their counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct PullMetrics {
    pulls: Family<PullLabels, Counter>,
    due: Family<ProviderLabels, Gauge>,
    oldest: Family<ProviderLabels, Gauge>,
    /// Providers that have gauges.
    waiting: Arc<Mutex<BTreeSet<String>>>,
}

impl PullMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("pulls", "Attempts of connectors to pull data", self.pulls.clone());
        let help = "Tasks of connectors that are due and wait";
        registry.register("pull_tasks_due", help, self.due.clone());
        let help = "Time for which the first due task of a connector waits";
        registry.register_with_unit("pull_tasks_oldest", help, Unit::Seconds, self.oldest.clone());
    }
}

impl PullObserver for PullMetrics {
    fn attempted(&self, provider: &str, task: &'static str, outcome: &'static str) {
        let labels = PullLabels {
            provider: provider.to_owned(),
            task,
            outcome,
        };
        self.pulls.get_or_create(&labels).inc();
    }

    fn backlogs(&self, backlogs: &[PullBacklog], now: DateTime<Utc>) {
        for backlog in backlogs {
            let labels = ProviderLabels {
                provider: backlog.provider.clone(),
            };
            let due = i64::try_from(backlog.due).unwrap_or(i64::MAX);
            self.due.get_or_create(&labels).set(due);
            let age = (now - backlog.oldest).num_seconds().max(0);
            self.oldest.get_or_create(&labels).set(age);
        }
        // Afterwards, so that a scrape between them finds the gauges of the others.
        let current: BTreeSet<_> = backlogs.iter().map(|backlog| backlog.provider.clone()).collect();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for provider in waiting.difference(&current) {
            let labels = ProviderLabels {
                provider: provider.clone(),
            };
            self.due.remove(&labels);
            self.oldest.remove(&labels);
        }
        *waiting = current;
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;
    use wearlab_connect::PullObserver;
    use wearlab_store::PullBacklog;

    use super::PullMetrics;

    #[test]
    fn pulls_are_counted_and_backlogs_replaced() {
        let (metrics, mut registry) = (PullMetrics::default(), Registry::with_prefix("wearlab"));
        metrics.register(&mut registry);
        let text = || {
            let mut text = String::new();
            encode(&mut text, &registry).expect("a text");
            text
        };
        let now = DateTime::UNIX_EPOCH + TimeDelta::minutes(3);
        for outcome in ["pulled", "rate_limited", "pulled"] {
            metrics.attempted("oura", "recent", outcome);
        }
        let of = |provider: &str, due| PullBacklog {
            provider: provider.to_owned(),
            due,
            oldest: DateTime::UNIX_EPOCH,
        };
        metrics.backlogs(&[of("oura", 7), of("whoop", 2)], now);
        let first = text();
        for line in [
            "wearlab_pulls_total{provider=\"oura\",task=\"recent\",outcome=\"pulled\"} 2",
            "wearlab_pulls_total{provider=\"oura\",task=\"recent\",outcome=\"rate_limited\"} 1",
            "wearlab_pull_tasks_due{provider=\"oura\"} 7",
            "wearlab_pull_tasks_oldest_seconds{provider=\"oura\"} 180",
        ] {
            assert!(first.contains(line), "{line}: {first}");
        }
        metrics.backlogs(&[of("whoop", 3)], now);
        let second = text();
        assert!(
            second.contains("wearlab_pull_tasks_due{provider=\"whoop\"} 3"),
            "{second}"
        );
        for gauge in ["wearlab_pull_tasks_due", "wearlab_pull_tasks_oldest_seconds"] {
            assert!(!second.contains(&format!("{gauge}{{provider=\"oura\"}}")), "{second}");
        }
        metrics.backlogs(&[], now);
        assert!(!text().contains("wearlab_pull_tasks_due{"));
    }
}

//! Metrics of the service beside those of the HTTP server. No label holds a URL, a user's id or a key.

mod deliveries;
mod pulls;

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use wearlab_connect::NoticeObserver;
use wearlab_intake::received_lines;
use wearlab_linking::RefreshObserver;

pub(crate) use self::deliveries::DeliveryMetrics;
pub(crate) use self::pulls::PullMetrics;
use crate::log;

/// Buckets of store operations in seconds, from a read in memory to a write that waits for another process.
const STORE_BUCKETS: [f64; 12] = [
    0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1, 1.0, 5.0,
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NoticeLabels {
    provider: &'static str,
    outcome: &'static str,
}

/// Counters of one running service.
#[derive(Clone)]
pub(crate) struct ServiceMetrics {
    store: Family<OperationLabels, Histogram, fn() -> Histogram>,
    pub(crate) deliveries: DeliveryMetrics,
    pub(crate) pulls: PullMetrics,
    pruned_undelivered: Counter,
    refreshes: Family<OutcomeLabels, Counter>,
    notices: Family<NoticeLabels, Counter>,
}

impl ServiceMetrics {
    /// Creates the counters, and the registry that has them.
    pub(crate) fn new() -> (Self, Registry) {
        let mut registry = Registry::with_prefix("wearlab");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version that runs", build);
        let store = Family::new_with_constructor((|| Histogram::new(STORE_BUCKETS)) as fn() -> Histogram);
        let help = "Duration of store operations";
        registry.register_with_unit("store_operation_duration", help, Unit::Seconds, Clone::clone(&store));
        let help = "Log lines dropped because standard error was blocked or failed";
        registry.register("log_lines_dropped", help, log::dropped_lines());
        let deliveries = DeliveryMetrics::default();
        deliveries.register(&mut registry);
        let pulls = PullMetrics::default();
        pulls.register(&mut registry);
        let pruned_undelivered = Counter::default();
        let help = "Expired events deleted before every destination had them";
        registry.register("events_pruned_undelivered", help, pruned_undelivered.clone());
        let refreshes = Family::default();
        let help = "Refreshes of providers' access tokens";
        registry.register("token_refreshes", help, Clone::clone(&refreshes));
        let notices = Family::default();
        registry.register("provider_notices", "Notices of providers", Clone::clone(&notices));
        let help = "Lines of ingest and import over HTTP";
        registry.register("intake_lines", help, received_lines());
        let metrics = Self {
            store,
            deliveries,
            pulls,
            pruned_undelivered,
            refreshes,
            notices,
        };
        (metrics, registry)
    }

    /// Returns a callback that counts operations of a store.
    pub(crate) fn store_observer(&self) -> impl Fn(&'static str, Duration) + Send + Sync + 'static {
        let store = self.store.clone();
        move |operation, took| {
            store
                .get_or_create(&OperationLabels { operation })
                .observe(took.as_secs_f64());
        }
    }

    /// Returns a callback that counts token refreshes by outcome.
    pub(crate) fn refresh_observer(&self) -> RefreshObserver {
        let refreshes = self.refreshes.clone();
        Box::new(move |outcome| {
            refreshes.get_or_create(&OutcomeLabels { outcome }).inc();
        })
    }

    /// Returns a callback that counts notices of providers by outcome.
    pub(crate) fn notice_observer(&self) -> NoticeObserver {
        let notices = self.notices.clone();
        Box::new(move |provider, outcome| {
            notices.get_or_create(&NoticeLabels { provider, outcome }).inc();
        })
    }

    /// Returns a callback that counts undelivered events that were deleted.
    pub(crate) fn prune_observer(&self) -> impl Fn(u64) + Send + Sync + 'static {
        let lost = self.pruned_undelivered.clone();
        move |count| {
            lost.inc_by(count);
        }
    }
}

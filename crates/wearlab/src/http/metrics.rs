//! Metrics in the text format of Prometheus. No label holds a URL, a user's id or a key.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use wearlab_server::Operation;

use super::backend::StoreState;
use super::deliveries::DeliveryMetrics;
use crate::intake;
use crate::linking::RefreshObserver;
use crate::log;

/// Content type of [`Metrics::text`].
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Buckets of request durations in seconds, from a quarter of a millisecond to the longest useful timeout.
const BUCKETS: [f64; 13] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0,
];

/// Buckets of store operations in seconds, from a read in memory to a write that waits for another process.
const STORE_BUCKETS: [f64; 12] = [
    0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.005, 0.025, 0.1, 1.0, 5.0,
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResponseLabels {
    operation: &'static str,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// Latest state of the store; none, and no metrics, if it could not be read.
#[derive(Clone, Debug, Default)]
struct StoreMetrics(Arc<Mutex<Option<StoreState>>>);

impl Collector for StoreMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Some(StoreState { bytes, last_event }) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) else {
            return Ok(());
        };
        let bytes = ConstGauge::new(i64::try_from(bytes).unwrap_or(i64::MAX));
        let (help, unit) = ("Size of the store", Unit::Bytes);
        bytes.encode(encoder.encode_descriptor("store_size", help, Some(&unit), MetricType::Gauge)?)?;
        let help = "The number of the last event";
        let last_event = ConstGauge::new(last_event);
        last_event.encode(encoder.encode_descriptor("events_last_number", help, None, MetricType::Gauge)?)
    }
}

/// Counters of one running service.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<ResponseLabels, Counter>,
    durations: Family<OperationLabels, Histogram, fn() -> Histogram>,
    store: Family<OperationLabels, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    connections: Gauge,
    recycled: Counter,
    pub(crate) deliveries: DeliveryMetrics,
    pub(crate) pruned_undelivered: Counter,
    refreshes: Family<OutcomeLabels, Counter>,
    started: Instant,
    uptime: Gauge<f64, AtomicU64>,
    in_store: StoreMetrics,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("wearlab");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version that runs", build);
        let requests = Family::default();
        registry.register("http_requests", "Responses sent", Clone::clone(&requests));
        let durations = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let help = "Time from a request's header to its response's";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, Clone::clone(&durations));
        let store = Family::new_with_constructor((|| Histogram::new(STORE_BUCKETS)) as fn() -> Histogram);
        let help = "Duration of store operations";
        registry.register_with_unit("store_operation_duration", help, Unit::Seconds, Clone::clone(&store));
        let in_flight = Gauge::default();
        registry.register("http_requests_in_flight", "Requests in progress", in_flight.clone());
        let connections = Gauge::default();
        registry.register("http_connections", "Open connections", connections.clone());
        let recycled = Counter::default();
        let help = "Idle connections closed for new ones at the bound on connections";
        registry.register("http_connections_recycled", help, recycled.clone());
        let help = "Log lines dropped because standard error was blocked or failed";
        registry.register("log_lines_dropped", help, log::dropped_lines());
        let deliveries = DeliveryMetrics::default();
        deliveries.register(&mut registry);
        let pruned_undelivered = Counter::default();
        let help = "Expired events deleted before every destination had them";
        registry.register("events_pruned_undelivered", help, pruned_undelivered.clone());
        let refreshes = Family::default();
        let help = "Refreshes of providers' access tokens";
        registry.register("token_refreshes", help, Clone::clone(&refreshes));
        let help = "Lines of ingest and import over HTTP";
        registry.register("intake_lines", help, intake::lines());
        let uptime = Gauge::default();
        registry.register_with_unit(
            "uptime",
            "Time since the service started",
            Unit::Seconds,
            uptime.clone(),
        );
        let in_store = StoreMetrics::default();
        registry.register_collector(Box::new(in_store.clone()));
        Self {
            registry,
            requests,
            durations,
            store,
            in_flight,
            connections,
            recycled,
            deliveries,
            pruned_undelivered,
            refreshes,
            started: Instant::now(),
            uptime,
            in_store,
        }
    }

    /// Returns a callback that counts token refreshes by outcome.
    pub(crate) fn refresh_observer(&self) -> RefreshObserver {
        let refreshes = self.refreshes.clone();
        Box::new(move |outcome| {
            refreshes.get_or_create(&OutcomeLabels { outcome }).inc();
        })
    }

    /// Counts a connection until the returned guard is dropped.
    pub(super) fn connection(&self) -> Counted {
        Counted::new(&self.connections)
    }

    /// Counts an idle connection that was closed for a new one.
    pub(super) fn recycled_connection(&self) {
        self.recycled.inc();
    }

    /// Counts an operation of the store.
    pub(crate) fn store_operation(&self, operation: &'static str, took: Duration) {
        self.store
            .get_or_create(&OperationLabels { operation })
            .observe(took.as_secs_f64());
    }

    /// Returns all metrics as text, with the state of the store.
    pub(crate) fn text(&self, store: Option<StoreState>) -> Result<String, std::fmt::Error> {
        self.uptime.set(self.started.elapsed().as_secs_f64());
        *self.in_store.0.lock().unwrap_or_else(PoisonError::into_inner) = store;
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// Guard that counts in a gauge until it is dropped.
pub(super) struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Measures a request that is in flight.
pub(super) struct Counting {
    operation: &'static str,
    method: &'static str,
    started: Instant,
    counted: Counted,
}

impl Counting {
    pub(super) fn begin(metrics: &Metrics, request: &Request, operation: Option<&'static Operation>) -> Self {
        Self {
            operation: operation.map_or("none", |operation| operation.id),
            method: match *request.method() {
                Method::GET => "GET",
                Method::HEAD => "HEAD",
                Method::POST => "POST",
                _ => "other",
            },
            started: Instant::now(),
            counted: Counted::new(&metrics.in_flight),
        }
    }

    /// Records the request with its response.
    pub(super) fn end(self, metrics: &Metrics, response: &Response) {
        drop(self.counted);
        let labels = ResponseLabels {
            operation: self.operation,
            method: self.method,
            status: response.status().as_u16(),
        };
        metrics.requests.get_or_create(&labels).inc();
        let labels = OperationLabels {
            operation: self.operation,
        };
        let seconds = self.started.elapsed().as_secs_f64();
        metrics.durations.get_or_create(&labels).observe(seconds);
    }
}

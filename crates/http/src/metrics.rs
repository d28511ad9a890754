//! Metrics in the text format of Prometheus. No label holds a URL, a user's id or a key.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

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
use prometheus_client::registry::{Registry, Unit};
use wearlab_server::Operation;

use super::backend::StoreState;

/// Content type of [`Metrics::text`].
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Buckets of request durations in seconds, from a quarter of a millisecond to the longest useful timeout.
const BUCKETS: [f64; 13] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0,
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

/// Metrics of one running server: the registry that it was given, and its own counters.
pub struct Metrics {
    registry: Registry,
    requests: Family<ResponseLabels, Counter>,
    durations: Family<OperationLabels, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    connections: Gauge,
    recycled: Counter,
    started: Instant,
    uptime: Gauge<f64, AtomicU64>,
    in_store: StoreMetrics,
}

impl Metrics {
    /// Adds the counters to a registry, which may have others.
    pub(super) fn new(mut registry: Registry) -> Self {
        let requests = Family::default();
        registry.register("http_requests", "Responses sent", Clone::clone(&requests));
        let durations = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let help = "Time from a request's header to its response's";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, Clone::clone(&durations));
        let in_flight = Gauge::default();
        registry.register("http_requests_in_flight", "Requests in progress", in_flight.clone());
        let connections = Gauge::default();
        registry.register("http_connections", "Open connections", connections.clone());
        let recycled = Counter::default();
        let help = "Idle connections closed for new ones at the bound on connections";
        registry.register("http_connections_recycled", help, recycled.clone());
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
            in_flight,
            connections,
            recycled,
            started: Instant::now(),
            uptime,
            in_store,
        }
    }

    /// Counts a connection until the returned guard is dropped.
    pub(super) fn connection(&self) -> Counted {
        Counted::new(&self.connections)
    }

    /// Counts an idle connection that was closed for a new one.
    pub(super) fn recycled_connection(&self) {
        self.recycled.inc();
    }

    /// Returns all metrics as text, with the state of the store.
    pub fn text(&self, store: Option<StoreState>) -> Result<String, std::fmt::Error> {
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

//! View of `wearlab top`, computed from the metrics of two points in time.

use std::cmp::Reverse;
use std::time::Instant;

use wearlab_web::metrics_text::{Buckets, MetricsText, Sample};

/// Metrics at a point in time.
#[derive(Clone, Debug)]
pub(super) struct Scrape {
    pub(super) at: Instant,
    pub(super) metrics: MetricsText,
}

impl Scrape {
    /// Returns the uptime of the service, in seconds.
    pub(super) fn uptime(&self) -> Option<f64> {
        self.metrics.sum("wearlab_uptime_seconds")
    }
}

/// Values on the screen.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) version: String,
    pub(super) uptime: Option<f64>,
    pub(super) store_bytes: Option<f64>,
    pub(super) requests: Option<f64>,
    pub(super) in_progress: Option<f64>,
    pub(super) connections: Option<f64>,
    /// Lines per second.
    pub(super) accepted: Option<f64>,
    pub(super) rejected: Option<f64>,
    /// Events per second, of all processes.
    pub(super) events: Option<f64>,
    pub(super) backlog: f64,
    pub(super) parked: f64,
    /// Undelivered events that were deleted by retention.
    pub(super) lost: f64,
    pub(super) operations: Vec<Operation>,
    pub(super) destinations: Vec<Destination>,
}

/// Operation, with its requests and latencies.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) rate: Option<f64>,
    pub(super) total: f64,
    /// Responses with a status of 500 and above.
    pub(super) errors: f64,
    /// p50, p95 and p99, in seconds.
    pub(super) quantiles: [Option<f64>; 3],
}

/// Destinations of a team and kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Destination {
    pub(super) team: String,
    pub(super) kind: String,
    pub(super) up: Option<bool>,
    pub(super) backlog: f64,
    /// Age of the oldest event, in seconds.
    pub(super) oldest: f64,
    pub(super) parked: f64,
    /// Attempts per second.
    pub(super) attempts: Option<f64>,
    pub(super) failures: Option<f64>,
}

/// Sort order of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OperationOrder {
    #[default]
    Rate,
    Latency,
    Name,
}

/// Sort order of destinations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DestinationOrder {
    #[default]
    State,
    Backlog,
    Age,
}

const PARTS: [f64; 3] = [0.5, 0.95, 0.99];

impl View {
    /// Computes a view. Rates are since one scrape, latencies since another, or since the service started.
    pub(super) fn new(now: &Scrape, rates_since: Option<&Scrape>, latencies_since: Option<&Scrape>) -> Self {
        let rates = Rates {
            now,
            earlier: rates_since,
        };
        let sum = |name: &str| now.metrics.sum(name);
        let lines = |outcome: &'static str| {
            rates.of("wearlab_intake_lines_total", move |sample| {
                sample.label("outcome") == outcome
            })
        };
        let build = now.metrics.samples("wearlab_build_info").first();
        Self {
            version: build.map_or_else(String::new, |build| build.label("version").to_owned()),
            uptime: now.uptime(),
            store_bytes: sum("wearlab_store_size_bytes"),
            requests: rates.of("wearlab_http_requests_total", |_| true),
            in_progress: sum("wearlab_http_requests_in_flight"),
            connections: sum("wearlab_http_connections"),
            accepted: lines("accepted"),
            rejected: lines("rejected"),
            events: rates.of("wearlab_events_last_number", |_| true),
            backlog: sum("wearlab_delivery_backlog").unwrap_or(0.0),
            parked: sum("wearlab_delivery_parked").unwrap_or(0.0),
            lost: sum("wearlab_events_pruned_undelivered_total").unwrap_or(0.0),
            operations: operations(&rates, latencies_since),
            destinations: destinations(&rates),
        }
    }

    pub(super) fn sort(&mut self, operations: OperationOrder, destinations: DestinationOrder) {
        self.operations.sort_by(|one, other| {
            let by_name = one.name.cmp(&other.name);
            let by = |key: fn(&Operation) -> f64| key(other).total_cmp(&key(one));
            match operations {
                OperationOrder::Rate => by(|one| one.rate.unwrap_or(0.0)).then(by(|one| one.total)),
                OperationOrder::Latency => by(|one| one.quantiles[2].unwrap_or(-1.0)),
                OperationOrder::Name => by_name,
            }
            .then(by_name)
        });
        self.destinations.sort_by(|one, other| {
            let by = |key: fn(&Destination) -> f64| key(other).total_cmp(&key(one));
            let order = match destinations {
                DestinationOrder::State => one.up.unwrap_or(true).cmp(&other.up.unwrap_or(true)),
                DestinationOrder::Backlog => by(|one| one.backlog),
                DestinationOrder::Age => by(|one| one.oldest),
            };
            let order = order.then(by(|one| one.backlog));
            order.then_with(|| (&one.team, &one.kind).cmp(&(&other.team, &other.kind)))
        });
    }
}

/// Counters now and in an earlier scrape.
struct Rates<'a> {
    now: &'a Scrape,
    earlier: Option<&'a Scrape>,
}

impl Rates<'_> {
    /// Returns the growth of a metric's samples per second; none without an earlier scrape, or without samples.
    fn of(&self, name: &str, counts: impl Fn(&Sample) -> bool) -> Option<f64> {
        let earlier = self.earlier?;
        let sum = |scrape: &Scrape| {
            let samples = scrape.metrics.samples(name);
            (!samples.is_empty()).then(|| {
                let counted = samples.iter().filter(|sample| counts(sample));
                counted.map(|sample| sample.value).sum::<f64>()
            })
        };
        let seconds = self.now.at.duration_since(earlier.at).as_secs_f64();
        let grown = sum(self.now)? - sum(earlier).unwrap_or(0.0);
        (seconds > 0.0).then(|| grown.max(0.0) / seconds)
    }
}

fn operations(rates: &Rates<'_>, latencies_since: Option<&Scrape>) -> Vec<Operation> {
    const DURATIONS: &str = "wearlab_http_request_duration_seconds";
    let histograms = |scrape: &Scrape| scrape.metrics.histograms(DURATIONS, "operation");
    let earlier = latencies_since.map(histograms).unwrap_or_default();
    let all = histograms(rates.now).into_iter().map(|(name, durations)| {
        let recent = durations.since(earlier.get(&name).unwrap_or(&Buckets::default()));
        let is_own = |sample: &Sample| sample.label("operation") == name;
        let responses = rates.now.metrics.samples("wearlab_http_requests_total");
        let responses = responses.iter().filter(|sample| is_own(sample));
        Operation {
            rate: rates.of("wearlab_http_requests_total", is_own),
            total: durations.count(),
            errors: responses
                .filter(|sample| sample.label("status").starts_with('5'))
                .fold(0.0, |sum, sample| sum + sample.value),
            quantiles: PARTS.map(|part| recent.quantile(part)),
            name: match name.as_str() {
                "none" => "(other requests)".to_owned(),
                _ => name,
            },
        }
    });
    all.collect()
}

fn destinations(rates: &Rates<'_>) -> Vec<Destination> {
    const NAMES: [&str; 3] = [
        "wearlab_delivery_up",
        "wearlab_delivery_backlog",
        "wearlab_delivery_attempts_total",
    ];
    let metrics = &rates.now.metrics;
    let key = |sample: &Sample| (sample.label("team_id").to_owned(), sample.label("kind").to_owned());
    let mut keys: Vec<_> = NAMES.iter().flat_map(|name| metrics.samples(name)).map(key).collect();
    keys.sort_unstable_by_key(|key| Reverse(key.clone()));
    keys.dedup();
    let all = keys.into_iter().map(|(team, kind)| {
        let is_own = |sample: &Sample| sample.label("team_id") == team && sample.label("kind") == kind;
        let value = |name: &str| {
            metrics
                .samples(name)
                .iter()
                .find(|sample| is_own(sample))
                .map(|sample| sample.value)
        };
        Destination {
            up: value("wearlab_delivery_up").map(|up| up > 0.0),
            backlog: value("wearlab_delivery_backlog").unwrap_or(0.0),
            oldest: value("wearlab_delivery_oldest_seconds").unwrap_or(0.0),
            parked: value("wearlab_delivery_parked").unwrap_or(0.0),
            attempts: rates.of("wearlab_delivery_attempts_total", is_own),
            failures: rates.of("wearlab_delivery_failures_total", is_own),
            team: team.clone(),
            kind: kind.clone(),
        }
    });
    all.collect()
}

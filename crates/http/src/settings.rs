//! Settings of the HTTP server: addresses, TLS, limits, timeouts.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use wearlab_settings::{duration, list};

/// The HTTP server. Durations are text such as `10s`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct HttpSettings {
    /// The address of the API. Port 0 selects a free port. Default: `127.0.0.1:8080`.
    pub listen: SocketAddr,
    /// The address of the management API, the probes and the metrics. Default: `listen`, which then serves all.
    pub management_listen: Option<SocketAddr>,
    /// The prefix that replaces `service` in header names such as `x-service-api-key`: lower-case letters, digits and
    /// inner hyphens. Default: `service`.
    pub header_prefix: String,
    /// Whether the address of the API has its reference, at `/docs`, to which `/` leads then. Default: `true`.
    pub docs: bool,
    /// How long callers may cache a response of the catalogues (providers, diagnoses, cancellation
    /// reasons); whole seconds. Default: `5min`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub catalogue_max_age: Duration,
    /// Limits.
    pub limits: Limits,
    /// Timeouts.
    pub timeouts: Timeouts,
    /// TLS, at the address of the interface, and at that of the management area unless `tls.management` is off. Default:
    /// none.
    pub tls: Option<TlsSettings>,
    /// The origins that may call from a browser. Default: none.
    pub cors: Option<CorsSettings>,
}

/// Limits. None may be 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct Limits {
    /// Open connections at one address. Above it, an idle one is closed for a new one: first those without a valid key,
    /// the longest idle first. Where none is idle, 16 more are accepted at the address of the probes: these are answered, and all else is a 503; any further
    /// ones wait. Lowered where the limit of open files is. Default: 1024.
    pub connections: usize,
    /// Concurrent requests. Above it, the response is a 503. Default: 512.
    pub requests: usize,
    /// Bytes of a request's URI, with its query. Above it, the response is a 414. Default: 8192; at most 32768.
    pub uri_bytes: usize,
    /// Bytes of the names and values of a request's header fields. Above it, the response is a 431. Default: 16384; at most
    /// 65536.
    pub header_bytes: usize,
    /// Header fields of a request. Above it, the response is a 431. Default: 64; at most 100.
    pub header_fields: usize,
    /// Bytes of a request's body. Operations that write get it, others ignore it; above it, the response is a 413.
    /// Default: 65536.
    pub body_bytes: u64,
    /// How many times longer the decoded body of a stream may be than it was sent, in a content coding such as gzip. The first
    /// 8 MiB are not compared. Above it, the stream is stopped. Default: 200.
    pub decoded_ratio: u32,
}

/// Timeouts, each at most a day. Only the last two may be `0s`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct Timeouts {
    /// From the first byte of a request to the end of its header, and a TLS handshake. Then the connection is cut.
    /// Default: `10s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub header: Duration,
    /// Between two requests of a connection, and without progress of a response. Then the connection is cut.
    /// Default: `75s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub idle: Duration,
    /// For a request's body, all of it. Then the response is a 408. Default: `10s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub body: Duration,
    /// For an operation. Then the response is a 503. Default: `15s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub handler: Duration,
    /// How long `/readyz` fails at a stop while requests are still accepted, so that a load balancer
    /// sends no more. Default: `0s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub drain_delay: Duration,
    /// After that, how long responses in progress may take before they are cut. Default: `20s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub drain: Duration,
}

/// A certificate and its key, both in PEM.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a section of settings")]
pub struct TlsSettings {
    /// The file of the certificate, followed by those that vouch for it.
    pub certificate: PathBuf,
    /// The file of its private key.
    pub key: PathBuf,
    /// How often the files are looked at. A new pair that is good is used for new connections; one that is not is
    /// reported in the log, and the old one stays. Default: `30s`.
    #[serde(default = "check_every", deserialize_with = "duration::deserialize")]
    pub check_every: Duration,
    /// Whether TLS is spoken at `management_listen` as well. Off, the management area, the probes and the metrics are
    /// plain HTTP there: keep that address within a network that is trusted. Default: `true`.
    #[serde(default = "tls_management")]
    pub management: bool,
}

/// The origins that may call from a browser.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a section of settings")]
pub struct CorsSettings {
    /// Their origins, such as `https://app.example.com`, or `*` alone for all: a list, or text with commas between them.
    #[serde(deserialize_with = "list::deserialize")]
    pub origins: Vec<String>,
    /// How long a browser may keep the permission; whole seconds. Default: `10min`.
    #[serde(default = "cors_max_age", deserialize_with = "duration::deserialize")]
    pub max_age: Duration,
}

/// The rate limit of each key: each API key, management key and link token by itself, also where several are of one team or
/// organisation. Then the response is a 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a section of settings")]
pub struct RateLimit {
    /// Requests a second, in the long run.
    pub per_second: NonZeroU32,
    /// Requests at once, after a pause.
    pub burst: NonZeroU32,
}

impl HttpSettings {
    /// Whether the management area has a listener of its own. Port 0 twice is two ports.
    pub fn has_management_listener(&self) -> bool {
        self.management_listen
            .is_some_and(|other| other != self.listen || other.port() == 0)
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            management_listen: None,
            header_prefix: "service".to_owned(),
            docs: true,
            catalogue_max_age: Duration::from_secs(300),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            tls: None,
            cors: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            requests: 512,
            uri_bytes: 8192,
            header_bytes: 16_384,
            header_fields: 64,
            body_bytes: 65_536,
            decoded_ratio: 200,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            header: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            body: Duration::from_secs(10),
            handler: Duration::from_secs(15),
            drain_delay: Duration::ZERO,
            drain: Duration::from_secs(20),
        }
    }
}

fn check_every() -> Duration {
    Duration::from_secs(30)
}

fn tls_management() -> bool {
    true
}

fn cors_max_age() -> Duration {
    Duration::from_secs(600)
}

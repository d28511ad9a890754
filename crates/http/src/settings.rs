//! Settings of the HTTP server: addresses, TLS, limits, timeouts.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use wearlab_settings::{duration, list};

/// Settings of the HTTP server. Durations are text such as `10s`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct HttpSettings {
    /// Address of the API. Port 0 selects a free port. Default: `127.0.0.1:8080`.
    pub listen: SocketAddr,
    /// Address of the management API, the probes and the metrics. Default: `listen`, which then serves all.
    pub management_listen: Option<SocketAddr>,
    /// Prefix that replaces `service` in header names such as `x-service-api-key`: lower-case letters, digits and inner
    /// hyphens. Default: `service`.
    pub header_prefix: String,
    /// Serves the API reference at `/docs`, and redirects `/` to it. Default: `true`.
    pub docs: bool,
    /// Maximum age of catalogue responses in caches (providers, diagnoses, cancellation reasons), in whole seconds.
    /// Default: `5min`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub catalogue_max_age: Duration,
    /// Limits of requests and connections.
    pub limits: Limits,
    /// Timeouts of requests and connections.
    pub timeouts: Timeouts,
    /// TLS at the address of the API, and at that of the management API unless `tls.management` is off. Default: none.
    pub tls: Option<TlsSettings>,
    /// Origins that may call from a browser. Default: none.
    pub cors: Option<CorsSettings>,
}

/// Limits of requests and connections. None may be 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct Limits {
    /// Maximum open connections at one address. Above it, an idle one is closed for a new one: first those without a
    /// valid key, the longest idle first. If none is idle, 16 more are accepted at the address of the probes, which
    /// respond to probes and otherwise with a 503; any further ones wait. Lowered if the limit of open files is lower.
    /// Default: 1024.
    pub connections: usize,
    /// Maximum concurrent requests. Above it, the response is a 503. Default: 512.
    pub requests: usize,
    /// Maximum bytes of a request's URI, with its query. Above it, the response is a 414. Default: 8192; at most 32768.
    pub uri_bytes: usize,
    /// Maximum bytes of the names and values of a request's header fields. Above it, the response is a 431.
    /// Default: 16384; at most 65536.
    pub header_bytes: usize,
    /// Maximum header fields of a request. Above it, the response is a 431. Default: 64; at most 100.
    pub header_fields: usize,
    /// Maximum bytes of a request's body. Operations that write receive it, others ignore it; above it, the response is
    /// a 413. Default: 65536.
    pub body_bytes: u64,
    /// Maximum ratio of the decoded length of a stream to its encoded length, in a content coding such as gzip. The
    /// first 8 MiB are not compared. Above it, the stream is stopped. Default: 200.
    pub decoded_ratio: u32,
}

/// Timeouts of requests and connections, each at most a day. Only the last two may be `0s`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct Timeouts {
    /// Timeout of a request's header from its first byte, and of a TLS handshake. Then the connection is cut. Default:
    /// `10s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub header: Duration,
    /// Timeout between two requests of a connection, and without progress of a response. Then the connection is cut.
    /// Default: `75s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub idle: Duration,
    /// Timeout of a request's whole body. Then the response is a 408. Default: `10s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub body: Duration,
    /// Timeout of an operation. Then the response is a 503. Default: `15s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub handler: Duration,
    /// Time at shutdown in which `/readyz` fails while requests are still accepted, so that a load balancer sends no
    /// more. Default: `0s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub drain_delay: Duration,
    /// Timeout after that of responses in progress, before they are cut. Default: `20s`.
    #[serde(deserialize_with = "duration::deserialize")]
    pub drain: Duration,
}

/// Files of a certificate and its key, both in PEM.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a section of settings")]
pub struct TlsSettings {
    /// File of the certificate, followed by its chain.
    pub certificate: PathBuf,
    /// File of its private key.
    pub key: PathBuf,
    /// Interval of checking the files for changes. A valid new pair is used for new connections; an invalid one is
    /// logged, and the old one stays. Default: `30s`.
    #[serde(default = "check_every", deserialize_with = "duration::deserialize")]
    pub check_every: Duration,
    /// Enables TLS at `management_listen` as well. If it is off, the management API, the probes and the metrics are
    /// plain HTTP there: keep that address within a trusted network. Default: `true`.
    #[serde(default = "tls_management")]
    pub management: bool,
}

/// Origins that may call from a browser.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a section of settings")]
pub struct CorsSettings {
    /// Origins, such as `https://app.example.com`, or `*` alone for all: a list, or text with commas between them.
    #[serde(deserialize_with = "list::deserialize")]
    pub origins: Vec<String>,
    /// Maximum age of a preflight response in a browser, in whole seconds. Default: `10min`.
    #[serde(default = "cors_max_age", deserialize_with = "duration::deserialize")]
    pub max_age: Duration,
}

/// Rate limit of each API key, management key and link token, even if several belong to one team or organisation. Above
/// it, the response is a 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a section of settings")]
pub struct RateLimit {
    /// Sustained requests per second.
    pub per_second: NonZeroU32,
    /// Maximum burst of requests after a pause.
    pub burst: NonZeroU32,
}

impl HttpSettings {
    /// Returns whether the management API has a listener of its own. Port 0 twice is two ports.
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

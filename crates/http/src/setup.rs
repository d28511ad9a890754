//! Validation of settings, before anything is served.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use humantime::format_duration;
use prometheus_client::registry::Registry;
use tokio::sync::Semaphore;
use tower_http::cors::CorsLayer;
use wearlab_server::HeaderPrefix;
use wearlab_settings::InvalidSetting;

use super::metrics::Metrics;
use super::tls::Certificates;
use super::{cors, tls};
use crate::settings::{HttpSettings, TlsSettings};

/// Validated settings, and the state that listeners share.
pub struct Setup {
    /// Validated values.
    pub settings: HttpSettings,
    /// Prefix of header names.
    pub prefix: HeaderPrefix,
    pub(super) cors: Option<CorsLayer>,
    /// Certificates for TLS; none without TLS.
    pub certificates: Option<Certificates>,
    /// Metrics of the server.
    pub metrics: Arc<Metrics>,
    /// One permit for each concurrent request.
    pub(super) permits: Arc<Semaphore>,
}

impl Setup {
    /// Validates settings. `registry` has the metrics of the rest of the service.
    ///
    /// # Errors
    ///
    /// If a setting is invalid, or the certificate cannot be read.
    pub fn new(settings: HttpSettings, registry: Registry) -> Result<Self, InvalidSetting> {
        if let Some(wrong) = bounds(&settings).into_iter().next() {
            return Err(wrong);
        }
        let prefix = prefix(&settings)?;
        let cors = settings.cors.as_ref().map(|cors| cors::layer(cors, &prefix));
        let certificates = settings.tls.clone().map(tls::Certificates::load);
        Ok(Self {
            prefix,
            cors: cors.transpose()?,
            certificates: certificates.transpose()?,
            metrics: Arc::new(Metrics::new(registry)),
            permits: Arc::new(Semaphore::new(settings.limits.requests)),
            settings,
        })
    }

    /// Returns the certificates of the API's listener, or of a separate management listener.
    pub fn certificates(&self, management: bool) -> Option<Certificates> {
        let spoken = |tls: &TlsSettings| tls.management || !management;
        let certificates = self.certificates.as_ref();
        certificates
            .filter(|_| self.settings.tls.as_ref().is_some_and(spoken))
            .cloned()
    }
}

/// Returns all invalid settings.
pub fn check(settings: &HttpSettings) -> Vec<InvalidSetting> {
    let mut wrong = bounds(settings);
    wrong.extend(prefix(settings).err());
    wrong.extend(settings.cors.iter().flat_map(cors::check));
    wrong
}

/// Returns all errors in the TLS files, if TLS is configured.
pub fn check_certificate(settings: &HttpSettings) -> Vec<InvalidSetting> {
    settings.tls.as_ref().map_or_else(Vec::new, tls::check)
}

fn prefix(settings: &HttpSettings) -> Result<HeaderPrefix, InvalidSetting> {
    HeaderPrefix::new(&settings.header_prefix).map_err(|error| {
        let reason = format!("{:?} {error}", settings.header_prefix);
        InvalidSetting::new("http.header_prefix", reason)
    })
}

/// Returns sizes and times that are out of bounds.
fn bounds(settings: &HttpSettings) -> Vec<InvalidSetting> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let (limits, times) = (&settings.limits, &settings.timeouts);
    let size = |key, value: usize, least: usize, most: usize| {
        let wrong = || InvalidSetting::new(key, format!("{value} is not from {least} to {most}"));
        (!(least..=most).contains(&value)).then(wrong)
    };
    let empty = |key, file: Option<&Path>| {
        let empty = file.is_some_and(|file| file.as_os_str().is_empty());
        empty.then(|| InvalidSetting::new(key, "is empty: name a PEM file"))
    };
    let time = |key, value: Duration, least: Duration| {
        let (shown, from) = (format_duration(value), format_duration(least));
        let wrong = || InvalidSetting::new(key, format!("{shown} is not from {from} to one day"));
        (!(least..=DAY).contains(&value)).then(wrong)
    };
    let (some, none) = (Duration::from_millis(1), Duration::ZERO);
    let tls = settings.tls.as_ref();
    let check_every = tls.and_then(|tls| time("http.tls.check_every", tls.check_every, some));
    let plain_management = tls.is_some_and(|tls| !tls.management);
    let no_listener = (plain_management && !settings.has_management_listener()).then(|| {
        let reason = "false needs an address of its own: http.management_listen";
        InvalidSetting::new("http.tls.management", reason)
    });
    let all = [
        size("http.limits.connections", limits.connections, 1, 1_000_000),
        size("http.limits.requests", limits.requests, 1, 1_000_000),
        // Below these limits, no client could send a request with a key.
        size("http.limits.uri_bytes", limits.uri_bytes, 16, 32_768),
        size("http.limits.header_bytes", limits.header_bytes, 256, 65_536),
        size("http.limits.header_fields", limits.header_fields, 4, 100),
        size(
            "http.limits.decoded_ratio",
            limits.decoded_ratio as usize,
            1,
            u32::MAX as usize,
        ),
        time("http.timeouts.header", times.header, some),
        time("http.timeouts.idle", times.idle, some),
        time("http.timeouts.body", times.body, some),
        time("http.timeouts.handler", times.handler, some),
        time("http.timeouts.drain_delay", times.drain_delay, none),
        time("http.timeouts.drain", times.drain, none),
        empty("http.tls.certificate", tls.map(|tls| tls.certificate.as_path())),
        empty("http.tls.key", tls.map(|tls| tls.key.as_path())),
        check_every,
        no_listener,
    ];
    all.into_iter().flatten().collect()
}

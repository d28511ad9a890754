//! Settings made ready: whatever can be wrong with them is found here, before anything is served.

use std::sync::Arc;
use std::time::Duration;

use humantime::format_duration;
use tokio::sync::Semaphore;
use tower_http::cors::CorsLayer;
use wearlab_server::HeaderPrefix;

use super::metrics::Metrics;
use super::tls::Certificates;
use super::{cors, tls};
use crate::config::http::{HttpSettings, TlsSettings};

/// A setting that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct InvalidSetting {
    /// Where it is in the settings, such as `http.limits.connections`.
    pub key: &'static str,
    /// What is wrong with it, and what would not be.
    pub reason: String,
}

impl InvalidSetting {
    pub(super) fn new(key: &'static str, reason: impl Into<String>) -> Self {
        Self {
            key,
            reason: reason.into(),
        }
    }
}

/// Settings made ready, and what the listeners share.
pub(crate) struct Setup {
    pub(crate) settings: HttpSettings,
    pub(crate) prefix: HeaderPrefix,
    pub(super) cors: Option<CorsLayer>,
    pub(crate) certificates: Option<Certificates>,
    pub(crate) metrics: Arc<Metrics>,
    /// One for each request that may be worked on.
    pub(super) permits: Arc<Semaphore>,
}

impl Setup {
    /// # Errors
    ///
    /// Where a setting cannot be, or the certificate cannot be read.
    pub(crate) fn new(settings: HttpSettings) -> Result<Self, InvalidSetting> {
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
            metrics: Arc::new(Metrics::new()),
            permits: Arc::new(Semaphore::new(settings.limits.requests)),
            settings,
        })
    }

    /// The certificate in use at the interface, or at a management address of its own.
    pub(crate) fn certificates(&self, management: bool) -> Option<Certificates> {
        let spoken = |tls: &TlsSettings| tls.management || !management;
        let certificates = self.certificates.as_ref();
        certificates
            .filter(|_| self.settings.tls.as_ref().is_some_and(spoken))
            .cloned()
    }
}

/// All values that cannot be.
pub(crate) fn check(settings: &HttpSettings) -> Vec<InvalidSetting> {
    let mut wrong = bounds(settings);
    wrong.extend(prefix(settings).err());
    wrong.extend(settings.cors.as_ref().and_then(|cors| cors::check(cors).err()));
    wrong
}

/// Checks the files of TLS, if there are some.
pub(crate) fn check_certificate(settings: &HttpSettings) -> Result<(), InvalidSetting> {
    settings
        .tls
        .clone()
        .map_or(Ok(()), |tls| Certificates::load(tls).map(drop))
}

fn prefix(settings: &HttpSettings) -> Result<HeaderPrefix, InvalidSetting> {
    HeaderPrefix::new(&settings.header_prefix).map_err(|error| {
        let reason = format!("{:?} {error}", settings.header_prefix);
        InvalidSetting::new("http.header_prefix", reason)
    })
}

/// Sizes and times that are out of their bounds.
fn bounds(settings: &HttpSettings) -> Vec<InvalidSetting> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let (limits, times) = (&settings.limits, &settings.timeouts);
    let size = |key, value: usize, most: usize| {
        let wrong = || InvalidSetting::new(key, format!("{value} is not from 1 to {most}"));
        (!(1..=most).contains(&value)).then(wrong)
    };
    let time = |key, value: Duration, least: Duration| {
        let (shown, from) = (format_duration(value), format_duration(least));
        let wrong = || InvalidSetting::new(key, format!("{shown} is not from {from} to one day"));
        (!(least..=DAY).contains(&value)).then(wrong)
    };
    let (some, none) = (Duration::from_millis(1), Duration::ZERO);
    let check_every = settings.tls.as_ref();
    let check_every = check_every.and_then(|tls| time("http.tls.check_every", tls.check_every, some));
    let plain_management = settings.tls.as_ref().is_some_and(|tls| !tls.management);
    let no_listener = (plain_management && !settings.has_management_listener()).then(|| {
        let reason = "false needs an address of its own: http.management_listen";
        InvalidSetting::new("http.tls.management", reason)
    });
    let all = [
        size("http.limits.connections", limits.connections, 1_000_000),
        size("http.limits.requests", limits.requests, 1_000_000),
        size("http.limits.uri_bytes", limits.uri_bytes, 32_768),
        size("http.limits.header_bytes", limits.header_bytes, 65_536),
        size("http.limits.header_fields", limits.header_fields, 100),
        time("http.timeouts.header", times.header, some),
        time("http.timeouts.idle", times.idle, some),
        time("http.timeouts.body", times.body, some),
        time("http.timeouts.handler", times.handler, some),
        time("http.timeouts.drain_delay", times.drain_delay, none),
        time("http.timeouts.drain", times.drain, none),
        check_every,
        no_listener,
    ];
    all.into_iter().flatten().collect()
}

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
use crate::config::http::{HttpSettings, Limits};

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
    pub(super) places: Arc<Semaphore>,
}

impl Setup {
    /// # Errors
    ///
    /// Where a setting cannot be, or the certificate cannot be read.
    pub(crate) fn new(settings: HttpSettings) -> Result<Self, InvalidSetting> {
        check_limits(&settings.limits)?;
        check_times(&settings)?;
        let prefix = HeaderPrefix::new(&settings.header_prefix).map_err(|error| {
            let reason = format!("{:?} {error}", settings.header_prefix);
            InvalidSetting::new("http.header_prefix", reason)
        })?;
        let cors = settings.cors.as_ref().map(|cors| cors::layer(cors, &prefix));
        let certificates = settings.tls.clone().map(tls::Certificates::load);
        Ok(Self {
            prefix,
            cors: cors.transpose()?,
            certificates: certificates.transpose()?,
            metrics: Arc::new(Metrics::new()),
            places: Arc::new(Semaphore::new(settings.limits.requests)),
            settings,
        })
    }
}

fn check_limits(limits: &Limits) -> Result<(), InvalidSetting> {
    let bounded = |key, value: usize, most: usize| {
        if (1..=most).contains(&value) {
            Ok(())
        } else {
            Err(InvalidSetting::new(key, format!("{value} is not from 1 to {most}")))
        }
    };
    bounded("http.limits.connections", limits.connections, 1_000_000)?;
    bounded("http.limits.requests", limits.requests, 1_000_000)?;
    bounded("http.limits.uri_bytes", limits.uri_bytes, 32_768)?;
    bounded("http.limits.header_bytes", limits.header_bytes, 65_536)?;
    bounded("http.limits.header_fields", limits.header_fields, 100)
}

fn check_times(settings: &HttpSettings) -> Result<(), InvalidSetting> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let bounded = |key, least, value: Duration| {
        if (least..=DAY).contains(&value) {
            Ok(())
        } else {
            let (value, least) = (format_duration(value), format_duration(least));
            Err(InvalidSetting::new(
                key,
                format!("{value} is not from {least} to one day"),
            ))
        }
    };
    let (some, none) = (Duration::from_millis(1), Duration::ZERO);
    let times = &settings.timeouts;
    bounded("http.timeouts.header", some, times.header)?;
    bounded("http.timeouts.idle", some, times.idle)?;
    bounded("http.timeouts.body", some, times.body)?;
    bounded("http.timeouts.handler", some, times.handler)?;
    bounded("http.timeouts.drain_delay", none, times.drain_delay)?;
    bounded("http.timeouts.drain", none, times.drain)?;
    settings
        .tls
        .iter()
        .try_for_each(|tls| bounded("http.tls.check_every", some, tls.check_every))
}

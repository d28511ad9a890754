//! Limits of the operations, beside those of the HTTP server.

use serde::Deserialize;
use wearlab_settings::InvalidSetting;

/// Limits of the operations. None may be 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
pub struct ServiceLimits {
    /// Maximum concurrent requests that wait for an event of the log. Above it, the response is a 503. Default: 512.
    pub waits: usize,
    /// Maximum concurrent requests of one organisation that wait for an event. Above it, the response is a 429.
    /// Default: 64.
    pub waits_per_organisation: usize,
    /// Maximum concurrent requests that wait for another machine: tests of webhooks and pipelines, access tokens that a
    /// provider refreshes, and users who come back from a provider. Above it, the response is a 503. Default: 512.
    pub outbound_waits: usize,
    /// Maximum concurrent requests of one organisation and its teams that wait for another machine. Above it, the
    /// response is a 429. Default: 64.
    pub outbound_waits_per_organisation: usize,
    /// Maximum open streams of lines, in and out. Above it, the response is a 503. Default: 512.
    pub streams: usize,
    /// Maximum open streams of one organisation and its teams. Above it, the response is a 429. Default: 128.
    pub streams_per_organisation: usize,
    /// Approximate bytes of values that a response has in memory: a page of samples ends there, and a longer list of
    /// summaries or page of orders is sent in parts, without an entity tag. Default: 4 MiB.
    pub page_bytes: usize,
    /// Approximate bytes of the samples within a session that are read together. Above it, the response is a 422.
    /// Default: 32 MiB.
    pub session_bytes: usize,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            waits: 512,
            waits_per_organisation: 64,
            outbound_waits: 512,
            outbound_waits_per_organisation: 64,
            streams: 512,
            streams_per_organisation: 128,
            page_bytes: 4 * 1024 * 1024,
            session_bytes: 32 * 1024 * 1024,
        }
    }
}

/// Returns the limits that are invalid.
pub fn check(limits: &ServiceLimits) -> Vec<InvalidSetting> {
    let all = [
        ("service.limits.waits", limits.waits),
        ("service.limits.waits_per_organisation", limits.waits_per_organisation),
        ("service.limits.outbound_waits", limits.outbound_waits),
        (
            "service.limits.outbound_waits_per_organisation",
            limits.outbound_waits_per_organisation,
        ),
        ("service.limits.streams", limits.streams),
        (
            "service.limits.streams_per_organisation",
            limits.streams_per_organisation,
        ),
        ("service.limits.page_bytes", limits.page_bytes),
        ("service.limits.session_bytes", limits.session_bytes),
    ];
    let wrong = all.into_iter().filter(|(_, limit)| *limit == 0);
    wrong
        .map(|(setting, _)| InvalidSetting::new(setting, "0 is less than 1"))
        .collect()
}

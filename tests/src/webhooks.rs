//! Webhooks to this machine.

use std::time::Duration;

use wearlab::config::webhooks::WebhookSettings;
use wearlab_delivery::egress::{PipelinePolicy, Policy, Projects};
use wearlab_delivery::webhook::Settings;

/// Returns the egress policy of every [`Running`](crate::Running) service: public hosts, and this machine, also without
/// TLS.
pub fn egress() -> PipelinePolicy {
    PipelinePolicy {
        hosts: Policy {
            allow_plaintext: true,
            allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
            ..Policy::default()
        },
        projects: Projects::Any,
    }
}

/// Returns the webhook settings of every [`Running`](crate::Running) service: public hosts, and this machine, also by
/// HTTP.
pub fn settings() -> Settings {
    let settings = WebhookSettings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        timeout: Duration::from_secs(3),
        ..WebhookSettings::default()
    };
    settings.sender()
}

//! Which events an endpoint gets.

use wearlab_models::{DeliveryKind, Pipeline};
use wearlab_store::WebhookEndpoint;

/// Whether an endpoint gets events of a type: the team's pipeline sends webhooks, and both let the type through.
///
/// A team without a pipeline gets all events that the endpoint wants.
pub(super) fn wants(endpoint: &WebhookEndpoint, pipeline: Option<&Pipeline>, event_type: &str) -> bool {
    let sends = pipeline.is_none_or(|pipeline| {
        pipeline.preferences.enabled.contains(&DeliveryKind::Svix) && passes(&pipeline.event_type_prefixes, event_type)
    });
    sends && passes(&endpoint.event_type_prefixes, event_type)
}

/// Whether a type begins with one of the prefixes. Without any, all do.
fn passes(prefixes: &[String], event_type: &str) -> bool {
    prefixes.is_empty() || prefixes.iter().any(|prefix| event_type.starts_with(prefix.as_str()))
}

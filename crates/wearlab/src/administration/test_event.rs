//! Test events: what is sent to a destination, and the outcome as text.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_delivery::webhook::{EndpointError, Sender, Webhook};
use wearlab_delivery::{Message, Outcome};
use wearlab_store::WebhookEndpoint;

use crate::clock;

/// An event of no user. It is not in the log, and no event of the log has its type or its id.
pub(crate) fn message(event_type: &str, team_id: Uuid, data: &Value, now: DateTime<Utc>) -> Message {
    let event_id = format!("evt_{}", clock::fresh_id().simple());
    let payload = json!({
        "event_type": event_type,
        "team_id": team_id,
        "event_id": event_id,
        "data": data,
    });
    Message {
        event_id,
        event_type: event_type.to_owned(),
        team_id,
        user_id: None,
        created_on: now.fixed_offset(),
        payload: payload.to_string().into(),
    }
}

/// The result of a test event that was sent to an endpoint of webhooks.
pub(crate) struct TestResult {
    /// The status of the response, where there was one.
    pub(crate) status: Option<u16>,
    /// How long the attempt took.
    pub(crate) duration: Duration,
    /// Why it was not delivered, if so.
    pub(crate) failure: Option<String>,
}

/// Sends a test event to an endpoint of webhooks, once. It is in no log.
///
/// # Errors
///
/// Where nothing can be sent to it.
pub(crate) async fn test_webhook(
    sender: &Sender,
    endpoint: &WebhookEndpoint,
    now: DateTime<Utc>,
) -> Result<TestResult, EndpointError> {
    let webhook = Webhook::of_endpoint(sender, endpoint, now)?;
    let data = json!({"webhook_id": endpoint.webhook_id});
    let message = message("webhook.test", endpoint.team_id, &data, now);
    let attempted = webhook.send(&message).await;
    Ok(TestResult {
        status: attempted.response.map(|response| response.status),
        duration: attempted.duration,
        failure: failure(attempted.outcome),
    })
}

/// Why the event was not delivered; none if it was.
pub(crate) fn failure(outcome: Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Delivered => return None,
        Outcome::Retry {
            reason,
            not_before: Some(not_before),
        }
        | Outcome::Unavailable {
            reason,
            not_before: Some(not_before),
        } => format!(
            "{reason}, and asked to wait until {}",
            not_before.format("%Y-%m-%dT%H:%M:%SZ")
        ),
        Outcome::Retry { reason, .. }
        | Outcome::Unavailable { reason, .. }
        | Outcome::Down { reason }
        | Outcome::Refused { reason } => reason.to_string(),
        Outcome::Gone => "responded 410, which disables an endpoint that is sent an event".to_owned(),
        // What is sent alone waits for nothing.
        Outcome::Deferred { .. } | Outcome::Held => "not sent".to_owned(),
    })
}

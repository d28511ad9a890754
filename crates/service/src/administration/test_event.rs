//! Test events: their content, and their outcome as text.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_delivery::webhook::{EndpointError, Sender, Webhook};
use wearlab_delivery::{Message, Outcome};
use wearlab_store::WebhookEndpoint;

/// Creates an event of no user. It is not in the log, and no event of the log has its type or its id.
pub fn message(event_type: &str, team_id: Uuid, data: &Value, now: DateTime<Utc>) -> Message {
    let event_id = format!("evt_{}", wearlab_clock::fresh_id().simple());
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

/// Result of a test event that was sent to an endpoint of webhooks.
pub struct TestResult {
    /// Status of the response, if there was one.
    pub status: Option<u16>,
    /// Duration of the attempt.
    pub duration: Duration,
    /// Reason of the failure, if it was not delivered.
    pub failure: Option<String>,
}

/// Sends a test event to an endpoint of webhooks, once. The event is not in the log.
///
/// # Errors
///
/// If the endpoint cannot be sent to.
pub async fn test_webhook(
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

/// Returns the reason why the event was not delivered; none if it was.
pub fn failure(outcome: Outcome) -> Option<String> {
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
        // A single event does not wait for others.
        Outcome::Deferred { .. } | Outcome::Held => "not sent".to_owned(),
    })
}

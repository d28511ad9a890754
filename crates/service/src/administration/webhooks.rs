//! Endpoints of webhooks: creation and changes, for the command line and for the API.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use wearlab_delivery::webhook::KIND;
use wearlab_models::Secret;
use wearlab_store::{SigningSecret, StoreError, Transaction, WebhookEndpoint, has_control_characters};

/// Time for which webhooks are also signed with the old secret.
const OVERLAP: TimeDelta = TimeDelta::days(1);

/// Checks a prefix of event types. The error is the reason.
pub fn check_prefix(prefix: &str) -> Result<(), &'static str> {
    if prefix.trim().is_empty() {
        return Err("must not be empty: omit it for all events");
    }
    match has_control_characters(prefix) {
        true => Err("must not have control characters or invisible ones"),
        false => Ok(()),
    }
}

/// Creates an endpoint with a new secret. Its URL and its prefixes must be checked already.
pub fn new_webhook(team_id: Uuid, url: &str, event_type_prefixes: Vec<String>, now: DateTime<Utc>) -> WebhookEndpoint {
    WebhookEndpoint {
        webhook_id: format!("wh_{}", wearlab_clock::fresh_id().simple()),
        team_id,
        url: url.to_owned(),
        event_type_prefixes,
        secrets: vec![fresh_secret()],
        created_on: now,
        disabled: None,
    }
}

/// Stores a new endpoint, which receives all later events.
pub fn put_new(write: &Transaction<'_>, webhook: &WebhookEndpoint) -> Result<(), StoreError> {
    write.put_webhook(webhook)?;
    let team = write
        .team(webhook.team_id)?
        .ok_or(StoreError::Missing { what: "team" })?;
    // The cursor starts at this transaction, not when a service first finds the endpoint.
    write.destination(team, KIND, Some(&webhook.webhook_id)).map(drop)
}

/// Creates a signing secret.
pub fn fresh_secret() -> SigningSecret {
    let bytes: [u8; 32] = rand::random();
    SigningSecret {
        secret: Secret::new(format!("whsec_{}", STANDARD.encode(bytes))),
        until: None,
    }
}

/// Replaces the signing secret. Webhooks are also signed with the old one until the returned time.
pub fn rotate(webhook: &mut WebhookEndpoint, fresh: SigningSecret, now: DateTime<Utc>) -> DateTime<Utc> {
    let until = now + OVERLAP;
    webhook.secrets.truncate(1);
    for old in &mut webhook.secrets {
        old.until = Some(until);
    }
    webhook.secrets.insert(0, fresh);
    until
}

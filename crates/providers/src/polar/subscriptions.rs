//! Webhook of the application, of which there is one. It does not end, and 7 days of failures deactivate it.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_connect::{Application, Refusal};
use wearlab_kit_client::RetryPolicy;

use super::generated::client::Client;
use super::generated::models::{EventType, NewWebhook, Webhook, WebhookUpdate};
use super::limits::refusal;
use super::notices::KINDS;
use super::settings::{API_URL, MAX_RESPONSE_BYTES};

/// Interval of the checks that it exists and is active.
const INTERVAL: TimeDelta = TimeDelta::days(1);

/// Makes the webhook, or changes and activates that of the service. One of another service is left to its owner.
pub(super) async fn subscribe(application: &Application) -> Result<DateTime<Utc>, Refusal> {
    let client = client(application)?;
    application.permit().await;
    let list = client.get_webhook().send().await.map_err(refusal)?.into_inner();
    match list.data.into_iter().next() {
        Some(known) => keep(application, &client, known).await?,
        None => {
            let new = NewWebhook::new(events(), application.notices_url.expose());
            application.permit().await;
            client.create_webhook(new).send().await.map_err(refusal)?;
        }
    }
    Ok(application.now + INTERVAL)
}

/// Changes the URL and the events of the webhook where they differ, and activates it.
async fn keep(application: &Application, client: &Client, known: Webhook) -> Result<(), Refusal> {
    application.check_own(&known.id, known.url.as_deref())?;
    let url = application.notices_url.expose();
    let (is_at_url, has_events) = (known.url.as_deref() == Some(url), has_events(&known));
    if !is_at_url || !has_events {
        let update = WebhookUpdate {
            // A URL is checked each time that it is sent.
            url: (!is_at_url).then(|| url.to_owned()),
            events: (!has_events).then(events),
        };
        application.permit().await;
        client.update_webhook(known.id, update).send().await.map_err(refusal)?;
    }
    if known.active == Some(false) {
        application.permit().await;
        client.activate_webhook().send().await.map_err(refusal)?;
    }
    Ok(())
}

/// Returns the events of the webhook.
fn events() -> Vec<EventType> {
    KINDS.iter().map(|kind| kind.event.clone()).collect()
}

/// Returns whether a webhook has the events that are read, and no others.
fn has_events(known: &Webhook) -> bool {
    known.events.len() == KINDS.len() && KINDS.iter().all(|kind| known.events.contains(&kind.event))
}

/// Returns a client for the operations of the application.
fn client(application: &Application) -> Result<Client, Refusal> {
    let client = Client::builder()
        .http_client(application.http.clone())
        .base_url(application.base_url.as_deref().unwrap_or(API_URL))
        .application(&application.client_id, application.client_secret.expose())
        .retry(RetryPolicy::none())
        .max_response_bytes(MAX_RESPONSE_BYTES)
        .build()?;
    Ok(client)
}

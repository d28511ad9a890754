//! Subscriptions of the application to notices: one for each event of each kind of document.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_connect::{Application, Refusal};
use wearlab_kit_client::RetryPolicy;

use super::generated::client::Client;
use super::generated::models::{EventType, NewSubscription, Subscription, SubscriptionUpdate};
use super::notices::KINDS;
use super::settings::{API_URL, MAX_RESPONSE_BYTES};

/// Events of documents.
const EVENTS: [EventType; 3] = [EventType::Create, EventType::Update, EventType::Delete];
/// Time before its end at which a subscription is renewed. They last some 90 days.
const RENEWED_BEFORE: TimeDelta = TimeDelta::days(30);
/// Interval of the checks that all exist.
const INTERVAL: TimeDelta = TimeDelta::days(1);

/// Makes the missing subscriptions, moves those of another URL, renews those that end soon, and deletes those of this URL
/// that are not wanted. Others are left to their owner.
pub(super) async fn subscribe(application: &Application) -> Result<DateTime<Utc>, Refusal> {
    let client = client(application)?;
    application.permit().await;
    let mut known = client.list_subscriptions().send().await?.into_inner();
    for kind in KINDS {
        for event in EVENTS {
            let is_wanted = |one: &Subscription| one.data_type == kind.data_type && one.event_type == event;
            let found = known.iter().position(is_wanted).map(|at| known.swap_remove(at));
            match found {
                None => {
                    application.permit().await;
                    let (url, token) = (application.notices_url.expose(), application.verification_token.clone());
                    let new = NewSubscription::new(url, token, event, kind.data_type.clone());
                    client.create_subscription(new).send().await?;
                }
                Some(one) => keep(application, &client, one).await?,
            }
        }
    }
    for unwanted in known {
        if unwanted.callback_url == application.notices_url.expose() {
            application.permit().await;
            client.delete_subscription(unwanted.id).send().await?;
        }
    }
    Ok(application.now + INTERVAL)
}

/// Moves a subscription to the URL, and renews it in time.
async fn keep(application: &Application, client: &Client, known: Subscription) -> Result<(), Refusal> {
    if known.callback_url != application.notices_url.expose() {
        let mut update = SubscriptionUpdate::new(application.verification_token.clone());
        update.callback_url = Some(application.notices_url.expose().to_owned());
        application.permit().await;
        client.update_subscription(known.id, update).send().await?;
    }
    if known.expiration_time.to_utc() - application.now < RENEWED_BEFORE {
        application.permit().await;
        client.renew_subscription(known.id).send().await?;
    }
    Ok(())
}

/// Returns a client for the operations of the application.
fn client(application: &Application) -> Result<Client, Refusal> {
    let client = Client::builder()
        .http_client(application.http.clone())
        .base_url(application.base_url.as_deref().unwrap_or(API_URL))
        .client_id(&application.client_id)
        .client_secret(application.client_secret.expose())
        .retry(RetryPolicy::none())
        .max_response_bytes(MAX_RESPONSE_BYTES)
        .build()?;
    Ok(client)
}

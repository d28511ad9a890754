//! Subscription of the application to notices, of which there is one. It does not end.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_connect::{Application, Refusal};
use wearlab_kit_client::{Error, RetryPolicy};

use super::generated::client::Client;
use super::generated::models::NewSubscription;
use super::refusal::refusal;
use super::settings::{API_URL, MAX_RESPONSE_BYTES};

/// Interval of the checks that it exists.
const INTERVAL: TimeDelta = TimeDelta::days(1);

/// Makes the subscription. One of an earlier URL of the service is deleted before, since there cannot be two; one of another service
/// is left to its owner.
pub(super) async fn subscribe(application: &Application) -> Result<DateTime<Utc>, Refusal> {
    let Ok(client_id) = application.client_id.parse::<i64>() else {
        let reason = "the client id of an application of Strava is a number: correct connectors.strava.client_id";
        return Err(Refusal::Failed(reason.to_owned()));
    };
    let (secret, url) = (application.client_secret.expose(), application.notices_url.expose());
    let refused = |error: Error| refusal(error, application.now);
    let client = client(application)?;
    application.permit().await;
    let call = client.list_subscriptions(client_id, secret);
    for known in call.send().await.map_err(refused)?.into_inner() {
        if known.callback_url.as_deref() == Some(url) {
            return Ok(application.now + INTERVAL);
        }
        application.check_own(&known.id.to_string(), known.callback_url.as_deref())?;
        application.permit().await;
        let call = client.delete_subscription(known.id, client_id, secret);
        call.send().await.map_err(refused)?;
    }
    let token = application.verification_token.clone();
    let new = NewSubscription::new(client_id, application.client_secret.clone(), url, token);
    application.permit().await;
    client.create_subscription(new).send().await.map_err(refused)?;
    Ok(application.now + INTERVAL)
}

/// Returns a client without credentials: the operations have those of the application as parameters.
fn client(application: &Application) -> Result<Client, Refusal> {
    let client = Client::builder()
        .http_client(application.http.clone())
        .base_url(application.base_url.as_deref().unwrap_or(API_URL))
        .retry(RetryPolicy::none())
        .max_response_bytes(MAX_RESPONSE_BYTES)
        .build()?;
    Ok(client)
}

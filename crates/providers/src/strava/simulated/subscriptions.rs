//! Subscription of the application of the simulation, and the notices that it sends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::Utc;
use data_encoding::HEXLOWER;
use url::Url;
use uuid::Uuid;
use wearlab_kit_server::ApiError;

use super::super::generated::models::{
    ChallengeResponse, CreatedSubscription, Fault, FaultDetail, NewSubscription, Notice, Subscription,
};
use crate::simulated::notices::{client, hmac_sha256, send};

/// Subscription of the application.
#[derive(Debug, Default)]
pub struct Subscriptions(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    subscription: Option<Subscription>,
    /// Number of subscriptions so far.
    created: i64,
    /// True if notices have signatures, which not all applications get.
    is_signing: bool,
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self) -> Option<Subscription> {
        self.lock().subscription.clone()
    }

    pub(super) fn sign(&self, is_signing: bool) {
        self.lock().is_signing = is_signing;
    }

    /// Makes the subscription, once its URL has answered.
    pub(super) async fn create(&self, new: NewSubscription) -> Result<CreatedSubscription, ApiError> {
        if self.get().is_some() {
            return Err(refused(409, "PushSubscription", "already exists"));
        }
        check_url(&new).await?;
        let mut state = self.lock();
        state.created += 1;
        let now = Utc::now().fixed_offset();
        let id = 50 + state.created;
        state.subscription = Some(Subscription {
            id,
            callback_url: Some(new.callback_url),
            created_at: Some(now),
            updated_at: Some(now),
        });
        Ok(CreatedSubscription { id })
    }

    pub(super) fn delete(&self, id: i64) -> Result<(), ApiError> {
        let deleted = self.lock().subscription.take_if(|known| known.id == id);
        deleted
            .map(drop)
            .ok_or_else(|| refused(404, "PushSubscription", "not found"))
    }

    /// Sends a notice, once, and returns the status of the response. None without a subscription, or without a response.
    pub(super) async fn send(&self, notice: Notice, client_secret: &str) -> Option<u16> {
        let (subscription, is_signing) = {
            let state = self.lock();
            (state.subscription.clone()?, state.is_signing)
        };
        let notice = Notice {
            subscription_id: Some(subscription.id),
            ..notice
        };
        let body = serde_json::to_string(&notice).ok()?;
        let timestamp = Utc::now().timestamp().to_string();
        let signature = HEXLOWER.encode(&hmac_sha256(client_secret, &[&timestamp, ".", &body])?);
        let signature = [("x-strava-signature", format!("t={timestamp},v1={signature}"))];
        let headers = if is_signing { &signature[..] } else { &[] };
        send(&subscription.callback_url?, headers, body).await
    }
}

/// Calls a URL with a random challenge, which it must answer.
async fn check_url(new: &NewSubscription) -> Result<(), ApiError> {
    let challenge = Uuid::new_v4().simple().to_string();
    let refused = || refused(400, "PushSubscription", "GET to callback URL does not return 200");
    let mut url = Url::parse(&new.callback_url).map_err(|_| refused())?;
    url.query_pairs_mut()
        .append_pair("hub.mode", "subscribe")
        .append_pair("hub.challenge", &challenge)
        .append_pair("hub.verify_token", new.verify_token.expose());
    let response = client().ok_or_else(refused)?.get(url).send().await;
    let body = response.map_err(|_| refused())?.bytes().await.map_err(|_| refused())?;
    match serde_json::from_slice::<ChallengeResponse>(&body) {
        Ok(answer) if answer.hub_challenge == challenge => Ok(()),
        _ => Err(refused()),
    }
}

/// Returns an error of the API.
pub(super) fn refused(status: u16, resource: &str, code: &str) -> ApiError {
    let detail = FaultDetail {
        resource: Some(resource.to_owned()),
        field: None,
        code: Some(code.to_owned()),
    };
    let fault = Fault {
        message: Some("Bad Request".to_owned()),
        errors: vec![detail],
    };
    ApiError::with_body(status, "application/json", &fault)
}

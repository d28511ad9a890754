//! Subscriptions of the application of the simulation, and the notices that it sends.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{TimeDelta, Utc};
use data_encoding::HEXUPPER;
use url::Url;
use uuid::Uuid;
use wearlab_kit_server::ApiError;

use super::super::generated::models::{
    ChallengeResponse, DataType, EventType, NewSubscription, Notice, Subscription, SubscriptionUpdate,
};
use crate::simulated::notices::{client, hmac_sha256, send};

/// Lifetime of a subscription.
const LIFETIME: TimeDelta = TimeDelta::days(90);

/// Subscriptions by id.
#[derive(Debug, Default)]
pub struct Subscriptions(Mutex<BTreeMap<Uuid, Subscription>>);

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Uuid, Subscription>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn list(&self) -> Vec<Subscription> {
        self.lock().values().cloned().collect()
    }

    pub(super) fn get(&self, id: Uuid) -> Result<Subscription, ApiError> {
        self.lock().get(&id).cloned().ok_or_else(unknown)
    }

    /// Makes a subscription, once its URL has answered.
    pub(super) async fn create(&self, new: NewSubscription) -> Result<Subscription, ApiError> {
        let is_same = |one: &Subscription| one.event_type == new.event_type && one.data_type == new.data_type;
        if let Some(same) = self.lock().values().find(|one| is_same(one)) {
            let detail = "there is a subscription to this event of this kind of document";
            return Err(ApiError::conflict(detail, "subscription", Some(same.id.to_string())));
        }
        check_url(&new.callback_url, new.verification_token.expose()).await?;
        let made = Subscription {
            id: Uuid::new_v4(),
            callback_url: new.callback_url,
            event_type: new.event_type,
            data_type: new.data_type,
            expiration_time: (Utc::now() + LIFETIME).fixed_offset(),
        };
        self.lock().insert(made.id, made.clone());
        Ok(made)
    }

    /// Changes a subscription, once its URL has answered.
    pub(super) async fn update(&self, id: Uuid, update: SubscriptionUpdate) -> Result<Subscription, ApiError> {
        let known = self.get(id)?;
        let changed = Subscription {
            callback_url: update.callback_url.unwrap_or(known.callback_url),
            event_type: update.event_type.unwrap_or(known.event_type),
            data_type: update.data_type.unwrap_or(known.data_type),
            ..known
        };
        check_url(&changed.callback_url, update.verification_token.expose()).await?;
        self.lock().insert(id, changed.clone());
        Ok(changed)
    }

    pub(super) fn renew(&self, id: Uuid) -> Result<Subscription, ApiError> {
        self.end_in(id, LIFETIME)
    }

    /// Sets the end of a subscription.
    pub(super) fn end_in(&self, id: Uuid, time: TimeDelta) -> Result<Subscription, ApiError> {
        let mut all = self.lock();
        let known = all.get_mut(&id).ok_or_else(unknown)?;
        known.expiration_time = (Utc::now() + time).fixed_offset();
        Ok(known.clone())
    }

    pub(super) fn delete(&self, id: Uuid) -> Result<(), ApiError> {
        self.lock().remove(&id).map(drop).ok_or_else(unknown)
    }

    /// Sends a signed notice to the URL of its subscription, once, and returns the status of the response. None if nothing is
    /// subscribed to it, or the URL does not answer.
    pub(super) async fn send(&self, notice: &Notice, client_secret: &str) -> Option<u16> {
        let (event, kind) = (&notice.event_type, &notice.data_type);
        let url = self.url(event, kind)?;
        let body = serde_json::to_string(notice).ok()?;
        let timestamp = Utc::now().timestamp().to_string();
        // In digits of upper case.
        let signature = HEXUPPER.encode(&hmac_sha256(client_secret, &[&timestamp, &body])?);
        let headers = [("x-oura-timestamp", timestamp), ("x-oura-signature", signature)];
        send(&url, &headers, body).await
    }

    fn url(&self, event: &EventType, kind: &DataType) -> Option<String> {
        let all = self.lock();
        let found = all
            .values()
            .find(|one| one.event_type == *event && one.data_type == *kind)?;
        Some(found.callback_url.clone())
    }
}

/// Calls a URL with a random challenge, which it must answer.
async fn check_url(url: &str, verification_token: &str) -> Result<(), ApiError> {
    let challenge = Uuid::new_v4().simple().to_string();
    let refused = || ApiError::bad_request("the URL does not answer the challenge");
    let mut url = Url::parse(url).map_err(|_| refused())?;
    url.query_pairs_mut()
        .append_pair("verification_token", verification_token)
        .append_pair("challenge", &challenge);
    let response = client().ok_or_else(refused)?.get(url).send().await;
    let body = response.map_err(|_| refused())?.bytes().await.map_err(|_| refused())?;
    match serde_json::from_slice::<ChallengeResponse>(&body) {
        Ok(answer) if answer.challenge == challenge => Ok(()),
        _ => Err(refused()),
    }
}

fn unknown() -> ApiError {
    ApiError::forbidden("the application has no such subscription")
}

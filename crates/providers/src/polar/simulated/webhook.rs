//! Webhook of the application of the simulation, and the notices that it sends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::Utc;
use data_encoding::HEXLOWER;
use uuid::Uuid;
use wearlab_kit_server::ApiError;
use wearlab_models::Secret;

use super::super::generated::models::{EventType, NewWebhook, Notice, Webhook, WebhookUpdate, WebhookWithSecret};
use crate::simulated::notices::{hmac_sha256, send};

/// Webhook of the application.
#[derive(Debug, Default)]
pub struct Webhooks(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    webhook: Webhook,
    signature_secret: String,
}

impl Webhooks {
    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self) -> Option<Webhook> {
        self.lock().as_ref().map(|known| known.webhook.clone())
    }

    /// Makes the webhook, once its URL has answered.
    pub(super) async fn create(&self, new: NewWebhook) -> Result<WebhookWithSecret, ApiError> {
        if let Some(known) = self.get() {
            let detail = "the application has a webhook";
            return Err(ApiError::conflict(detail, "webhook", Some(known.id)));
        }
        ping(&new.url).await?;
        let webhook = Webhook {
            id: Uuid::new_v4().to_string(),
            events: new.events,
            url: Some(new.url),
            active: Some(true),
        };
        let signature_secret = Uuid::new_v4().to_string();
        let made = WebhookWithSecret {
            id: webhook.id.clone(),
            events: webhook.events.clone(),
            url: webhook.url.clone(),
            signature_secret_key: Secret::new(&*signature_secret),
        };
        *self.lock() = Some(Known {
            webhook,
            signature_secret,
        });
        Ok(made)
    }

    /// Changes the webhook. A URL must answer before.
    pub(super) async fn update(&self, id: &str, update: WebhookUpdate) -> Result<Webhook, ApiError> {
        if let Some(url) = &update.url {
            ping(url).await?;
        }
        self.change(id, |webhook| {
            webhook.url = update.url.or(webhook.url.take());
            webhook.events = update.events.unwrap_or(std::mem::take(&mut webhook.events));
        })
    }

    pub(super) fn delete(&self, id: &str) -> Result<(), ApiError> {
        let deleted = self.lock().take_if(|known| known.webhook.id == id);
        deleted.map(drop).ok_or_else(unknown)
    }

    /// Activates or deactivates the webhook. Returns whether there is one.
    pub(super) fn set_active(&self, is_active: bool) -> bool {
        let id = self.get().map(|webhook| webhook.id);
        id.is_some_and(|id| self.change(&id, |webhook| webhook.active = Some(is_active)).is_ok())
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Webhook)) -> Result<Webhook, ApiError> {
        let mut known = self.lock();
        let known = known.as_mut().filter(|known| known.webhook.id == id);
        let webhook = &mut known.ok_or_else(unknown)?.webhook;
        change(webhook);
        Ok(webhook.clone())
    }

    /// Sends a signed notice, once, and returns the status of the response. None if there is no response, or no active webhook with
    /// the event.
    pub(super) async fn send(&self, notice: &Notice) -> Option<u16> {
        let (url, secret) = {
            let known = self.lock();
            let known = known.as_ref()?;
            let is_sent = known.webhook.active == Some(true) && known.webhook.events.contains(&notice.event);
            let url = known.webhook.url.clone().filter(|_| is_sent)?;
            (url, known.signature_secret.clone())
        };
        let body = serde_json::to_string(notice).ok()?;
        let signature = HEXLOWER.encode(&hmac_sha256(&secret, &[&body])?);
        send(&url, &[("polar-webhook-signature", signature)], body).await
    }
}

/// Sends a `PING` to a URL, which must answer with 200.
async fn ping(url: &str) -> Result<(), ApiError> {
    let notice = Notice {
        event: EventType::Ping,
        user_id: None,
        timestamp: Some(Utc::now().fixed_offset()),
        url: None,
        entity_id: None,
        date: None,
        from: None,
        to: None,
    };
    let body = serde_json::to_string(&notice).map_err(|_| ApiError::bad_request("there is no PING"))?;
    match send(url, &[], body).await {
        Some(200) => Ok(()),
        _ => Err(ApiError::bad_request("the URL does not answer the PING")),
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("the application has no such webhook")
}

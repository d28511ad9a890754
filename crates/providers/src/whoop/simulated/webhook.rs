//! URL of the notices of the application, as its dashboard has it.

use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;

use super::super::generated::models::Notice;
use crate::simulated::notices::{hmac_sha256, send};

/// URL of the notices of the application. None if there is none.
#[derive(Debug, Default)]
pub struct Webhook(Mutex<Option<String>>);

impl Webhook {
    pub(super) fn set(&self, url: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = url;
    }

    /// Sends a notice, once, and returns the status of the response. None without a URL, or without a response.
    pub(super) async fn send(&self, notice: &Notice, client_secret: &str) -> Option<u16> {
        let url = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let body = serde_json::to_string(notice).ok()?;
        let timestamp = Utc::now().timestamp_millis().to_string();
        let signature = STANDARD.encode(hmac_sha256(client_secret, &[&timestamp, &body])?);
        let headers = [
            ("x-whoop-signature", signature),
            ("x-whoop-signature-timestamp", timestamp),
        ];
        send(&url, &headers, body).await
    }
}

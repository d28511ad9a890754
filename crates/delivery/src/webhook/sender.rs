//! Sends one event to one URL.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, Utc};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Url};
use thiserror::Error;
use tokio::time::Instant;

use super::response;
use super::settings::Settings;
use super::signer::Signer;
use crate::{Attempted, Message, Outcome, Reason, ResponseSummary, egress, http};

/// Sends webhooks to any number of endpoints. Copies share its connections.
#[derive(Clone)]
pub struct Sender {
    http: Client,
    settings: Arc<Settings>,
    now: fn() -> DateTime<Utc>,
}

/// Error of a sender.
#[derive(Debug, Error)]
#[error("webhooks cannot be sent: {0}; check the system's certificates and those in the setting `extra_roots`")]
pub struct SenderError(Reason);

impl From<reqwest::Error> for SenderError {
    fn from(error: reqwest::Error) -> Self {
        Self(Reason::cause("no TLS", &error))
    }
}

impl Sender {
    /// Returns a sender with an operator's settings. `now` is the clock.
    ///
    /// # Errors
    ///
    /// If no certificates can be read, the system's or those in the settings.
    pub fn new(settings: Settings, now: fn() -> DateTime<Utc>) -> Result<Self, SenderError> {
        let settings = Arc::new(settings);
        let http = client(&settings)?;
        Ok(Self { http, settings, now })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sends an event to an endpoint once. `failures` counts the attempts in a row without a response or with a server
    /// error.
    pub(super) async fn send(&self, url: &Url, signer: &Signer, failures: &AtomicU32, message: &Message) -> Attempted {
        let headers = match signer.headers(message, (self.now)()) {
            Ok(headers) => headers,
            Err(reason) => return Outcome::Refused { reason }.into(),
        };
        let request = self
            .http
            .post(url.clone())
            .headers(headers)
            .header(CONTENT_TYPE, "application/json")
            .body(message.payload.clone());
        let began = Instant::now();
        let sent = request.send().await;
        let duration = began.elapsed();
        match sent {
            Ok(response) => {
                let in_a_row = match response.status().is_server_error() {
                    true => failures.fetch_add(1, Ordering::Relaxed) + 1,
                    false => {
                        failures.store(0, Ordering::Relaxed);
                        0
                    }
                };
                let retry_after = response
                    .headers()
                    .get(RETRY_AFTER)
                    .and_then(|value| value.to_str().ok());
                let outcome = response::outcome(response.status(), retry_after, (self.now)(), in_a_row);
                let summary = ResponseSummary {
                    status: response.status().as_u16(),
                    content_type: http::media_type(&response),
                    content_length: http::body_length(response).await,
                };
                Attempted {
                    duration,
                    response: Some(summary),
                    ..outcome.into()
                }
            }
            Err(error) => {
                failures.fetch_add(1, Ordering::Relaxed);
                let outcome = Outcome::Unavailable {
                    reason: http::failure(&error, self.settings.timeout),
                    not_before: None,
                };
                Attempted {
                    duration,
                    ..outcome.into()
                }
            }
        }
    }
}

/// An HTTP client by the settings. It is for URLs that [were checked](Settings::check).
fn client(settings: &Settings) -> Result<Client, SenderError> {
    let http = egress::client(&settings.policy(), &settings.extra_roots)?
        .timeout(settings.timeout)
        // All connections in use are idle between two requests; none is closed for that.
        .pool_max_idle_per_host(settings.in_flight);
    Ok(http.build()?)
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

//! Access to the operator's application at a provider, for its subscriptions to notices.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use wearlab_models::Secret;

use crate::pace::Pace;

/// Access to the subscriptions of an application.
#[derive(Debug)]
pub struct Application {
    /// HTTP client, which connects only where the operator allows, and follows no redirects.
    pub http: reqwest::Client,
    /// Base URL of the API, in place of the provider's own.
    pub base_url: Option<String>,
    /// Id of the client.
    pub client_id: String,
    /// Secret of the client.
    pub client_secret: Secret,
    /// Limits of the client at the provider.
    pub pace: Arc<Pace>,
    /// URL of notices, whose path has a secret.
    pub notices_url: Secret,
    /// Token by which a check of the URL shows that it follows from a subscription of the service.
    pub verification_token: Secret,
    /// Time of the service.
    pub now: DateTime<Utc>,
}

impl Application {
    /// Waits until the limits of the client allow a request. Each request to the provider waits for it before.
    pub async fn permit(&self) {
        self.pace.permit().await;
    }
}

//! Writes to a webhook endpoint by a POST without a body, and test events.

use wearlab_models::{Uuid, WebhookTest};
use wearlab_server::{ApiError, Operation};
use wearlab_store::{OrganisationId, WebhookEndpoint as Stored};

use super::Service;
use super::auth::Caller;
use super::webhooks::Endpoint;
use super::write::Write;
use crate::administration::test_event::test_webhook;

impl Service {
    /// Changes an endpoint, and returns the content of the response.
    pub(super) async fn change_webhook<T: serde::Serialize + serde::de::DeserializeOwned>(
        &self,
        Post { write, endpoint }: Post,
        change: impl FnOnce(&mut Stored) -> Result<T, ApiError> + Send,
    ) -> Result<T, ApiError> {
        self.write(write, |transaction| {
            let (team, mut webhook) = endpoint.find(transaction)?;
            let response = change(&mut webhook)?;
            transaction.put_webhook(&webhook)?;
            Ok(endpoint.subject(team).wrote(response))
        })
        .await
    }

    /// Sends a test event to an endpoint.
    pub(super) async fn send_test_webhook(&self, webhook: &Stored) -> Result<WebhookTest, ApiError> {
        let kinds = self.kinds()?;
        Ok(match test_webhook(&kinds.webhooks, webhook, (self.now)()).await {
            Ok(result) => WebhookTest::builder()
                .delivered(result.failure.is_none())
                .duration_ms(i64::try_from(result.duration.as_millis()).unwrap_or(i64::MAX))
                .maybe_status(result.status.map(i64::from))
                .maybe_reason(result.failure)
                .build(),
            Err(error) => WebhookTest::builder()
                .delivered(false)
                .duration_ms(0)
                .reason(error.to_string())
                .build(),
        })
    }
}

/// POST without a body, about an endpoint.
pub(super) struct Post {
    pub(super) write: Write,
    pub(super) endpoint: Endpoint,
}

impl Post {
    pub(super) fn new(
        operation: &Operation,
        caller: Caller<OrganisationId>,
        about: (String, Uuid, String),
        idempotency_key: Option<&str>,
    ) -> Result<Self, ApiError> {
        let write = Write::new(operation, &caller).repeatable(idempotency_key, &about)?;
        let (org_id, team_id, webhook_id) = about;
        let endpoint = Endpoint::of(caller, &org_id, team_id, webhook_id)?;
        Ok(Self { write, endpoint })
    }
}

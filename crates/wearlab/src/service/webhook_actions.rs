//! What is done to an endpoint of webhooks by a POST without a body: its secret is rotated, it is enabled, it is tested.

use wearlab_models::{RotatedSecret, Uuid, WebhookEndpoint, WebhookTest};
use wearlab_server::operations::{ENABLE_WEBHOOK, ROTATE_WEBHOOK_SECRET, TEST_WEBHOOK};
use wearlab_server::{ApiError, ApiResult, EnableWebhookInput, Operation, RotateWebhookSecretInput, TestWebhookInput};
use wearlab_store::{OrganisationId, WebhookEndpoint as Stored};

use super::Service;
use super::auth::Caller;
use super::webhooks::{Endpoint, shown};
use super::write::{Write, WriteError, invalid};
use crate::administration::test_event::test_webhook;
use crate::administration::webhooks::{fresh_secret, rotate};
use crate::http;

impl Service {
    pub(super) async fn rotate_secret(
        &self,
        caller: Caller<OrganisationId>,
        input: RotateWebhookSecretInput,
    ) -> ApiResult<RotatedSecret> {
        let about = (input.org_id, input.team_id, input.webhook_id);
        let post = Post::new(&ROTATE_WEBHOOK_SECRET, caller, about, input.idempotency_key.as_deref())?;
        let (now, fresh) = ((self.now)(), fresh_secret());
        let rotated = self.change(post, |webhook| {
            let until = rotate(webhook, fresh.clone(), now).fixed_offset();
            Ok(RotatedSecret::builder()
                .secret(fresh.secret)
                .earlier_until(until)
                .build())
        });
        Ok(rotated.await?.into())
    }

    pub(super) async fn enable(
        &self,
        caller: Caller<OrganisationId>,
        input: EnableWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        let about = (input.org_id, input.team_id, input.webhook_id);
        let post = Post::new(&ENABLE_WEBHOOK, caller, about, input.idempotency_key.as_deref())?;
        let enabled = self.change(post, |webhook| {
            // With a URL that is not allowed, it would be disabled again at once.
            self.webhooks.check(&webhook.url).map_err(|error| {
                let message = format!("is of an endpoint whose URL cannot be used: {error}");
                invalid("/path/webhook_id", "invalid", &message)
            })?;
            webhook.disabled = None;
            Ok(shown(webhook))
        });
        Ok(enabled.await?.into())
    }

    /// Changes an endpoint, and returns what the response is made of.
    async fn change<T: serde::Serialize + serde::de::DeserializeOwned>(
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

    pub(super) async fn try_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: TestWebhookInput,
    ) -> ApiResult<WebhookTest> {
        let about = (input.org_id, input.team_id, input.webhook_id);
        let Post { write, endpoint } = Post::new(&TEST_WEBHOOK, caller, about, input.idempotency_key.as_deref())?;
        if let Some(kept) = self.kept::<WebhookTest>(&write).await? {
            return Ok(kept.into());
        }
        let webhook = self.stored_webhook(&endpoint).await?;
        let _place = self.outbound_waits.take(endpoint.organisation())?;
        // Neither a transaction nor a turn waits for another machine. Two repeats at the same time both send, and have one
        // response.
        let tested = http::after(self.send_test(&webhook), async |tested| {
            let tested = tested?;
            self.write(write, |transaction| {
                let (team, _) = endpoint.find(transaction)?;
                Ok::<_, WriteError>(endpoint.subject(team).wrote(tested))
            })
            .await
        });
        Ok(tested.await?.into())
    }

    async fn send_test(&self, webhook: &Stored) -> Result<WebhookTest, ApiError> {
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

/// A POST without a body, about an endpoint.
struct Post {
    write: Write,
    endpoint: Endpoint,
}

impl Post {
    fn new(
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

//! Endpoints of webhooks: reads, writes, activation and tests.

use wearlab_models::{
    CreateWebhookHeaders, CreatedWebhookEndpoint, RotatedSecret, WebhookEndpoint, WebhookEndpointList, WebhookTest,
};
use wearlab_server::operations::{
    CREATE_WEBHOOK, DELETE_WEBHOOK, ENABLE_WEBHOOK, ROTATE_WEBHOOK_SECRET, TEST_WEBHOOK, UPDATE_WEBHOOK,
};
use wearlab_server::{
    ApiError, ApiResult, CreateWebhookInput, DeleteWebhookInput, EnableWebhookInput, GetWebhookInput,
    ListWebhooksInput, Reply, RotateWebhookSecretInput, TestWebhookInput, UpdateWebhookInput, WebhookEndpointsApi,
};
use wearlab_store::OrganisationId;

use super::auth::Caller;
use super::cursor::Listing;
use super::managed::{location, managed_team, no_team, organisation};
use super::webhook_actions::Post;
use super::webhooks::{Endpoint, created, shown};
use super::write::{Subject, Write, WriteError, invalid};
use super::{Opened, Service, store_error};
use crate::administration::webhooks::{fresh_secret, new_webhook, put_new, rotate};

impl WebhookEndpointsApi for Service {
    async fn list_webhooks(
        &self,
        caller: Caller<OrganisationId>,
        input: ListWebhooksInput,
    ) -> ApiResult<WebhookEndpointList> {
        let team = self.team_of(&caller.owner(), &input.org_id, input.team_id).await?;
        let listing = Listing::new("webhooks", team.uuid());
        let Opened { store, cursors, .. } = self.opened()?;
        let after: Option<String> = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.team(team).webhooks(after.as_deref(), limit).await;
        let page = page.map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        Ok(WebhookEndpointList::builder()
            .webhooks(page.webhooks.iter().map(shown).collect())
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    async fn create_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: CreateWebhookInput,
    ) -> Result<(Reply<CreatedWebhookEndpoint>, CreateWebhookHeaders), ApiError> {
        let request = (&input.org_id, input.team_id, &input.body);
        let write = Write::new(&CREATE_WEBHOOK, &caller).repeatable(input.idempotency_key.as_deref(), &request)?;
        let organisation = organisation(caller, &input.org_id)?;
        let (url, prefixes) = (input.body.url, input.body.event_type_prefixes.unwrap_or_default());
        self.check_webhook(Some(&url), &prefixes)?;
        let webhook = new_webhook(input.team_id, url.expose(), prefixes, (self.now)());
        let created: CreatedWebhookEndpoint = self
            .write(write, |transaction| {
                let team = managed_team(transaction, &organisation, input.team_id)?.ok_or_else(no_team)?;
                put_new(transaction, &webhook)?;
                Ok(Subject::Team(team, webhook.webhook_id.clone()).wrote(created(webhook)?))
            })
            .await?;
        let team_id = input.team_id.to_string();
        let location = location(&organisation, &["teams", &team_id, "webhooks", &created.webhook_id]);
        let headers = CreateWebhookHeaders::builder().location(location).build();
        Ok((created.into(), headers))
    }

    async fn get_webhook(&self, caller: Caller<OrganisationId>, input: GetWebhookInput) -> ApiResult<WebhookEndpoint> {
        let endpoint = Endpoint::of(caller, &input.org_id, input.team_id, input.webhook_id)?;
        let stored = self.stored_webhook(&endpoint).await?;
        Ok(Reply::versioned(shown(&stored), self.version(&stored)?))
    }

    async fn update_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: UpdateWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        let write = Write::new(&UPDATE_WEBHOOK, &caller);
        let endpoint = Endpoint::of(caller, &input.org_id, input.team_id, input.webhook_id)?;
        let (url, prefixes) = (input.body.url, input.body.event_type_prefixes);
        let changed: WebhookEndpoint = self
            .write(write, |transaction| {
                let (team, mut webhook) = endpoint.find(transaction)?;
                let current = shown(&webhook);
                self.check_version(input.if_match.as_deref(), &current, &webhook)?;
                let url = url.filter(|url| url.expose() != current.url);
                self.check_webhook(url.as_ref(), prefixes.as_deref().unwrap_or_default())?;
                if let Some(url) = url {
                    url.expose().clone_into(&mut webhook.url);
                }
                webhook.event_type_prefixes = prefixes.unwrap_or(webhook.event_type_prefixes);
                transaction.put_webhook(&webhook)?;
                Ok(endpoint.subject(team).wrote(shown(&webhook)))
            })
            .await?;
        Ok(changed.into())
    }

    async fn delete_webhook(&self, caller: Caller<OrganisationId>, input: DeleteWebhookInput) -> Result<(), ApiError> {
        let write = Write::new(&DELETE_WEBHOOK, &caller);
        let endpoint = Endpoint::of(caller, &input.org_id, input.team_id, input.webhook_id)?;
        self.write(write, |transaction| {
            let (team, webhook) = endpoint.find(transaction)?;
            self.check_version(input.if_match.as_deref(), &shown(&webhook), &webhook)?;
            transaction.delete_webhook(&webhook.webhook_id)?;
            Ok(endpoint.subject(team).wrote(()))
        })
        .await
    }

    async fn rotate_webhook_secret(
        &self,
        caller: Caller<OrganisationId>,
        input: RotateWebhookSecretInput,
    ) -> ApiResult<RotatedSecret> {
        let about = (input.org_id, input.team_id, input.webhook_id);
        let post = Post::new(&ROTATE_WEBHOOK_SECRET, caller, about, input.idempotency_key.as_deref())?;
        let (now, fresh) = ((self.now)(), fresh_secret());
        let rotated = self.change_webhook(post, |webhook| {
            let until = rotate(webhook, fresh.clone(), now).fixed_offset();
            Ok(RotatedSecret::builder()
                .secret(fresh.secret)
                .earlier_until(until)
                .build())
        });
        Ok(rotated.await?.into())
    }

    async fn enable_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: EnableWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        let about = (input.org_id, input.team_id, input.webhook_id);
        let post = Post::new(&ENABLE_WEBHOOK, caller, about, input.idempotency_key.as_deref())?;
        let enabled = self.change_webhook(post, |webhook| {
            // An endpoint whose URL is not allowed would be disabled again immediately.
            self.webhooks.check(&webhook.url).map_err(|error| {
                let message = format!("is of an endpoint whose URL cannot be used: {error}");
                invalid("/path/webhook_id", "invalid", &message)
            })?;
            webhook.disabled = None;
            Ok(shown(webhook))
        });
        Ok(enabled.await?.into())
    }

    async fn test_webhook(&self, caller: Caller<OrganisationId>, input: TestWebhookInput) -> ApiResult<WebhookTest> {
        let about = (input.org_id, input.team_id, input.webhook_id);
        let Post { write, endpoint } = Post::new(&TEST_WEBHOOK, caller, about, input.idempotency_key.as_deref())?;
        if let Some(kept) = self.kept::<WebhookTest>(&write).await? {
            return Ok(kept.into());
        }
        let webhook = self.stored_webhook(&endpoint).await?;
        let _place = self.outbound_waits.take(endpoint.organisation())?;
        // No transaction is open and no permit of a request is held while another machine responds. Two concurrent
        // repeats both send, and have one response.
        let tested = wearlab_http::after(self.send_test_webhook(&webhook), async |tested| {
            let tested = tested?;
            self.write(write, |transaction| {
                let (team, _) = endpoint.find(transaction)?;
                Ok::<_, WriteError>(endpoint.subject(team).wrote(tested))
            })
            .await
        });
        Ok(tested.await?.into())
    }
}

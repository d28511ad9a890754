//! The endpoints that webhooks of teams are sent to.

use std::time::Instant;

use serde_json::json;
use wearlab_delivery::Destination;
use wearlab_delivery::webhook::{Sender, Webhook, masked};
use wearlab_models::{
    CreateWebhookHeaders, CreatedWebhookEndpoint, Encoded, RotatedSecret, Violation, WebhookEndpoint,
    WebhookEndpointList, WebhookTest,
};
use wearlab_server::operations::{
    CREATE_WEBHOOK, DELETE_WEBHOOK, ENABLE_WEBHOOK, ROTATE_WEBHOOK_SECRET, TEST_WEBHOOK, UPDATE_WEBHOOK,
};
use wearlab_server::{
    ApiError, ApiResult, CreateWebhookInput, DeleteWebhookInput, EnableWebhookInput, GetWebhookInput,
    ListWebhooksInput, Operation, Reply, RotateWebhookSecretInput, TestWebhookInput, UpdateWebhookInput,
};
use wearlab_store::{OrganisationId, TeamId, Transaction, WebhookEndpoint as Stored};

use super::auth::Caller;
use super::managed::{location, managed_team, no_team, organisation, refused};
use super::write::{Subject, Write, WriteError, check_precondition};
use super::{Service, store_error};
use crate::administration::test_event::{failure, message};
use crate::administration::webhooks::{check_prefix, fresh_secret, new_webhook, put_new, rotate};

/// What stands for a path in reads.
const MASK: &str = "****";

impl Service {
    pub(super) async fn webhooks(
        &self,
        caller: Caller<OrganisationId>,
        input: ListWebhooksInput,
    ) -> ApiResult<WebhookEndpointList> {
        let organisation = organisation(caller, &input.org_id)?;
        let webhooks = self.webhooks_of(&organisation, input.team_id).await?;
        let webhooks = webhooks.iter().map(shown).collect();
        Ok(WebhookEndpointList::builder().webhooks(webhooks).build().into())
    }

    pub(super) async fn webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: GetWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        let organisation = organisation(caller, &input.org_id)?;
        let webhooks = self.webhooks_of(&organisation, input.team_id).await?;
        let found = webhooks.iter().find(|webhook| webhook.webhook_id == input.webhook_id);
        Ok(shown(found.ok_or_else(no_webhook)?).into())
    }

    async fn webhooks_of(&self, organisation: &OrganisationId, team_id: uuid::Uuid) -> Result<Vec<Stored>, ApiError> {
        let store = self.store()?;
        let team = store.team_of(organisation, team_id).await.map_err(store_error)?;
        let team = team.ok_or_else(no_team)?;
        store.team(team).webhooks().await.map_err(store_error)
    }

    pub(super) async fn new_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: CreateWebhookInput,
    ) -> Result<(Reply<CreatedWebhookEndpoint>, CreateWebhookHeaders), ApiError> {
        let request = (&input.org_id, input.team_id, &input.body);
        let write = Write::new(&CREATE_WEBHOOK, &caller).repeatable(input.idempotency_key.as_deref(), &request)?;
        let organisation = organisation(caller, &input.org_id)?;
        let body = input.body;
        self.check(Some(&body.url), &body.event_type_prefixes)?;
        let webhook = new_webhook(input.team_id, body.url, body.event_type_prefixes, (self.now)());
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

    pub(super) async fn change_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: UpdateWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        let write = Write::new(&UPDATE_WEBHOOK, &caller);
        let organisation = organisation(caller, &input.org_id)?;
        let changes = input.body;
        let prefixes = changes.event_type_prefixes.as_deref().unwrap_or_default();
        self.check(None, prefixes)?;
        let changed: WebhookEndpoint = self
            .write(write, |transaction| {
                let (team, mut webhook) = find(transaction, &organisation, input.team_id, &input.webhook_id)?;
                let current = Encoded::encode(&shown(&webhook)).map_err(ApiError::internal)?;
                check_precondition(input.if_match.as_deref(), &current)?;
                if let Some(url) = changes.url.filter(|url| *url != masked(&webhook.url)) {
                    self.check(Some(&url), &[])?;
                    webhook.url = url;
                }
                webhook.event_type_prefixes = changes.event_type_prefixes.unwrap_or(webhook.event_type_prefixes);
                transaction.put_webhook(&webhook)?;
                Ok(Subject::Team(team, input.webhook_id).wrote(shown(&webhook)))
            })
            .await?;
        Ok(changed.into())
    }

    pub(super) async fn remove_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: DeleteWebhookInput,
    ) -> Result<(), ApiError> {
        let write = Write::new(&DELETE_WEBHOOK, &caller);
        let organisation = organisation(caller, &input.org_id)?;
        self.write(write, |transaction| {
            let (team, webhook) = find(transaction, &organisation, input.team_id, &input.webhook_id)?;
            let current = Encoded::encode(&shown(&webhook)).map_err(ApiError::internal)?;
            check_precondition(input.if_match.as_deref(), &current)?;
            transaction.delete_webhook(&input.webhook_id)?;
            Ok(Subject::Team(team, input.webhook_id).wrote(()))
        })
        .await
    }

    pub(super) async fn rotate_secret(
        &self,
        caller: Caller<OrganisationId>,
        input: RotateWebhookSecretInput,
    ) -> ApiResult<RotatedSecret> {
        let write = posted(
            &ROTATE_WEBHOOK_SECRET,
            &caller,
            (&input.org_id, input.team_id, &input.webhook_id),
            input.idempotency_key.as_deref(),
        )?;
        let organisation = organisation(caller, &input.org_id)?;
        let (now, fresh) = ((self.now)(), fresh_secret());
        let rotated: RotatedSecret = self
            .write(write, |transaction| {
                let (team, mut webhook) = find(transaction, &organisation, input.team_id, &input.webhook_id)?;
                let until = rotate(&mut webhook, fresh.clone(), now);
                transaction.put_webhook(&webhook)?;
                let rotated = RotatedSecret::builder().secret(fresh.secret);
                let rotated = rotated.earlier_until(until.fixed_offset()).build();
                Ok(Subject::Team(team, input.webhook_id).wrote(rotated))
            })
            .await?;
        Ok(rotated.into())
    }

    pub(super) async fn enable(
        &self,
        caller: Caller<OrganisationId>,
        input: EnableWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        let write = posted(
            &ENABLE_WEBHOOK,
            &caller,
            (&input.org_id, input.team_id, &input.webhook_id),
            input.idempotency_key.as_deref(),
        )?;
        let organisation = organisation(caller, &input.org_id)?;
        let enabled: WebhookEndpoint = self
            .write(write, |transaction| {
                let (team, mut webhook) = find(transaction, &organisation, input.team_id, &input.webhook_id)?;
                webhook.disabled = None;
                transaction.put_webhook(&webhook)?;
                Ok(Subject::Team(team, input.webhook_id).wrote(shown(&webhook)))
            })
            .await?;
        Ok(enabled.into())
    }

    pub(super) async fn try_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: TestWebhookInput,
    ) -> ApiResult<WebhookTest> {
        let write = posted(
            &TEST_WEBHOOK,
            &caller,
            (&input.org_id, input.team_id, &input.webhook_id),
            input.idempotency_key.as_deref(),
        )?;
        let organisation = organisation(caller, &input.org_id)?;
        // Nothing is sent within a transaction.
        if let Some(kept) = self.kept::<WebhookTest>(&write).await? {
            return Ok(kept.into());
        }
        let webhooks = self.webhooks_of(&organisation, input.team_id).await?;
        let found = webhooks.iter().find(|webhook| webhook.webhook_id == input.webhook_id);
        let tested = self.send_test(found.ok_or_else(no_webhook)?).await?;
        let tested: WebhookTest = self
            .write(write, |transaction| {
                let (team, _) = find(transaction, &organisation, input.team_id, &input.webhook_id)?;
                Ok(Subject::Team(team, input.webhook_id).wrote(tested))
            })
            .await?;
        Ok(tested.into())
    }

    async fn send_test(&self, webhook: &Stored) -> Result<WebhookTest, ApiError> {
        let now = (self.now)();
        let result = |delivered, began: Instant, reason: Option<String>| {
            let took = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
            WebhookTest::builder()
                .delivered(delivered)
                .duration_ms(took)
                .maybe_reason(reason)
                .build()
        };
        let began = Instant::now();
        let sender = Sender::new(self.webhooks.clone(), self.now).map_err(ApiError::internal)?;
        let destination = match Webhook::of_endpoint(&sender, webhook, now) {
            Ok(destination) => destination,
            Err(error) => return Ok(result(false, began, Some(error.to_string()))),
        };
        let data = json!({"webhook_id": webhook.webhook_id});
        let message = message("webhook.test", webhook.team_id, &data, now);
        let mut reason = None;
        for checked in destination.check(&message).await {
            reason = reason.or(failure(checked.outcome));
        }
        Ok(result(reason.is_none(), began, reason))
    }

    /// Everything that is wrong with a URL and with the beginnings of event types.
    fn check(&self, url: Option<&str>, prefixes: &[String]) -> Result<(), ApiError> {
        // A mask of another URL than the stored one would be taken for a path.
        if url.is_some_and(|url| url.contains(MASK)) {
            return Err(refused(
                "url",
                "invalid",
                "has a mask, and is not the stored URL as reads show it",
            ));
        }
        if let Some(Err(error)) = url.map(|url| self.webhooks.check(url)) {
            return Err(refused("url", "invalid", &error.to_string()));
        }
        let wrong = prefixes.iter().enumerate().filter_map(|(index, prefix)| {
            let message = check_prefix(prefix).err()?;
            let violation = Violation::builder().location(format!("/body/event_type_prefixes/{index}"));
            Some(violation.code("invalid").message(message).build())
        });
        let wrong: Vec<_> = wrong.collect();
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(ApiError::invalid(wrong)),
        }
    }
}

/// A write without a body, about an endpoint.
fn posted(
    operation: &Operation,
    caller: &Caller<OrganisationId>,
    about: (&str, uuid::Uuid, &str),
    key: Option<&str>,
) -> Result<Write, ApiError> {
    Write::new(operation, caller).repeatable(key, &about)
}

/// An endpoint of a team of an organisation.
fn find(
    transaction: &Transaction<'_>,
    organisation: &OrganisationId,
    team_id: uuid::Uuid,
    id: &str,
) -> Result<(TeamId, Stored), WriteError> {
    let team = managed_team(transaction, organisation, team_id)?.ok_or_else(no_team)?;
    let found = transaction.webhook(id)?.filter(|webhook| webhook.team_id == team_id);
    Ok((team, found.ok_or_else(no_webhook)?))
}

fn no_webhook() -> ApiError {
    ApiError::not_found("No such webhook endpoint.")
}

fn shown(webhook: &Stored) -> WebhookEndpoint {
    WebhookEndpoint::builder()
        .webhook_id(&webhook.webhook_id)
        .team_id(webhook.team_id)
        .url(masked(&webhook.url))
        .event_type_prefixes(webhook.event_type_prefixes.clone())
        .created_on(webhook.created_on.fixed_offset())
        .maybe_disabled(webhook.disabled.clone())
        .build()
}

fn created(webhook: Stored) -> Result<CreatedWebhookEndpoint, ApiError> {
    let secret = webhook.secrets.into_iter().next();
    let secret = secret.ok_or_else(|| ApiError::internal("a new webhook without its secret"))?;
    Ok(CreatedWebhookEndpoint::builder()
        .webhook_id(webhook.webhook_id)
        .team_id(webhook.team_id)
        .url(webhook.url)
        .event_type_prefixes(webhook.event_type_prefixes)
        .created_on(webhook.created_on.fixed_offset())
        .secret(secret.secret)
        .build())
}

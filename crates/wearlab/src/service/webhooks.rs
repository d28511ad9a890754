//! The endpoints that webhooks of teams are sent to: read, created, changed and deleted.

use wearlab_delivery::webhook::{is_masked, masked};
use wearlab_models::{
    CreateWebhookHeaders, CreatedWebhookEndpoint, Secret, Uuid, Violation, WebhookEndpoint, WebhookEndpointList,
};
use wearlab_server::operations::{CREATE_WEBHOOK, DELETE_WEBHOOK, UPDATE_WEBHOOK};
use wearlab_server::{
    ApiError, ApiResult, CreateWebhookInput, DeleteWebhookInput, GetWebhookInput, ListWebhooksInput, Reply,
    UpdateWebhookInput,
};
use wearlab_store::{OrganisationId, TeamId, Transaction, WebhookEndpoint as Stored};

use super::auth::Caller;
use super::cursor::Listing;
use super::managed::{location, managed_team, no_team, organisation};
use super::write::{Subject, Write, WriteError};
use super::{Opened, Service, store_error};
use crate::administration::webhooks::{check_prefix, new_webhook, put_new};

impl Service {
    pub(super) async fn webhooks(
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

    pub(super) async fn webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: GetWebhookInput,
    ) -> ApiResult<WebhookEndpoint> {
        let endpoint = Endpoint::of(caller, &input.org_id, input.team_id, input.webhook_id)?;
        let stored = self.stored_webhook(&endpoint).await?;
        Ok(Reply::versioned(shown(&stored), self.version(&stored)?))
    }

    /// An endpoint as it is stored.
    pub(super) async fn stored_webhook(&self, endpoint: &Endpoint) -> Result<Stored, ApiError> {
        let organisation = &endpoint.organisation;
        let team = self
            .team_of(organisation, organisation.as_str(), endpoint.team_id)
            .await?;
        let found = self.store()?.team(team).webhook(&endpoint.webhook_id).await;
        found.map_err(store_error)?.ok_or_else(no_webhook)
    }

    pub(super) async fn new_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: CreateWebhookInput,
    ) -> Result<(Reply<CreatedWebhookEndpoint>, CreateWebhookHeaders), ApiError> {
        let request = (&input.org_id, input.team_id, &input.body);
        let write = Write::new(&CREATE_WEBHOOK, &caller).repeatable(input.idempotency_key.as_deref(), &request)?;
        let organisation = organisation(caller, &input.org_id)?;
        let (url, prefixes) = (input.body.url, input.body.event_type_prefixes.unwrap_or_default());
        self.check(Some(&url), &prefixes)?;
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

    pub(super) async fn change_webhook(
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
                self.check(url.as_ref(), prefixes.as_deref().unwrap_or_default())?;
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

    pub(super) async fn remove_webhook(
        &self,
        caller: Caller<OrganisationId>,
        input: DeleteWebhookInput,
    ) -> Result<(), ApiError> {
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

    /// Fails with everything that is wrong with a URL and with the beginnings of event types.
    fn check(&self, url: Option<&Secret>, prefixes: &[String]) -> Result<(), ApiError> {
        let wrong = |field: String, message: String| {
            let violation = Violation::builder().location(format!("/body/{field}")).code("invalid");
            violation.message(message).build()
        };
        let mut violations = Vec::new();
        if let Some(Err(reason)) = url.map(|url| self.check_url(url.expose())) {
            violations.push(wrong("url".to_owned(), reason));
        }
        violations.extend(prefixes.iter().enumerate().filter_map(|(index, prefix)| {
            let reason = check_prefix(prefix).err()?;
            Some(wrong(format!("event_type_prefixes/{index}"), reason.to_owned()))
        }));
        match violations.is_empty() {
            true => Ok(()),
            false => Err(ApiError::invalid(violations)),
        }
    }

    fn check_url(&self, url: &str) -> Result<(), String> {
        // A mask of another URL than the stored one would be taken for a path.
        if is_masked(url) {
            return Err("has a mask, and is not the stored URL as reads show it".to_owned());
        }
        self.webhooks.check(url).map(drop).map_err(|error| error.to_string())
    }
}

/// The endpoint that a path names, of the organisation of the key.
pub(super) struct Endpoint {
    organisation: OrganisationId,
    team_id: Uuid,
    webhook_id: String,
}

impl Endpoint {
    /// # Errors
    ///
    /// 404 for another organisation.
    pub(super) fn of(
        caller: Caller<OrganisationId>,
        org_id: &str,
        team_id: Uuid,
        webhook_id: String,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            organisation: organisation(caller, org_id)?,
            team_id,
            webhook_id,
        })
    }

    /// The organisation of the caller.
    pub(super) fn organisation(&self) -> &OrganisationId {
        &self.organisation
    }

    /// The endpoint and its team, within a write.
    pub(super) fn find(&self, transaction: &Transaction<'_>) -> Result<(TeamId, Stored), WriteError> {
        let team = managed_team(transaction, &self.organisation, self.team_id)?.ok_or_else(no_team)?;
        let found = transaction.team_webhook(team, &self.webhook_id)?;
        Ok((team, found.ok_or_else(no_webhook)?))
    }

    /// The endpoint, for the audit log.
    pub(super) fn subject(self, team: TeamId) -> Subject {
        Subject::Team(team, self.webhook_id)
    }
}

fn no_webhook() -> ApiError {
    ApiError::not_found("No such webhook endpoint.")
}

/// An endpoint as reads return it.
pub(super) fn shown(webhook: &Stored) -> WebhookEndpoint {
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
        .url(masked(&webhook.url))
        .event_type_prefixes(webhook.event_type_prefixes)
        .created_on(webhook.created_on.fixed_offset())
        .secret(secret.secret)
        .build())
}

//! Stored webhook endpoints: lookup, checks, and the form in responses.

use wearlab_delivery::webhook::{is_masked, masked};
use wearlab_models::{CreatedWebhookEndpoint, Secret, Uuid, Violation, WebhookEndpoint};
use wearlab_server::ApiError;
use wearlab_store::{OrganisationId, TeamId, Transaction, WebhookEndpoint as Stored};

use super::auth::Caller;
use super::managed::{managed_team, no_team, organisation};
use super::write::{Subject, WriteError};
use super::{Service, store_error};
use crate::administration::webhooks::check_prefix;

impl Service {
    /// Finds a stored endpoint.
    pub(super) async fn stored_webhook(&self, endpoint: &Endpoint) -> Result<Stored, ApiError> {
        let organisation = &endpoint.organisation;
        let team = self
            .team_of(organisation, organisation.as_str(), endpoint.team_id)
            .await?;
        let found = self.store()?.team(team).webhook(&endpoint.webhook_id).await;
        found.map_err(store_error)?.ok_or_else(no_webhook)
    }

    /// Fails with all violations of a URL and of prefixes of event types.
    pub(super) fn check_webhook(&self, url: Option<&Secret>, prefixes: &[String]) -> Result<(), ApiError> {
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
        // A mask of another URL than the stored one would be treated as a path.
        if is_masked(url) {
            return Err("has a mask, and is not the stored URL as reads show it".to_owned());
        }
        self.webhooks.check(url).map(drop).map_err(|error| error.to_string())
    }
}

/// Endpoint of a path, in the organisation of the key.
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

    /// Returns the organisation of the caller.
    pub(super) fn organisation(&self) -> &OrganisationId {
        &self.organisation
    }

    /// Finds the endpoint and its team, within a write.
    pub(super) fn find(&self, transaction: &Transaction<'_>) -> Result<(TeamId, Stored), WriteError> {
        let team = managed_team(transaction, &self.organisation, self.team_id)?.ok_or_else(no_team)?;
        let found = transaction.team_webhook(team, &self.webhook_id)?;
        Ok((team, found.ok_or_else(no_webhook)?))
    }

    /// Returns the endpoint as a subject of the audit log.
    pub(super) fn subject(self, team: TeamId) -> Subject {
        Subject::Team(team, self.webhook_id)
    }
}

fn no_webhook() -> ApiError {
    ApiError::not_found("No such webhook endpoint.")
}

/// Converts an endpoint for a response.
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

/// Converts a new endpoint, with its secret.
pub(super) fn created(webhook: Stored) -> Result<CreatedWebhookEndpoint, ApiError> {
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

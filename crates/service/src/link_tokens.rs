//! Options, lifetime and teams of link tokens.

use chrono::TimeDelta;
use wearlab_models::{LinkOutcomeAction, LinkTokenInfo, LinkTokenInput};
use wearlab_server::ApiError;
use wearlab_store::{LinkOptions, LinkTokenOwner, OrganisationId, TeamId, Transaction};

use super::places::Place;
use super::write::{WriteError, invalid};
use super::{Service, no_team, store_error};

/// Lifetime of a link token.
pub(super) const LIFETIME: TimeDelta = TimeDelta::minutes(60);

impl Service {
    /// Takes a permit for a user who comes back from a provider, from those of the link token's organisation. None for
    /// an unknown state, which makes no outgoing request.
    pub async fn place_of_callback(&self, state: Option<&str>) -> Result<Option<Place>, ApiError> {
        let Some(state) = state else { return Ok(None) };
        let organisation = self.store()?.organisation_of_state(state).await.map_err(store_error)?;
        organisation
            .map(|organisation| self.outbound_waits.take(&organisation))
            .transpose()
    }

    /// Returns a team of the organisation of a key.
    pub(super) async fn team_of(
        &self,
        organisation: &OrganisationId,
        org_id: &str,
        team_id: uuid::Uuid,
    ) -> Result<TeamId, ApiError> {
        if organisation.as_str() != org_id {
            return Err(no_team());
        }
        let team = self.store()?.team_of_organisation(organisation, team_id).await;
        team.map_err(store_error)?.ok_or_else(no_team)
    }
}

/// Checks the options of a token.
pub(super) fn options(
    transaction: &Transaction<'_>,
    team: TeamId,
    body: LinkTokenInput,
) -> Result<LinkOptions, WriteError> {
    if let Some(slug) = &body.provider
        && transaction.oauth_provider(slug)?.is_none()
    {
        let message = "must be the slug of a provider that links by OAuth";
        return Err(invalid("/body/provider", "unknown", message).into());
    }
    if let Some(url) = &body.redirect_url
        && !transaction.redirect_urls(team)?.contains(url)
    {
        let message = "must be one of the team's redirect URLs, letter for letter";
        return Err(invalid("/body/redirect_url", "not_allowed", message).into());
    }
    let redirects = |location, action: Option<LinkOutcomeAction>| match action {
        None => Ok(false),
        Some(LinkOutcomeAction::Redirect) if body.redirect_url.is_some() => Ok(true),
        Some(LinkOutcomeAction::Redirect) => Err(invalid(location, "invalid", "needs a redirect_url")),
        Some(_) => Err(invalid(location, "invalid", "must be redirect")),
    };
    Ok(LinkOptions {
        redirects_on_error: redirects("/body/on_error", body.on_error)?,
        redirects_on_close: redirects("/body/on_close", body.on_close)?,
        provider: body.provider,
        redirect_url: body.redirect_url,
        filter_on_providers: body.filter_on_providers.unwrap_or_default(),
    })
}

/// Converts a link token for a response.
pub(super) fn info(token: LinkTokenOwner) -> LinkTokenInfo {
    LinkTokenInfo::builder()
        .id(token.hash.id())
        .maybe_user_id(token.user_id)
        .expires_at(token.expires.fixed_offset())
        .maybe_provider(token.options.provider)
        .maybe_redirect_url(token.options.redirect_url)
        .filter_on_providers(token.options.filter_on_providers)
        .build()
}

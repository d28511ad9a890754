//! Link tokens: created by teams, listed and deleted by organisations.

use chrono::TimeDelta;
use wearlab_models::{LinkOutcomeAction, LinkToken, LinkTokenInfo, LinkTokenInput, LinkTokenList, Secret};
use wearlab_server::operations::{CREATE_LINK_TOKEN, DELETE_LINK_TOKEN};
use wearlab_server::{ApiError, ApiResult, CreateLinkTokenInput, DeleteLinkTokenInput, ListLinkTokensInput};
use wearlab_store::{LinkOptions, LinkTokenOwner, OrganisationId, TeamId, Transaction};

use super::auth::Caller;
use super::cursor::Listing;
use super::places::Place;
use super::write::{Subject, Write, WriteError, invalid};
use super::{Opened, Service, no_team, no_user, store_error};
use crate::linking::new_link_token;

/// How long a link token is good.
const LIFETIME: TimeDelta = TimeDelta::minutes(60);

impl Service {
    /// A place for a user who comes back from a provider, among those of the organisation of the link token. None for an
    /// unknown state, which nobody waits for.
    pub(crate) async fn place_of_callback(&self, state: Option<&str>) -> Result<Option<Place>, ApiError> {
        let Some(state) = state else { return Ok(None) };
        let organisation = self.store()?.organisation_of_state(state).await.map_err(store_error)?;
        organisation
            .map(|organisation| self.outbound_waits.take(&organisation))
            .transpose()
    }

    pub(super) async fn create_link_token_of(
        &self,
        caller: Caller<TeamId>,
        input: CreateLinkTokenInput,
    ) -> ApiResult<LinkToken> {
        self.linker()?.require_secret_key().map_err(store_error)?;
        let write =
            Write::new(&CREATE_LINK_TOKEN, &caller).repeatable(input.idempotency_key.as_deref(), &input.body)?;
        let team = caller.owner();
        let expires = (self.now)() + LIFETIME;
        let created: LinkToken = self
            .write(write, |transaction| {
                let body = input.body;
                let user_id = body.user_id;
                transaction.stored_user(team, user_id)?.ok_or_else(no_user)?;
                let options = options(transaction, team, body)?;
                let token = new_link_token();
                transaction.put_user_link_token(team, user_id, &token, &options, expires)?;
                let created = LinkToken::builder()
                    .link_web_url(Secret::new(self.linking.page_url(&token)))
                    .link_token(Secret::new(token))
                    .build();
                Ok(Subject::user(team, user_id).wrote(created))
            })
            .await?;
        Ok(created.into())
    }

    pub(super) async fn link_tokens(
        &self,
        organisation: OrganisationId,
        input: ListLinkTokensInput,
    ) -> ApiResult<LinkTokenList> {
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        let listing = Listing::new("link_tokens", team.uuid());
        let Opened { store, cursors, .. } = self.opened()?;
        let after = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.link_tokens(team, (self.now)(), after, limit).await;
        let page = page.map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        Ok(LinkTokenList::builder()
            .link_tokens(page.link_tokens.into_iter().map(info).collect())
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    pub(super) async fn delete_link_token_of(
        &self,
        caller: Caller<OrganisationId>,
        input: DeleteLinkTokenInput,
    ) -> Result<(), ApiError> {
        let write = Write::new(&DELETE_LINK_TOKEN, &caller);
        let organisation = caller.owner();
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        self.write(write, |transaction| {
            if !transaction.delete_link_token(team, &input.link_token_id)? {
                return Err(ApiError::not_found("No such link token.").into());
            }
            Ok(Subject::Team(team, input.link_token_id).wrote(()))
        })
        .await
    }

    /// A team of the organisation of a key.
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

/// What a token is to be for, once that was checked.
fn options(transaction: &Transaction<'_>, team: TeamId, body: LinkTokenInput) -> Result<LinkOptions, WriteError> {
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

fn info(token: LinkTokenOwner) -> LinkTokenInfo {
    LinkTokenInfo::builder()
        .id(token.hash.id())
        .maybe_user_id(token.user_id)
        .expires_at(token.expires.fixed_offset())
        .maybe_provider(token.options.provider)
        .maybe_redirect_url(token.options.redirect_url)
        .filter_on_providers(token.options.filter_on_providers)
        .build()
}

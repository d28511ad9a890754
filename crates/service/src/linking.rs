//! Linking: link tokens, settings of providers, redirect URLs, connections and their access tokens.

use wearlab_models::{
    AccessToken, ConnectionList, Encoded, LinkToken, LinkTokenList, ProviderSettings, ProviderSettingsList,
    PullTaskList, RedirectUrlList, Secret,
};
use wearlab_server::operations::{
    CREATE_LINK_TOKEN, DELETE_LINK_TOKEN, DELETE_PROVIDER_SETTINGS, PUT_PROVIDER_SETTINGS, PUT_REDIRECT_URLS,
};
use wearlab_server::{
    ApiError, ApiResult, CreateLinkTokenInput, DeleteLinkTokenInput, DeleteProviderSettingsInput, GetAccessTokenInput,
    GetProviderSettingsInput, GetRedirectUrlsInput, LinkingApi, ListConnectionsInput, ListLinkTokensInput,
    ListProviderSettingsInput, ListPullsInput, PullAgainInput, PutProviderSettingsInput, PutRedirectUrlsInput, Reply,
};
use wearlab_store::{ConnectionFilter, OrganisationId, TeamId};

use super::access_tokens::{self, access_token, no_connection};
use super::administration::link_tokens::new_link_token;
use super::auth::Caller;
use super::cursor::Listing;
use super::managed::organisation;
use super::provider_settings::{
    check_redirect_uri, has_origin, no_provider, no_settings, of_connector, redirect_uri_mode, settings, violations,
    with_secret,
};
use super::write::{Subject, Write, check_precondition};
use super::{Opened, Service, link_tokens, no_user, redirect_urls, store_error};

impl LinkingApi for Service {
    async fn create_link_token(&self, caller: Caller<TeamId>, input: CreateLinkTokenInput) -> ApiResult<LinkToken> {
        self.linker()?.require_secret_key().map_err(store_error)?;
        let write =
            Write::new(&CREATE_LINK_TOKEN, &caller).repeatable(input.idempotency_key.as_deref(), &input.body)?;
        let team = caller.owner();
        let expires = (self.now)() + link_tokens::LIFETIME;
        let created: LinkToken = self
            .write(write, |transaction| {
                let body = input.body;
                let user_id = body.user_id;
                transaction.stored_user(team, user_id)?.ok_or_else(no_user)?;
                let options = link_tokens::options(transaction, team, body)?;
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

    async fn list_link_tokens(
        &self,
        caller: Caller<OrganisationId>,
        input: ListLinkTokensInput,
    ) -> ApiResult<LinkTokenList> {
        let organisation = caller.owner();
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        let listing = Listing::new("link_tokens", team.uuid());
        let Opened { store, cursors, .. } = self.opened()?;
        let after = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.link_tokens(team, (self.now)(), after, limit).await;
        let page = page.map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        Ok(LinkTokenList::builder()
            .link_tokens(page.link_tokens.into_iter().map(link_tokens::info).collect())
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    async fn delete_link_token(
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

    async fn list_provider_settings(
        &self,
        caller: Caller<OrganisationId>,
        input: ListProviderSettingsInput,
    ) -> ApiResult<ProviderSettingsList> {
        let organisation = organisation(caller, &input.org_id)?;
        let all = self.store()?.all_provider_settings(&organisation).await;
        let all = all.map_err(store_error)?.into_iter();
        let providers = all.map(|stored| self.shown_settings(&organisation, stored)).collect();
        Ok(ProviderSettingsList::builder().providers(providers).build().into())
    }

    async fn get_provider_settings(
        &self,
        caller: Caller<OrganisationId>,
        input: GetProviderSettingsInput,
    ) -> ApiResult<ProviderSettings> {
        let organisation = organisation(caller, &input.org_id).map_err(|_| no_settings())?;
        let stored = self.store()?.provider_settings(&organisation, &input.slug).await;
        let stored = stored.map_err(store_error)?.ok_or_else(no_settings)?;
        let version = self.version(&stored)?;
        Ok(Reply::versioned(self.shown_settings(&organisation, stored), version))
    }

    async fn put_provider_settings(
        &self,
        caller: Caller<OrganisationId>,
        input: PutProviderSettingsInput,
    ) -> ApiResult<ProviderSettings> {
        let write = Write::new(&PUT_PROVIDER_SETTINGS, &caller);
        let organisation = organisation(caller, &input.org_id).map_err(|_| no_provider())?;
        let PutProviderSettingsInput {
            slug, body, if_match, ..
        } = input;
        let violations = violations(&self.linking, &slug, &body);
        let now = (self.now)();
        let put: ProviderSettings = self
            .write(write, |transaction| {
                transaction.oauth_provider(&slug)?.ok_or_else(no_provider)?;
                if !violations.is_empty() {
                    return Err(ApiError::invalid(violations).into());
                }
                let before = transaction.provider_settings(&organisation, &slug)?;
                self.check_settings(if_match.as_deref(), &organisation, before.as_ref())?;
                let before = before.as_ref();
                let mode = redirect_uri_mode(&body, before.map(|before| &before.settings))?;
                let settings = settings(slug.clone(), &body, mode);
                check_redirect_uri(&body, &self.linking.redirect_uri(&organisation, &settings))?;
                let stored = with_secret(settings, body.client_secret, before)?;
                if before.is_some_and(|before| !has_origin(&before.settings.token_url, &stored.settings.token_url)) {
                    // Their refresh is then rejected, and they fail.
                    transaction.schedule_refreshes(&organisation, &slug, now)?;
                }
                transaction.put_provider_settings(&organisation, &stored)?;
                let shown = self.shown_settings(&organisation, stored);
                Ok(Subject::Organisation(organisation.clone(), slug.clone()).wrote(shown))
            })
            .await?;
        Ok(put.into())
    }

    async fn delete_provider_settings(
        &self,
        caller: Caller<OrganisationId>,
        input: DeleteProviderSettingsInput,
    ) -> Result<(), ApiError> {
        let write = Write::new(&DELETE_PROVIDER_SETTINGS, &caller);
        let organisation = organisation(caller, &input.org_id).map_err(|_| no_settings())?;
        self.write(write, |transaction| {
            let before = transaction.provider_settings(&organisation, &input.slug)?;
            let before = before.ok_or_else(no_settings)?;
            self.check_settings(input.if_match.as_deref(), &organisation, Some(&before))?;
            if before.is_provisioned && self.connectors.contains(&input.slug) {
                return Err(of_connector(input.slug).into());
            }
            transaction.delete_provider_settings(&organisation, &input.slug)?;
            Ok(Subject::Organisation(organisation.clone(), input.slug).wrote(()))
        })
        .await
    }

    async fn get_redirect_urls(
        &self,
        caller: Caller<OrganisationId>,
        input: GetRedirectUrlsInput,
    ) -> ApiResult<RedirectUrlList> {
        let organisation = caller.owner();
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        let urls = self.store()?.redirect_urls(team).await.map_err(store_error)?;
        Ok(redirect_urls::list(urls).into())
    }

    async fn put_redirect_urls(
        &self,
        caller: Caller<OrganisationId>,
        input: PutRedirectUrlsInput,
    ) -> ApiResult<RedirectUrlList> {
        let write = Write::new(&PUT_REDIRECT_URLS, &caller);
        let organisation = caller.owner();
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        let urls = input.body.redirect_urls;
        redirect_urls::check(&urls)?;
        let put: RedirectUrlList = self
            .write(write, |transaction| {
                let current = Encoded::encode(&redirect_urls::list(transaction.redirect_urls(team)?));
                check_precondition(input.if_match.as_deref(), &current.map_err(ApiError::internal)?)?;
                transaction.put_redirect_urls(team, &urls)?;
                Ok(Subject::Team(team, team.to_string()).wrote(redirect_urls::list(urls)))
            })
            .await?;
        Ok(put.into())
    }

    async fn list_connections(
        &self,
        caller: Caller<OrganisationId>,
        input: ListConnectionsInput,
    ) -> ApiResult<ConnectionList> {
        let organisation = organisation(caller, &input.org_id)?;
        let account = input.provider_user_id.as_deref();
        let parameters = (organisation.as_str(), &input.provider, input.team_id, &input.status);
        let listing = match account {
            Some(account) => Listing::new("connections", (parameters, account)),
            None => Listing::new("connections", parameters),
        };
        let Opened { store, cursors, .. } = self.opened()?;
        let filter = ConnectionFilter {
            provider: input.provider.as_deref(),
            provider_user_id: account,
            team_id: input.team_id,
            status: input.status.as_ref(),
            after: cursors.after(input.next_cursor.as_deref(), &listing)?,
        };
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.connections_of_organisation(&organisation, &filter, limit).await;
        let page = page.map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        Ok(ConnectionList::builder()
            .connections(page.connections.into_iter().map(access_tokens::listed).collect())
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    async fn get_access_token(
        &self,
        caller: Caller<OrganisationId>,
        input: GetAccessTokenInput,
    ) -> ApiResult<AccessToken> {
        let organisation = caller.owner();
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await;
        let team = team.map_err(|error| if error.status() == 404 { no_connection() } else { error })?;
        let access = self.access(&organisation, team, input.user_id, &input.provider).await?;
        access_token(access, input.provider)
    }

    async fn list_pulls(&self, caller: Caller<OrganisationId>, input: ListPullsInput) -> ApiResult<PullTaskList> {
        self.list_pulls(caller, input).await.map(Reply::from)
    }

    async fn pull_again(&self, caller: Caller<OrganisationId>, input: PullAgainInput) -> Result<(), ApiError> {
        self.pull_again(caller, input).await
    }
}

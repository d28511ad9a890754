//! Providers: the catalogue, and descriptions for keys and for link tokens.

use reqwest::Url;
use wearlab_linking::LinkSession;
use wearlab_models::{Encoded, OAuthProvider, SupportedProvider};
use wearlab_server::{ApiError, ApiResult, GetOauthProviderInput, ListProvidersInput, ProvidersApi, Reply, Scoped};
use wearlab_store::{LinkTokenOwner, TeamId};

use super::auth::Caller;
use super::{Service, store_error};

impl ProvidersApi for Service {
    async fn list_providers(&self, _: Caller<TeamId>, input: ListProvidersInput) -> ApiResult<Vec<SupportedProvider>> {
        let providers = self
            .store()?
            .providers(input.source_type.as_deref())
            .await
            .map_err(store_error)?;
        Ok(Reply::Encoded(Encoded::list(&providers)))
    }

    async fn get_oauth_provider(
        &self,
        team: Option<Caller<TeamId>>,
        linking: Option<LinkTokenOwner>,
        input: GetOauthProviderInput,
    ) -> ApiResult<OAuthProvider> {
        let slug = input.oauth_provider.as_str();
        let reads = team.as_ref().is_some_and(|team| team.has_scope("read"));
        let team = team.map(Caller::owner);
        match (team, &linking) {
            (Some(team), Some(linking)) if team != linking.team => {
                return Err(ApiError::unauthorized(
                    "The link token is not of the same team as the API key.",
                ));
            }
            (None, _) if !self.settings.link_token_suffices => {
                return Err(ApiError::unauthorized(
                    "A link token alone does not suffice here: send the API key.",
                ));
            }
            // A link token that does not suffice alone does not replace a missing scope of the key either.
            (Some(_), _) if !reads && !self.settings.link_token_suffices => {
                return Err(ApiError::forbidden("The credential lacks a scope: read."));
            }
            _ => {}
        }
        let provider = self.store()?.oauth_provider(slug).await.map_err(store_error)?;
        let provider = provider.ok_or_else(|| ApiError::not_found("No such OAuth provider."))?;
        let url = match linking {
            Some(linking) => self.oauth_url(&linking, slug).await?,
            None => None,
        };
        let mut provider: OAuthProvider = serde_json::from_slice(provider.as_bytes()).map_err(ApiError::internal)?;
        provider.logo.get_or_insert_default();
        if let Some(url) = url {
            provider.oauth_url = Some(url.into());
        }
        Ok(provider.into())
    }
}

impl Service {
    /// Returns the URL at which the user of a link token authorizes a provider, once.
    async fn oauth_url(&self, token: &LinkTokenOwner, slug: &str) -> Result<Option<Url>, ApiError> {
        if token.user_id.is_none() {
            return Ok(None);
        }
        let linker = self.linker()?;
        let providers = linker.providers(token).await.map_err(store_error)?;
        let Some(provider) = providers.into_iter().find(|provider| provider.link.slug == slug) else {
            return Ok(None);
        };
        // The caller is not a browser, or not that of the user.
        let session = LinkSession {
            link_token: &token.hash,
            from_page: None,
            cookie: None,
        };
        let url = linker.authorize(&provider, &session).await;
        url.map_err(store_error)
    }
}

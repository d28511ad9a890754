//! Descriptions of OAuth providers, for keys and for link tokens.

use wearlab_models::OAuthProvider;
use wearlab_server::{ApiError, ApiResult, Reply, Scoped};
use wearlab_store::TeamId;

use super::auth::Caller;
use super::{Service, store_error};

impl Service {
    /// How an OAuth provider is linked, for a team by its key, by a link token or by both.
    pub(super) async fn oauth_provider(
        &self,
        team: Option<Caller<TeamId>>,
        linking: Option<TeamId>,
        slug: &str,
    ) -> ApiResult<OAuthProvider> {
        // A link token does not replace the scope that the key lacks.
        let team = team.filter(|team| team.has_scope("read")).map(Caller::owner);
        match (team, linking) {
            (Some(team), Some(linking)) if team != linking => {
                return Err(ApiError::unauthorized(
                    "The link token is not of the same team as the API key.",
                ));
            }
            (None, _) if !self.settings.link_token_suffices => {
                return Err(ApiError::unauthorized(
                    "A link token alone does not suffice here: send the API key.",
                ));
            }
            _ => {}
        }
        let provider = self.store()?.oauth_provider(slug).await.map_err(store_error)?;
        provider
            .map(Reply::Encoded)
            .ok_or_else(|| ApiError::not_found("No such OAuth provider."))
    }
}

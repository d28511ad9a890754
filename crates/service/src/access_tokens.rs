//! Access tokens of connections, and connections as an organisation sees them.

use std::sync::Arc;

use wearlab_linking::{Access, AccessNow};
use wearlab_models::{AccessToken, TeamConnection, Uuid};
use wearlab_server::{ApiError, ApiResult};
use wearlab_store::{ListedConnection, OrganisationId, TeamId};

use super::{RETRY_AFTER, Service, store_error};

impl Service {
    /// Returns the tokens of a connection. Only those that a provider refreshes are waited for, with a permit of the
    /// organisation.
    pub(super) async fn access(
        &self,
        organisation: &OrganisationId,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
    ) -> Result<Access, ApiError> {
        let linker = self.linker()?;
        let now = match linker.access_now(team, user_id, slug).await.map_err(store_error)? {
            AccessNow::Settled(access) => return Ok(access),
            AccessNow::Due(now) => now,
        };
        match (self.outbound_waits.take(organisation), now) {
            (Ok(place), _) => {
                // The provider may hang, so other requests may run meanwhile. The permit is held until it responds,
                // even if the connector no longer waits.
                let access = linker.access(team, user_id, slug, Arc::new(place));
                let access = wearlab_http::without_permit(access, async |access| access).await;
                access.map_err(store_error)
            }
            (Err(_), Some(still_valid)) => Ok(still_valid),
            (Err(refused), None) => Err(refused),
        }
    }
}

/// Converts a token, or the reason why there is none, to a response.
pub(super) fn access_token(access: Access, provider: String) -> ApiResult<AccessToken> {
    match access {
        Access::Tokens(tokens, account) => Ok(AccessToken::builder()
            .access_token(tokens.access_token)
            .token_type(tokens.token_type)
            .maybe_expires_at(tokens.expires_at.map(|end| end.fixed_offset()))
            .scopes(tokens.scopes)
            .maybe_provider_user_id(account)
            .build()
            .into()),
        Access::LinkAgain => {
            let detail = "The connection no longer works: the user has to link the provider again.";
            Err(ApiError::conflict(detail, "connection", Some(provider)))
        }
        Access::UserAction => {
            let detail = "The token has expired, and the provider asks the user to act there first, such as to renew a \
                          consent, a permission or a membership.";
            Err(ApiError::conflict(detail, "connection", Some(provider)))
        }
        Access::Later => Err(ApiError::unavailable(RETRY_AFTER)),
        Access::None => Err(no_connection()),
    }
}

pub(super) fn no_connection() -> ApiError {
    ApiError::not_found("No such connection, or none that was linked here.")
}

/// Converts a connection for listings of an organisation.
pub(super) fn listed(listed: ListedConnection) -> TeamConnection {
    let connection = listed.connection;
    TeamConnection::builder()
        .team_id(listed.team_id)
        .user_id(listed.user_id)
        .provider(connection.slug)
        .status(connection.status)
        .created_on(connection.created_on)
        .resource_availability(connection.resource_availability)
        .maybe_error_details(connection.error_details)
        .maybe_provider_user_id(listed.provider_user_id)
        .build()
}

//! Connections and their access tokens, for connectors.

use std::sync::Arc;

use wearlab_models::{AccessToken, ConnectionList, TeamConnection, Uuid};
use wearlab_server::{ApiError, ApiResult, GetAccessTokenInput, ListConnectionsInput};
use wearlab_store::{ConnectionFilter, ListedConnection, OrganisationId, TeamId};

use super::cursor::Listing;
use super::{Opened, RETRY_AFTER, Service, no_organisation, store_error};
use crate::http;
use crate::linking::{Access, AccessNow};

impl Service {
    pub(super) async fn connections_of(
        &self,
        organisation: OrganisationId,
        input: ListConnectionsInput,
    ) -> ApiResult<ConnectionList> {
        if organisation.as_str() != input.org_id {
            return Err(no_organisation());
        }
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
            .connections(page.connections.into_iter().map(listed).collect())
            .maybe_next_cursor(next)
            .build()
            .into())
    }

    pub(super) async fn access_token_of(
        &self,
        organisation: OrganisationId,
        input: GetAccessTokenInput,
    ) -> ApiResult<AccessToken> {
        let nothing = || ApiError::not_found("No such connection, or none that was linked here.");
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await;
        let team = team.map_err(|error| if error.status() == 404 { nothing() } else { error })?;
        let access = self.access(&organisation, team, input.user_id, &input.provider).await?;
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
                Err(ApiError::conflict(detail, "connection", Some(input.provider)))
            }
            Access::UserAction => {
                let detail = "The token has expired, and the provider asks the user to act there first, such as to renew a \
                              consent, a permission or a membership.";
                Err(ApiError::conflict(detail, "connection", Some(input.provider)))
            }
            Access::Later => Err(ApiError::unavailable(RETRY_AFTER)),
            Access::None => Err(nothing()),
        }
    }
}

impl Service {
    /// The tokens of a connection. Only those that a provider refreshes are waited for, in a place of the organisation.
    async fn access(
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
                // The provider may hang, so other requests may run meanwhile. The place is taken until it responds, also where
                // the connector no longer waits.
                let access = linker.access(team, user_id, slug, Arc::new(place));
                let access = http::without_permit(access, async |access| access).await;
                access.map_err(store_error)
            }
            (Err(_), Some(still_valid)) => Ok(still_valid),
            (Err(refused), None) => Err(refused),
        }
    }
}

fn listed(listed: ListedConnection) -> TeamConnection {
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

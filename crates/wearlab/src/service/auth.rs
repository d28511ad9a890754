//! Whose credential a request carries.

use std::sync::Arc;

use wearlab_server::{ApiError, Auth, Scoped};
use wearlab_store::{KeyOwner, LinkTokenOwner, OrganisationId, TeamId};

use super::{Service, store_error};

/// Whose key a request carries, and what it allows.
pub struct Caller<T> {
    key: KeyOwner<T>,
    credential: Arc<str>,
}

impl<T> Caller<T> {
    /// The team or organisation of the key.
    pub(super) fn owner(self) -> T {
        self.key.owner
    }

    /// The key, as it was sent.
    pub(super) fn credential(&self) -> Arc<str> {
        self.credential.clone()
    }

    /// The team or organisation of the key, and the key.
    pub(super) fn into_parts(self) -> (T, Arc<str>) {
        (self.key.owner, self.credential)
    }
}

impl<T> Scoped for Caller<T> {
    fn has_scope(&self, scope: &str) -> bool {
        scope.parse().is_ok_and(|scope| self.key.scopes.contains(scope))
    }
}

impl Auth for Service {
    type TeamApiKey = Caller<TeamId>;
    type LinkToken = LinkTokenOwner;
    type ManagementKey = Caller<OrganisationId>;

    async fn team_api_key(&self, credential: &str) -> Result<Caller<TeamId>, ApiError> {
        let team = self.store()?.team_key(credential).await.map_err(store_error)?;
        let team = team.ok_or_else(|| ApiError::unauthorized("The API key is unknown or revoked."))?;
        self.count(credential)?;
        Ok(Caller {
            key: team,
            credential: credential.into(),
        })
    }

    async fn link_token(&self, credential: &str) -> Result<LinkTokenOwner, ApiError> {
        let owner = self.store()?.link_token(credential, (self.now)()).await;
        let owner = owner.map_err(store_error)?;
        let owner = owner.ok_or_else(|| ApiError::unauthorized("The link token is unknown or expired."))?;
        self.count(credential)?;
        Ok(owner)
    }

    async fn management_key(&self, credential: &str) -> Result<Caller<OrganisationId>, ApiError> {
        let organisation = self.store()?.management_key(credential).await.map_err(store_error)?;
        let organisation =
            organisation.ok_or_else(|| ApiError::unauthorized("The management key is unknown or revoked."))?;
        self.count(credential)?;
        Ok(Caller {
            key: organisation,
            credential: credential.into(),
        })
    }
}

impl Service {
    /// Counts a request with a credential, where there is a limit.
    fn count(&self, credential: &str) -> Result<(), ApiError> {
        self.limiter
            .as_ref()
            .map_or(Ok(()), |limiter| limiter.count(credential))
    }
}

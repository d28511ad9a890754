//! Authentication of callers by their keys.

use std::sync::Arc;

use wearlab_server::{ApiError, Auth, RequestId, Scoped};
use wearlab_store::{Actor, KeyHash, KeyOwner, LinkTokenOwner, OrganisationId, TeamId};

use super::{Service, store_error};

/// Name of an operator of the store in the audit log, in place of a key's id.
pub const LOCAL: &str = "local";

/// Owner of the key of a request, and its scopes.
pub struct Caller<T> {
    key: KeyOwner<T>,
    credential: Arc<str>,
    is_operator: bool,
}

impl<T> Caller<T> {
    fn new(key: KeyOwner<T>, credential: &str) -> Self {
        Self {
            key,
            credential: credential.into(),
            is_operator: false,
        }
    }

    fn operator(key: KeyOwner<T>, credential: &str) -> Self {
        Self {
            is_operator: true,
            ..Self::new(key, credential)
        }
    }

    /// Returns true for an operator of the store, whose credential ends with the process.
    pub(super) fn is_operator(&self) -> bool {
        self.is_operator
    }

    /// Returns the id of the key, for the audit log.
    pub(super) fn key_id(&self) -> String {
        match self.is_operator {
            true => LOCAL.to_owned(),
            false => KeyHash::of(&self.credential).id(),
        }
    }

    /// Returns the actor for the audit log, with the current request.
    pub(super) fn actor(&self) -> Actor {
        actor(self.key_id())
    }

    /// Returns the team or organisation of the key.
    pub fn owner(self) -> T {
        self.key.owner
    }

    /// Returns the key, as it was sent.
    pub(super) fn credential(&self) -> Arc<str> {
        self.credential.clone()
    }

    /// Returns the team or organisation of the key, and the key.
    pub(super) fn into_parts(self) -> (T, Arc<str>) {
        (self.key.owner, self.credential)
    }
}

/// Returns the actor for the audit log, with the current request.
pub(super) fn actor(key_id: String) -> Actor {
    Actor {
        key_id,
        request_id: RequestId::current().map_or_else(String::new, |id| id.to_string()),
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
        if let Some(operator) = &self.operator {
            let team = self.team_of_operator(operator, credential).await?;
            return Ok(Caller::operator(team, credential));
        }
        if let Some(team) = self.team_of_console(credential).await? {
            return Ok(Caller::new(team, credential));
        }
        let team = self.store()?.team_key(credential).await.map_err(store_error)?;
        let team = team.ok_or_else(|| ApiError::unauthorized("The API key is unknown or revoked."))?;
        self.count(credential)?;
        Ok(Caller::new(team, credential))
    }

    async fn link_token(&self, credential: &str) -> Result<LinkTokenOwner, ApiError> {
        if self.operator.is_some() {
            return Err(ApiError::unauthorized("No link token is accepted here."));
        }
        let owner = self.store()?.link_token(credential, (self.now)()).await;
        let owner = owner.map_err(store_error)?;
        let owner = owner.ok_or_else(|| ApiError::unauthorized("The link token is unknown or expired."))?;
        self.count(credential)?;
        Ok(owner)
    }

    async fn management_key(&self, credential: &str) -> Result<Caller<OrganisationId>, ApiError> {
        if let Some(operator) = &self.operator {
            let organisation = self.organisation_of_operator(operator, credential).await?;
            return Ok(Caller::operator(organisation, credential));
        }
        let organisation = self.store()?.management_key(credential).await.map_err(store_error)?;
        let organisation =
            organisation.ok_or_else(|| ApiError::unauthorized("The management key is unknown or revoked."))?;
        self.count(credential)?;
        Ok(Caller::new(organisation, credential))
    }
}

impl Service {
    /// Counts a request with a credential against the rate limit, if there is one.
    fn count(&self, credential: &str) -> Result<(), ApiError> {
        self.limiter
            .as_ref()
            .map_or(Ok(()), |limiter| limiter.count(credential))
    }
}

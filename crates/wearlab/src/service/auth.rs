//! Whose credential a request carries.

use wearlab_server::{ApiError, Auth};
use wearlab_store::{OrganisationId, TeamId};

use super::{Service, store_error};

impl Auth for Service {
    type TeamApiKey = TeamId;
    type LinkToken = TeamId;
    type ManagementKey = OrganisationId;

    async fn team_api_key(&self, credential: &str) -> Result<TeamId, ApiError> {
        let team = self.store()?.team_of_key(credential).await.map_err(store_error)?;
        let team = team.ok_or_else(|| ApiError::unauthorized("The API key is unknown or revoked."))?;
        self.count(credential)?;
        Ok(team)
    }

    async fn link_token(&self, credential: &str) -> Result<TeamId, ApiError> {
        let team = self
            .store()?
            .team_of_link_token(credential, (self.now)())
            .await
            .map_err(store_error)?;
        let team = team.ok_or_else(|| ApiError::unauthorized("The link token is unknown or expired."))?;
        self.count(credential)?;
        Ok(team)
    }

    async fn management_key(&self, credential: &str) -> Result<OrganisationId, ApiError> {
        let organisation = self
            .store()?
            .organisation_of_key(credential)
            .await
            .map_err(store_error)?;
        let organisation =
            organisation.ok_or_else(|| ApiError::unauthorized("The management key is unknown or revoked."))?;
        self.count(credential)?;
        Ok(organisation)
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

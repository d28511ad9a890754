//! Teams and organisations of an operator's credentials.

use wearlab_server::ApiError;
use wearlab_store::{KeyOwner, KeyScope, OrganisationId, TeamId};

use super::errors::store_error;
use super::{Operator, Service};

impl Service {
    /// Returns the team of an operator's credential, with all scopes.
    pub(super) async fn team_of_operator(
        &self,
        operator: &Operator,
        credential: &str,
    ) -> Result<KeyOwner<TeamId>, ApiError> {
        let store = self.store()?;
        let team_id = operator.team_id(credential).ok_or_else(unknown)?;
        let organisation = store.organisation_of_team(team_id).await.map_err(store_error)?;
        let organisation = organisation.ok_or_else(unknown)?;
        let team = store.team_of(&organisation, team_id).await.map_err(store_error)?;
        team.map(all).ok_or_else(unknown)
    }

    /// Returns the organisation of an operator's credential, with all scopes.
    pub(super) async fn organisation_of_operator(
        &self,
        operator: &Operator,
        credential: &str,
    ) -> Result<KeyOwner<OrganisationId>, ApiError> {
        let org_id = operator.org_id(credential).ok_or_else(unknown)?;
        let organisations = self.store()?.organisations().await.map_err(store_error)?;
        let found = organisations.into_iter().find(|known| known.as_str() == org_id);
        found.map(all).ok_or_else(unknown)
    }
}

fn all<T>(owner: T) -> KeyOwner<T> {
    KeyOwner {
        owner,
        scopes: KeyScope::ALL.into_iter().collect(),
    }
}

fn unknown() -> ApiError {
    ApiError::unauthorized("The secret of the operator is wrong, or the team or organisation is not there.")
}

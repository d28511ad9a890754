//! Owners of lines: lines of other owners are rejected.

use uuid::Uuid;
use wearlab_intake::{LineError, LineTransaction};
use wearlab_store::{OrganisationId, StoreError, TeamId};

/// Team or organisation whose lines a sender may write.
#[derive(Clone, Debug)]
pub(crate) enum Owner {
    Team(TeamId),
    /// All teams of an organisation.
    Organisation(OrganisationId),
}

impl Owner {
    /// Rejects a line about another team than that of the key.
    pub(super) fn check_team(&self, kind: &str, team_id: Uuid) -> Result<(), LineError> {
        match self {
            Self::Team(team) if team.uuid() != team_id => {
                let reason = "another team than that of the key";
                Err(LineError::new(format!("{kind}.team_id"), reason))
            }
            // The store has the teams of an organisation.
            _ => Ok(()),
        }
    }

    /// Rejects a line about another organisation than that of the key, or about a whole organisation.
    pub(super) fn check_organisation(&self, kind: &str, org_id: &str) -> Result<(), LineError> {
        let reason = match self {
            Self::Organisation(organisation) if organisation.as_str() == org_id => return Ok(()),
            Self::Organisation(_) => "another organisation than that of the key",
            Self::Team(_) => "the key of a team cannot change its organisation: use a management key",
        };
        Err(LineError::new(format!("{kind}.org_id"), reason))
    }

    /// Rejects a line about a team of another organisation than that of the key. A missing team is an error of the line
    /// itself.
    pub(super) fn check_known(
        &self,
        line: &LineTransaction<'_, '_>,
        kind: &str,
        team_id: Uuid,
    ) -> Result<Result<(), LineError>, StoreError> {
        let Self::Organisation(organisation) = self else {
            return Ok(Ok(()));
        };
        let known = line.write.has_team(organisation, team_id)? || line.write.team(team_id)?.is_none();
        let reason = "a team of another organisation than that of the key";
        Ok(known
            .then_some(())
            .ok_or_else(|| LineError::new(format!("{kind}.team_id"), reason)))
    }
}

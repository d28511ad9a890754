//! The teams of an organisation.

use wearlab_models::{CreateTeamHeaders, Team, TeamList};
use wearlab_server::operations::CREATE_TEAM;
use wearlab_server::{ApiError, ApiResult, CreateTeamInput, GetTeamInput, ListTeamsInput, Reply};
use wearlab_store::{OrganisationId, TeamRecord};

use super::auth::Caller;
use super::cursor::Listing;
use super::managed::{location, organisation};
use super::write::{Subject, Write};
use super::{Opened, Service, store_error};
use crate::clock;

impl Service {
    pub(super) async fn teams(&self, caller: Caller<OrganisationId>, input: ListTeamsInput) -> ApiResult<TeamList> {
        let organisation = organisation(caller, &input.org_id)?;
        let listing = Listing::new("teams", organisation.as_str());
        let Opened { store, cursors, .. } = self.opened()?;
        let after = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.teams(&organisation, after, limit).await.map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        let teams = page.teams.into_iter().map(shown).collect();
        Ok(TeamList::builder().teams(teams).maybe_next_cursor(next).build().into())
    }

    pub(super) async fn team(&self, caller: Caller<OrganisationId>, input: GetTeamInput) -> ApiResult<Team> {
        let organisation = organisation(caller, &input.org_id)?;
        let team = self.managed_team(&organisation, input.team_id).await?;
        Ok(shown(team).into())
    }

    pub(super) async fn new_team(
        &self,
        caller: Caller<OrganisationId>,
        input: CreateTeamInput,
    ) -> Result<(Reply<Team>, CreateTeamHeaders), ApiError> {
        let write = Write::new(&CREATE_TEAM, &caller)
            .repeatable(input.idempotency_key.as_deref(), &(&input.org_id, &input.body))?;
        let organisation = organisation(caller, &input.org_id)?;
        let team = TeamRecord {
            team_id: input.body.team_id.unwrap_or_else(clock::fresh_id),
            org_id: input.org_id,
            environment: input.body.environment,
            region: input.body.region,
        };
        let created: Team = self
            .write(write, |transaction| {
                if transaction.team(team.team_id)?.is_some() {
                    // Of another organisation, it is not named.
                    let own = transaction.has_team(&organisation, team.team_id)?;
                    let id = own.then(|| team.team_id.to_string());
                    return Err(ApiError::conflict("A team has this id.", "team", id).into());
                }
                let id = transaction.put_team(&team)?;
                Ok(Subject::Team(id, team.team_id.to_string()).wrote(shown(team)))
            })
            .await?;
        let location = location(&organisation, &["teams", &created.team_id.to_string()]);
        let headers = CreateTeamHeaders::builder().location(location).build();
        Ok((created.into(), headers))
    }
}

fn shown(team: TeamRecord) -> Team {
    Team::builder()
        .team_id(team.team_id)
        .org_id(team.org_id)
        .environment(team.environment)
        .region(team.region)
        .build()
}

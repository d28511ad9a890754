//! Organisations and their teams.

use crate::sql::value::{Row, params};
use uuid::Uuid;

use crate::sql::connection::{Connection, missing};
use crate::sql::document::{id, rows};
use crate::sql::{Reader, Transaction};
use crate::{OrganisationId, StoreError, TeamId, TeamPage, TeamRecord};

impl Reader<'_> {
    pub(crate) fn has_team(&self, organisation: &OrganisationId, team_id: Uuid) -> Result<bool, StoreError> {
        has_team(self.connection, organisation, team_id)
    }

    pub(crate) fn organisations(&self) -> Result<Vec<OrganisationId>, StoreError> {
        let sql = "SELECT organisation_id FROM organisations ORDER BY organisation_id";
        self.connection.all(sql, params![], organisation)
    }

    pub(crate) fn organisation_of_team(&self, team_id: Uuid) -> Result<Option<OrganisationId>, StoreError> {
        let sql = "SELECT organisation_id FROM teams WHERE team_id = ?1";
        self.connection.first(sql, params![team_id.as_bytes()], organisation)
    }

    pub(crate) fn teams(
        &self,
        organisation: &OrganisationId,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<TeamPage, StoreError> {
        // No id sorts before the empty byte string.
        let sql = "SELECT team_id, organisation_id, environment, region FROM teams
            WHERE organisation_id = ?1 AND team_id > ?2 ORDER BY team_id LIMIT ?3";
        let params = params![
            organisation.as_str(),
            after.as_ref().map_or(&[][..], |id| id.as_bytes()),
            // One more row shows whether there is another page.
            rows(limit.saturating_add(1)),
        ];
        let mut teams = self.connection.all(sql, params, record)?;
        let more = teams.len() > limit;
        teams.truncate(limit);
        let last = teams.last().map(|team| team.team_id);
        let next = if more { last } else { None };
        Ok(TeamPage { teams, next })
    }

    pub(crate) fn organisation_team(
        &self,
        organisation: &OrganisationId,
        team_id: Uuid,
    ) -> Result<Option<TeamRecord>, StoreError> {
        find(self.connection, organisation, team_id)
    }

    /// A team, for a caller with proven access to it.
    pub(crate) fn signed_team(&self, team_id: Uuid) -> Result<Option<TeamId>, StoreError> {
        let sql = "SELECT 1 FROM teams WHERE team_id = ?1";
        let key = params![team_id.as_bytes()];
        self.connection.first(sql, key, |_| Ok(TeamId::new(team_id)))
    }

    /// A team of the organisation.
    pub(crate) fn team_of_organisation(
        &self,
        organisation: &OrganisationId,
        team_id: Uuid,
    ) -> Result<Option<TeamId>, StoreError> {
        let found = find(self.connection, organisation, team_id)?;
        Ok(found.map(|team| TeamId::new(team.team_id)))
    }
}

/// A team of the organisation.
fn has_team(connection: &Connection<'_>, organisation: &OrganisationId, team_id: Uuid) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM teams WHERE team_id = ?1 AND organisation_id = ?2";
    let params = params![team_id.as_bytes(), organisation.as_str()];
    let found = connection.first(sql, params, |_| Ok::<_, StoreError>(()))?;
    Ok(found.is_some())
}

fn find(
    connection: &Connection<'_>,
    organisation: &OrganisationId,
    team_id: Uuid,
) -> Result<Option<TeamRecord>, StoreError> {
    let sql = "SELECT team_id, organisation_id, environment, region FROM teams
        WHERE team_id = ?1 AND organisation_id = ?2";
    connection.first(sql, params![team_id.as_bytes(), organisation.as_str()], record)
}

fn organisation(row: &Row<'_>) -> Result<OrganisationId, StoreError> {
    Ok(OrganisationId::new(row.get::<String>(0)?))
}

fn record(row: &Row<'_>) -> Result<TeamRecord, StoreError> {
    let unreadable = StoreError::Document { what: "team" };
    let (environment, region): (String, String) = (row.get(2)?, row.get(3)?);
    let (Ok(environment), Ok(region)) = (environment.parse(), region.parse()) else {
        return Err(unreadable);
    };
    Ok(TeamRecord {
        team_id: id(row)?,
        org_id: row.get(1)?,
        environment,
        region,
    })
}

impl Transaction<'_> {
    /// Puts an organisation.
    pub fn put_organisation(&self, id: &str) -> Result<OrganisationId, StoreError> {
        let sql = "INSERT INTO organisations (organisation_id) VALUES (?1) ON CONFLICT DO NOTHING";
        self.connection.execute(sql, params![id])?;
        Ok(OrganisationId::new(id))
    }

    /// Puts a team. A team never changes its organisation.
    pub fn put_team(&self, team: &TeamRecord) -> Result<TeamId, StoreError> {
        let sql = "INSERT INTO teams (team_id, organisation_id, environment, region) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (team_id) DO UPDATE SET environment = excluded.environment, region = excluded.region
            WHERE teams.organisation_id = excluded.organisation_id";
        let changed = self
            .connection
            .execute(
                sql,
                params![
                    team.team_id.as_bytes(),
                    team.org_id,
                    team.environment.as_str(),
                    team.region.as_str(),
                ],
            )
            .map_err(missing("organisation"))?;
        if changed == 0 {
            let what = "the team belongs to another organisation";
            return Err(StoreError::Conflict { what });
        }
        Ok(TeamId::new(team.team_id))
    }

    /// A team of the organisation.
    pub fn organisation_team(
        &self,
        organisation: &OrganisationId,
        team_id: Uuid,
    ) -> Result<Option<TeamRecord>, StoreError> {
        find(self.connection, organisation, team_id)
    }

    /// The team of an id. Fails if there is none.
    pub(crate) fn require_team(&self, team_id: Uuid) -> Result<TeamId, StoreError> {
        let id = TeamId::new(team_id);
        if !self.teams.borrow().contains(&id) {
            self.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
            self.teams.borrow_mut().insert(id);
        }
        Ok(id)
    }

    /// An existing team.
    pub fn team(&self, team_id: Uuid) -> Result<Option<TeamId>, StoreError> {
        self.connection.first(
            "SELECT 1 FROM teams WHERE team_id = ?1",
            params![team_id.as_bytes()],
            |_| Ok(TeamId::new(team_id)),
        )
    }

    /// The organisation of a team.
    pub fn organisation_of(&self, team_id: Uuid) -> Result<Option<OrganisationId>, StoreError> {
        let sql = "SELECT organisation_id FROM teams WHERE team_id = ?1";
        let found: Option<String> = self
            .connection
            .first(sql, params![team_id.as_bytes()], |row| row.get(0))?;
        Ok(found.map(OrganisationId::new))
    }

    /// Returns whether a team belongs to an organisation. That never changes.
    pub fn has_team(&self, organisation: &OrganisationId, team_id: Uuid) -> Result<bool, StoreError> {
        let team = (TeamId::new(team_id), organisation.clone());
        if self.owned_teams.borrow().contains(&team) {
            return Ok(true);
        }
        let has_team = has_team(self.connection, organisation, team_id)?;
        if has_team {
            self.owned_teams.borrow_mut().insert(team);
        }
        Ok(has_team)
    }
}

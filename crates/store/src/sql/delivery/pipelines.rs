//! Pipelines of teams.

use crate::sql::value::{Row, params};
use uuid::Uuid;
use wearlab_models::{DeliveryKind, Environment, Pipeline, Region};

use crate::sql::admin::sealing::{find, open};
use crate::sql::connection::missing;
use crate::sql::document::{encode, rows};
use crate::sql::events::revisions::ROUTES;
use crate::sql::{Reader, Transaction};
use crate::{OrganisationId, PipelineFilter, PipelinePage, StoreError, TeamId, TeamPipeline};

pub(crate) const KIND: &str = "pipeline";
const ONE: &str = "SELECT team_id, document FROM pipelines WHERE team_id = ?1";

impl Reader<'_> {
    pub(crate) fn pipelines(
        &self,
        organisation: &OrganisationId,
        environment: Environment,
        region: Region,
        filter: &PipelineFilter,
        limit: usize,
    ) -> Result<PipelinePage, StoreError> {
        // No id sorts before the empty byte string.
        let sql = "SELECT team_id, pipelines.document FROM teams
            JOIN pipelines USING (team_id)
            WHERE organisation_id = ?1 AND environment = ?2 AND region = ?3
                AND teams.team_id > ?4 AND (teams.team_id = ?5 OR ?5 IS NULL)
            ORDER BY teams.team_id LIMIT ?6";
        let params = params![
            organisation.as_str(),
            environment.as_str(),
            region.as_str(),
            filter.after.as_ref().map_or(&[][..], |id| id.as_bytes()),
            filter.team_id.as_ref().map(|id| id.as_bytes()),
            // One more row shows whether there is another page.
            rows(limit.saturating_add(1)),
        ];
        let mut pipelines = self
            .connection
            .all(sql, params, |row| open::<Pipeline>(KIND, self.seal, row))?;
        let more = pipelines.len() > limit;
        pipelines.truncate(limit);
        let last = pipelines.last().map(|pipeline| pipeline.team_id);
        let next = if more { last } else { None };
        Ok(PipelinePage { pipelines, next })
    }

    /// The pipelines of all teams.
    pub(crate) fn all_pipelines(&self) -> Result<Vec<TeamPipeline>, StoreError> {
        // Each pipeline has a team, so that one without it shows a damaged index.
        let sql = "SELECT team_id, document, region, organisation_id FROM pipelines LEFT JOIN teams USING (team_id) ORDER BY team_id";
        self.connection.all(sql, params![], |row| self.team_pipeline(row))
    }

    /// The pipelines of the teams of an organisation, or of one of them.
    pub(crate) fn organisation_pipelines(
        &self,
        organisation: &OrganisationId,
        team_id: Option<Uuid>,
    ) -> Result<Vec<TeamPipeline>, StoreError> {
        let sql = "SELECT teams.team_id, pipelines.document, region, organisation_id FROM teams JOIN pipelines USING (team_id)
            WHERE organisation_id = ?1 AND (teams.team_id = ?2 OR ?2 IS NULL) ORDER BY teams.team_id";
        let params = params![organisation.as_str(), team_id.as_ref().map(|id| id.as_bytes())];
        self.connection.all(sql, params, |row| self.team_pipeline(row))
    }

    fn team_pipeline(&self, row: &Row<'_>) -> Result<TeamPipeline, StoreError> {
        let region: Option<String> = row.get(2)?;
        let region = region.ok_or_else(|| self.damaged("a pipeline has no team"))?;
        Ok(TeamPipeline {
            pipeline: open(KIND, self.seal, row)?,
            organisation: OrganisationId::new(row.get::<String>(3)?),
            region: region.parse().map_err(|_| StoreError::Document { what: "team" })?,
        })
    }

    /// The pipeline of a team.
    pub(crate) fn pipeline(&self, team_id: Uuid) -> Result<Option<Pipeline>, StoreError> {
        find(KIND, self.seal, self.connection, ONE, params![team_id.as_bytes()])
    }
}

impl Transaction<'_> {
    /// Puts the pipeline of a team. Its organisation, environment and region are the team's.
    pub fn put_pipeline(&self, team: TeamId, pipeline: &Pipeline) -> Result<(), StoreError> {
        if pipeline.team_id != team.uuid() {
            let what = "the pipeline names another team";
            return Err(StoreError::Conflict { what });
        }
        let sql = "INSERT INTO pipelines (team_id, document) VALUES (?1, ?2)
            ON CONFLICT (team_id) DO UPDATE SET document = excluded.document
            WHERE pipelines.document IS DISTINCT FROM excluded.document";
        let document = self.seal.close(team.as_bytes(), encode(KIND, pipeline)?)?;
        let changed = self
            .connection
            .execute(sql, params![team.as_bytes(), document])
            .map_err(missing("team"))?;
        if changed > 0 {
            // Their cursors begin here and not when a service first reads them. Endpoints may replace Svix, which would
            // leave a destination without a worker.
            let brokers = pipeline.preferences.enabled.iter();
            for kind in brokers.filter(|kind| **kind != DeliveryKind::Svix) {
                self.destination(team, kind.as_str(), None)?;
            }
            self.bump(ROUTES)?;
        }
        Ok(())
    }

    /// The pipeline of a team, with its secrets.
    pub fn pipeline(&self, team: TeamId) -> Result<Option<Pipeline>, StoreError> {
        find(KIND, self.seal, self.connection, ONE, params![team.as_bytes()])
    }

    /// Deletes the pipeline of a team. Its kinds keep their cursors. False if there is none.
    pub fn delete_pipeline(&self, team: TeamId) -> Result<bool, StoreError> {
        let sql = "DELETE FROM pipelines WHERE team_id = ?1";
        let found = self.connection.execute(sql, params![team.as_bytes()])? > 0;
        self.bump(ROUTES)?;
        Ok(found)
    }
}

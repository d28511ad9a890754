//! Pipelines of teams.

use rusqlite::params;
use uuid::Uuid;
use wearlab_models::{Environment, Pipeline, Region};

use super::document::{encode, rows};
use super::error::missing;
use super::sealing::{find, open};
use super::{Engine, Writer};
use crate::{OrganisationId, PipelineFilter, PipelinePage, StoreError, TeamId};

pub(super) const KIND: &str = "pipeline";
const ONE: &str = "SELECT team_id, document FROM pipelines WHERE team_id = ?1";

impl Engine {
    pub(crate) fn pipelines(
        &self,
        organisation: &OrganisationId,
        environment: Environment,
        region: Region,
        filter: &PipelineFilter,
        limit: usize,
    ) -> Result<PipelinePage, StoreError> {
        // No id sorts before the empty text of bytes.
        let sql = "SELECT team_id, pipelines.document FROM teams
            JOIN pipelines USING (team_id)
            WHERE organisation_id = ?1 AND environment = ?2 AND region = ?3
                AND teams.team_id > ifnull(?4, x'') AND (?5 IS NULL OR teams.team_id = ?5)
            ORDER BY teams.team_id LIMIT ?6";
        let mut pipelines = self.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut found = statement.query(params![
                organisation.as_str(),
                environment.as_str(),
                region.as_str(),
                filter.after.as_ref().map(|id| id.as_bytes()),
                filter.team_id.as_ref().map(|id| id.as_bytes()),
                // One more tells whether others follow.
                rows(limit.saturating_add(1)),
            ])?;
            let mut pipelines = Vec::<Pipeline>::new();
            while let Some(row) = found.next()? {
                pipelines.push(open(KIND, &self.seal, row)?);
            }
            Ok(pipelines)
        })?;
        let more = pipelines.len() > limit;
        pipelines.truncate(limit);
        let last = pipelines.last().map(|pipeline| pipeline.team_id);
        let next = if more { last } else { None };
        Ok(PipelinePage { pipelines, next })
    }

    /// The pipeline of a team.
    pub(crate) fn pipeline(&self, team_id: Uuid) -> Result<Option<Pipeline>, StoreError> {
        self.read(|connection| find(KIND, &self.seal, connection, ONE, [team_id.as_bytes()]))
    }
}

impl Writer<'_> {
    pub(crate) fn put_pipeline(&self, team: TeamId, pipeline: &Pipeline) -> Result<(), StoreError> {
        if pipeline.team_id != team.uuid() {
            let what = "the pipeline names another team";
            return Err(StoreError::Conflict { what });
        }
        let sql = "INSERT INTO pipelines (team_id, document) VALUES (?1, ?2)
            ON CONFLICT (team_id) DO UPDATE SET document = excluded.document
            WHERE pipelines.document IS NOT excluded.document";
        self.connection
            .prepare_cached(sql)?
            .execute(params![
                team.as_bytes(),
                self.seal.close(team.as_bytes(), encode(KIND, pipeline)?)?
            ])
            .map_err(missing("team"))?;
        Ok(())
    }

    /// The pipeline of a team.
    pub(crate) fn pipeline(&self, team: TeamId) -> Result<Option<Pipeline>, StoreError> {
        find(KIND, self.seal, self.connection, ONE, [team.as_bytes()])
    }
}

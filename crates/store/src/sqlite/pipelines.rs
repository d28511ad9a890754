//! Pipelines of teams.

use rusqlite::{Connection, Row, params};
use uuid::Uuid;
use wearlab_models::{Environment, Pipeline, Region};

use super::document::{decode, encode, id, rows};
use super::error::missing;
use super::{Engine, Writer, meta};
use crate::seal::Seal;
use crate::{OrganisationId, PipelineFilter, PipelinePage, StoreError, TeamId};

const KIND: &str = "pipeline";

/// The note that pipelines were sealed, and what they were may still be read in the file.
const UNSCRUBBED: &str = "unscrubbed";

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
                pipelines.push(open(&self.seal, row)?);
            }
            Ok(pipelines)
        })?;
        let more = pipelines.len() > limit;
        pipelines.truncate(limit);
        let last = pipelines.last().map(|pipeline| pipeline.team_id);
        let next = if more { last } else { None };
        Ok(PipelinePage { pipelines, next })
    }
}

impl Engine {
    /// Sees that all pipelines are sealed as they would be today. Fails where one cannot be opened.
    ///
    /// What stood there before stays readable in the file until that is scrubbed. A note says so, so that it is not
    /// forgotten where scrubbing fails.
    pub(super) fn seal_pipelines(&self) -> Result<(), StoreError> {
        let noted = |connection: &Connection| Ok::<_, StoreError>(meta::meta(connection, UNSCRUBBED)?.is_some());
        let due = self.with_writer(|connection| Ok(other_seals(connection, &self.seal)? || noted(connection)?))?;
        if !due {
            return Ok(());
        }
        self.write(|writer| {
            writer.seal_pipelines()?;
            writer.put_meta(UNSCRUBBED, "pipelines")
        })?;
        self.scrub()?;
        self.write(|writer| writer.delete_meta(UNSCRUBBED))
    }
}

/// Whether a pipeline is not sealed as it would be today.
fn other_seals(connection: &Connection, seal: &Seal) -> Result<bool, StoreError> {
    let mut statement = connection.prepare("SELECT team_id, document FROM pipelines")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (team_id, stored) = (id(row)?, row.get::<_, String>(1)?);
        let text = seal.open(team_id.as_bytes(), stored.clone())?;
        if seal.close(team_id.as_bytes(), text)? != stored {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The pipeline of a row of its team's id and its document.
pub(super) fn open(seal: &Seal, row: &Row<'_>) -> Result<Pipeline, StoreError> {
    let team_id = id(row)?;
    let text = seal.open(team_id.as_bytes(), row.get(1)?)?;
    decode(KIND, &text)
}

impl Engine {
    /// The pipeline of a team.
    pub(crate) fn pipeline(&self, team_id: Uuid) -> Result<Option<Pipeline>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT team_id, document FROM pipelines WHERE team_id = ?1")?;
            let mut rows = statement.query([team_id.as_bytes()])?;
            rows.next()?.map(|row| open(&self.seal, row)).transpose()
        })
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
        let sql = "SELECT team_id, document FROM pipelines WHERE team_id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([team.as_bytes()])?;
        rows.next()?.map(|row| open(self.seal, row)).transpose()
    }

    /// Encrypts all pipelines with the first key, those too that are not encrypted yet or with an older key.
    fn seal_pipelines(&self) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare("SELECT team_id, document FROM pipelines")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let team_id = id(row)?;
            let stored: String = row.get(1)?;
            let text = self.seal.open(team_id.as_bytes(), stored.clone())?;
            let sealed = self.seal.close(team_id.as_bytes(), text)?;
            if sealed != stored {
                let sql = "UPDATE pipelines SET document = ?2 WHERE team_id = ?1";
                self.connection
                    .prepare_cached(sql)?
                    .execute(params![team_id.as_bytes(), sealed])?;
            }
        }
        Ok(())
    }
}

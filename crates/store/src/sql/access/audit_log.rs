//! The audit log.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::sql::connection::missing;
use crate::sql::document::instant;
use crate::sql::value::{Row, params};
use crate::sql::{Reader, Transaction};
use crate::{Actor, AuditEntry, OrganisationId, StoreError, StreamEntry, TeamId};

impl Reader<'_> {
    pub(crate) fn audit_log(
        &self,
        organisation: &OrganisationId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let sql = "SELECT number, team_id, written_on, key_id, request_id, operation, subject FROM audit_log
            WHERE organisation_id = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
        self.entries(sql, organisation, after, limit)
    }

    /// The last `limit` entries ahead of a position, newest first.
    pub(crate) fn audit_log_back(
        &self,
        organisation: &OrganisationId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let sql = "SELECT number, team_id, written_on, key_id, request_id, operation, subject FROM audit_log
            WHERE organisation_id = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3";
        self.entries(sql, organisation, before, limit)
    }

    /// Entries from a position on.
    fn entries(
        &self,
        sql: &str,
        organisation: &OrganisationId,
        from: i64,
        limit: i64,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        // A negative limit is unlimited.
        let key = params![organisation.as_str(), from, limit.max(0)];
        self.connection.all(sql, key, entry)
    }
}

pub(crate) fn entry(row: &Row<'_>) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        number: row.get(0)?,
        team_id: row.get::<Option<[u8; 16]>>(1)?.map(Uuid::from_bytes),
        written_on: DateTime::from_timestamp_nanos(row.get(2)?),
        key_id: row.get(3)?,
        request_id: row.get(4)?,
        operation: row.get(5)?,
        subject: row.get(6)?,
    })
}

impl Transaction<'_> {
    /// Appends a write to a team to the audit log of its organisation. `operation` is the operation id of the document,
    /// and `subject` the id of the written object.
    pub fn audit(
        &self,
        team: TeamId,
        actor: &Actor,
        now: DateTime<Utc>,
        operation: &str,
        subject: Option<&str>,
    ) -> Result<(), StoreError> {
        let sql = "SELECT organisation_id FROM teams WHERE team_id = ?1";
        let organisation: Option<String> = self.connection.first(sql, params![team.as_bytes()], |row| row.get(0))?;
        let organisation = organisation.ok_or(StoreError::Missing { what: "team" })?;
        self.append(&organisation, Some(team), actor, now, operation, subject)
    }

    /// Appends a write to an organisation itself to its audit log, like [`Transaction::audit`].
    pub fn audit_organisation(
        &self,
        organisation: &OrganisationId,
        actor: &Actor,
        now: DateTime<Utc>,
        operation: &str,
        subject: Option<&str>,
    ) -> Result<(), StoreError> {
        self.append(organisation.as_str(), None, actor, now, operation, subject)
    }

    /// Records the written lines of a stream to a team: in a new entry, whose number is returned, or in an existing
    /// one.
    pub fn audit_lines(
        &self,
        team: TeamId,
        actor: &Actor,
        now: DateTime<Utc>,
        stream: &StreamEntry<'_>,
    ) -> Result<i64, StoreError> {
        let lines = stream.lines.to_string();
        if let Some(number) = stream.number {
            return self.set_lines(number, &lines);
        }
        self.audit(team, actor, now, stream.operation, Some(&lines))?;
        let sql = "SELECT number FROM audit_log
            WHERE organisation_id = (SELECT organisation_id FROM teams WHERE team_id = ?1) ORDER BY number DESC LIMIT 1";
        self.connection.one(sql, params![team.as_bytes()], |row| row.get(0))
    }

    /// Records the written lines of a stream to an organisation, like [`Transaction::audit_lines`].
    pub fn audit_organisation_lines(
        &self,
        organisation: &OrganisationId,
        actor: &Actor,
        now: DateTime<Utc>,
        stream: &StreamEntry<'_>,
    ) -> Result<i64, StoreError> {
        let lines = stream.lines.to_string();
        if let Some(number) = stream.number {
            return self.set_lines(number, &lines);
        }
        self.audit_organisation(organisation, actor, now, stream.operation, Some(&lines))?;
        let sql = "SELECT number FROM audit_log WHERE organisation_id = ?1 ORDER BY number DESC LIMIT 1";
        self.connection
            .one(sql, params![organisation.as_str()], |row| row.get(0))
    }

    fn set_lines(&self, number: i64, lines: &str) -> Result<i64, StoreError> {
        let sql = "UPDATE audit_log SET subject = ?2 WHERE number = ?1";
        self.connection.execute(sql, params![number, lines])?;
        Ok(number)
    }

    fn append(
        &self,
        organisation: &str,
        team: Option<TeamId>,
        actor: &Actor,
        now: DateTime<Utc>,
        operation: &str,
        subject: Option<&str>,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO audit_log
            (organisation_id, team_id, written_on, key_id, request_id, operation, subject)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let team = team.as_ref().map(TeamId::as_bytes);
        let params = params![
            organisation,
            team,
            instant(now),
            actor.key_id,
            actor.request_id,
            operation,
            subject,
        ];
        self.connection.execute(sql, params).map_err(missing("organisation"))?;
        Ok(())
    }
}

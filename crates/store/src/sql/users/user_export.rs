//! Export of the data of one user.

use uuid::Uuid;

use super::row::UserRow;
use crate::sql::Reader;
use crate::sql::access::audit_log;
use crate::sql::admin::export;
use crate::sql::data::value_pages::{self, After};
use crate::sql::document::{decode, is_one_of, rows};
use crate::sql::value::{Bind, params};
use crate::{AuditEntry, OrganisationId, Record, StoreError, TeamId};

/// Number of ids that a statement looks up.
const SUBJECTS: usize = 500;

/// The position after which a page of a user's values begins.
#[derive(Clone, Debug, Default)]
pub struct ValuePosition(After);

/// Records of values, and the position of the next page, if there is one.
pub type ValuesPage = (Vec<Record>, Option<ValuePosition>);

impl Reader<'_> {
    /// A user with their connections, devices and orders. None if the team has no such user.
    pub(crate) fn user_export(&self, team: TeamId, user_id: Uuid) -> Result<Option<Vec<Record>>, StoreError> {
        let sql = "SELECT document, id FROM users WHERE team_id = ?1 AND user_id = ?2";
        let key = params![team.as_bytes(), user_id.as_bytes()];
        let found = self.connection.first(sql, key, |row| {
            Ok::<_, StoreError>((decode("user", &row.get::<String>(0)?)?, UserRow::of(row, 1)?))
        })?;
        let Some((user, user_row)) = found else { return Ok(None) };
        let mut records = vec![Record::User(user)];
        let mut push = |record| {
            records.push(record);
            Ok(())
        };
        export::of_user(self.connection, self.seal, (team.uuid(), user_id, user_row), &mut push)?;
        Ok(Some(records))
    }

    /// A page of the values of a user, and the position of the next one, if there is one. None if the team has no such
    /// user.
    pub(crate) fn user_export_values(
        &self,
        team: TeamId,
        user_id: Uuid,
        after: ValuePosition,
    ) -> Result<Option<ValuesPage>, StoreError> {
        let Some(user_row) = self.user_row(team, user_id)? else {
            return Ok(None);
        };
        let of = (team.uuid(), user_id, user_row);
        let (records, next) = value_pages::page(self.connection, of, after.0)?;
        Ok(Some((records, next.map(ValuePosition))))
    }

    /// The first `limit` entries of an organisation's audit log with any of these ids, after a position in it.
    pub(crate) fn audit_log_about(
        &self,
        organisation: &OrganisationId,
        subjects: &[String],
        after: i64,
        limit: usize,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let mut entries = Vec::new();
        // Engines have a limit of parameters. Each part has its own first entries.
        for part in subjects.chunks(SUBJECTS) {
            let sql = format!(
                "SELECT number, team_id, written_on, key_id, request_id, operation, subject FROM audit_log
                WHERE organisation_id = ?1 AND number > ?2 AND {} ORDER BY number LIMIT ?3",
                is_one_of("subject", 4, part.len())
            );
            let (organisation, limit) = (organisation.as_str(), rows(limit));
            let mut params: Vec<&dyn Bind> = vec![&organisation, &after, &limit];
            params.extend(part.iter().map(|subject| subject as &dyn Bind));
            entries.extend(self.connection.all(&sql, &params, audit_log::entry)?);
        }
        entries.sort_by_key(|entry: &AuditEntry| entry.number);
        entries.truncate(limit);
        Ok(entries)
    }
}

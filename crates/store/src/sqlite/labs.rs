//! Lab tests and their markers.

use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::document::{encode, stored};
use super::{Engine, Writer};
use crate::{LabTestRecord, MarkerPage, StoreError, TeamId};

impl Engine {
    pub(crate) fn markers(
        &self,
        team: TeamId,
        lab_test_id: &str,
        account: Option<Uuid>,
        page: i64,
        size: i64,
    ) -> Result<Option<MarkerPage>, StoreError> {
        let size = size.max(0);
        let offset = page.saturating_sub(1).max(0).saturating_mul(size);
        self.read_together(|connection| match account {
            None => all_markers(connection, lab_test_id, offset, size),
            Some(account) => visible_markers(connection, team, lab_test_id, account, offset, size),
        })
    }
}

fn all_markers(
    connection: &Connection,
    lab_test_id: &str,
    offset: i64,
    size: i64,
) -> Result<Option<MarkerPage>, StoreError> {
    let known: bool = connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM lab_tests WHERE lab_test_id = ?1)")?
        .query_row([lab_test_id], |row| row.get(0))?;
    if !known {
        return Ok(None);
    }
    let total = connection
        .prepare_cached("SELECT count(*) FROM lab_test_markers WHERE lab_test_id = ?1")?
        .query_row([lab_test_id], |row| row.get(0))?;
    let sql = "SELECT document FROM lab_test_markers JOIN markers USING (marker_id)
        WHERE lab_test_id = ?1 ORDER BY marker_id LIMIT ?2 OFFSET ?3";
    let markers = connection
        .prepare_cached(sql)?
        .query_map(params![lab_test_id, size, offset], stored)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Some(MarkerPage { markers, total }))
}

fn visible_markers(
    connection: &Connection,
    team: TeamId,
    lab_test_id: &str,
    account: Uuid,
    offset: i64,
    size: i64,
) -> Result<Option<MarkerPage>, StoreError> {
    let sql = "SELECT id FROM lab_accounts JOIN lab_account_tests ON account = id
        WHERE team_id = ?1 AND account_id = ?2 AND lab_test_id = ?3";
    let account: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row(params![team.as_bytes(), account.as_bytes(), lab_test_id], |row| {
            row.get(0)
        })
        .optional()?;
    let Some(account) = account else {
        return Ok(None);
    };
    let total = connection
        .prepare_cached("SELECT count(*) FROM lab_account_markers WHERE account = ?1 AND lab_test_id = ?2")?
        .query_row(params![account, lab_test_id], |row| row.get(0))?;
    let sql = "SELECT document FROM lab_account_markers JOIN markers USING (marker_id)
        WHERE account = ?1 AND lab_test_id = ?2 ORDER BY marker_id LIMIT ?3 OFFSET ?4";
    let markers = connection
        .prepare_cached(sql)?
        .query_map(params![account, lab_test_id, size, offset], stored)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Some(MarkerPage { markers, total }))
}

impl Writer<'_> {
    pub(crate) fn put_lab_test(&self, test: &LabTestRecord) -> Result<(), StoreError> {
        let LabTestRecord {
            lab_test_id: id,
            name,
            markers,
        } = test;
        let sql = "INSERT INTO lab_tests (lab_test_id, name) VALUES (?1, ?2)
            ON CONFLICT (lab_test_id) DO UPDATE SET name = excluded.name WHERE name IS NOT excluded.name";
        self.connection.prepare_cached(sql)?.execute([id, name])?;
        for marker in markers {
            let sql = "INSERT INTO markers (marker_id, document) VALUES (?1, ?2)
                ON CONFLICT (marker_id) DO UPDATE SET document = excluded.document
                WHERE markers.document IS NOT excluded.document";
            self.connection
                .prepare_cached(sql)?
                .execute(params![marker.id, encode("marker", marker)?])?;
            let sql = "INSERT INTO lab_test_markers (lab_test_id, marker_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.connection.prepare_cached(sql)?.execute(params![id, marker.id])?;
        }
        // A marker that left the test leaves what accounts see of it, too.
        let ids = encode("marker", &markers.iter().map(|marker| marker.id).collect::<Vec<_>>())?;
        let sql = "DELETE FROM lab_test_markers
            WHERE lab_test_id = ?1 AND marker_id NOT IN (SELECT value FROM json_each(?2))";
        self.connection.prepare_cached(sql)?.execute([id, &ids])?;
        Ok(())
    }
}

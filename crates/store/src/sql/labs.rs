//! Lab tests and their markers.

use std::collections::BTreeSet;

use super::connection::Connection;
use super::value::params;
use uuid::Uuid;

use super::document::{encode, stored};
use super::{Reader, Transaction};
use crate::{LabTestRecord, MarkerPage, StoreError, TeamId};

impl Reader<'_> {
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
        match account {
            None => all_markers(self.connection, lab_test_id, offset, size),
            Some(account) => visible_markers(self.connection, team, lab_test_id, account, offset, size),
        }
    }
}

fn all_markers(
    connection: &Connection<'_>,
    lab_test_id: &str,
    offset: i64,
    size: i64,
) -> Result<Option<MarkerPage>, StoreError> {
    let sql = "SELECT 1 FROM lab_tests WHERE lab_test_id = ?1";
    let known = connection.first(sql, params![lab_test_id], |_| Ok(()))?.is_some();
    if !known {
        return Ok(None);
    }
    let total = connection.one(
        "SELECT count(*) FROM lab_test_markers WHERE lab_test_id = ?1",
        params![lab_test_id],
        |row| row.get(0),
    )?;
    let sql = "SELECT document FROM lab_test_markers JOIN markers USING (marker_id)
        WHERE lab_test_id = ?1 ORDER BY marker_id LIMIT ?2 OFFSET ?3";
    let markers = connection.all(sql, params![lab_test_id, size, offset], stored)?;
    Ok(Some(MarkerPage { markers, total }))
}

fn visible_markers(
    connection: &Connection<'_>,
    team: TeamId,
    lab_test_id: &str,
    account: Uuid,
    offset: i64,
    size: i64,
) -> Result<Option<MarkerPage>, StoreError> {
    let sql = "SELECT id FROM lab_accounts JOIN lab_account_tests ON account = id
        WHERE team_id = ?1 AND account_id = ?2 AND lab_test_id = ?3";
    let account: Option<i64> =
        connection.first(sql, params![team.as_bytes(), account.as_bytes(), lab_test_id], |row| {
            row.get(0)
        })?;
    let Some(account) = account else {
        return Ok(None);
    };
    let total = connection.one(
        "SELECT count(*) FROM lab_account_markers WHERE account = ?1 AND lab_test_id = ?2",
        params![account, lab_test_id],
        |row| row.get(0),
    )?;
    let sql = "SELECT document FROM lab_account_markers JOIN markers USING (marker_id)
        WHERE account = ?1 AND lab_test_id = ?2 ORDER BY marker_id LIMIT ?3 OFFSET ?4";
    let markers = connection.all(sql, params![account, lab_test_id, size, offset], stored)?;
    Ok(Some(MarkerPage { markers, total }))
}

impl Transaction<'_> {
    /// Puts a lab test with all its markers. A marker that several tests have is the same in all of them.
    pub fn put_lab_test(&self, test: &LabTestRecord) -> Result<(), StoreError> {
        let LabTestRecord {
            lab_test_id: id,
            name,
            markers,
        } = test;
        let sql = "INSERT INTO lab_tests (lab_test_id, name) VALUES (?1, ?2)
            ON CONFLICT (lab_test_id) DO UPDATE SET name = excluded.name WHERE lab_tests.name IS DISTINCT FROM excluded.name";
        self.connection.execute(sql, params![id, name])?;
        for marker in markers {
            let sql = "INSERT INTO markers (marker_id, document) VALUES (?1, ?2)
                ON CONFLICT (marker_id) DO UPDATE SET document = excluded.document
                WHERE markers.document IS DISTINCT FROM excluded.document";
            self.connection
                .execute(sql, params![marker.id, encode("marker", marker)?])?;
            let sql = "INSERT INTO lab_test_markers (lab_test_id, marker_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.connection.execute(sql, params![id, marker.id])?;
        }
        // A marker that left the test leaves what accounts see of it, too.
        let sql = "SELECT marker_id FROM lab_test_markers WHERE lab_test_id = ?1";
        let mut left: BTreeSet<i64> = self
            .connection
            .all(sql, params![id], |row| row.get(0))?
            .into_iter()
            .collect();
        for marker in markers {
            left.remove(&marker.id);
        }
        for marker_id in left {
            let sql = "DELETE FROM lab_test_markers WHERE lab_test_id = ?1 AND marker_id = ?2";
            self.connection.execute(sql, params![id, marker_id])?;
        }
        Ok(())
    }
}

//! Lab tests and their markers.

use std::collections::BTreeSet;

use crate::sql::connection::Connection;
use crate::sql::value::{Row, params};
use uuid::Uuid;
use wearlab_models::{Encoded, LabTest, Marker};

use crate::sql::document::{decode, encode, rows, stored};
use crate::sql::{Reader, Transaction};
use crate::{LabTestPage, LabTestRecord, MarkerPage, StoreError, TeamId};

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

impl Reader<'_> {
    /// A page of at most `limit` lab tests, by id, after one of them; with a lab account, only those that it may see.
    /// None if the team has no such account.
    pub(crate) fn lab_tests(
        &self,
        team: TeamId,
        account: Option<Uuid>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Option<LabTestPage>, StoreError> {
        // No id sorts before the empty text.
        let (after, more) = (after.unwrap_or_default(), rows(limit.saturating_add(1)));
        let read = |row: &Row<'_>| Ok((row.get::<String>(0)?, Encoded::from_stored(row.get::<String>(1)?)));
        let mut tests = match account {
            None => {
                let sql = "SELECT lab_test_id, document FROM lab_tests
                    WHERE lab_test_id > ?1 AND document IS NOT NULL ORDER BY lab_test_id LIMIT ?2";
                self.connection.all(sql, params![after, more], read)?
            }
            Some(account) => {
                let Some(account) = self.lab_account(team, account)? else {
                    return Ok(None);
                };
                let sql =
                    "SELECT lab_tests.lab_test_id, document FROM lab_account_tests JOIN lab_tests USING (lab_test_id)
                    WHERE account = ?3 AND lab_tests.lab_test_id > ?1 AND document IS NOT NULL
                    ORDER BY lab_tests.lab_test_id LIMIT ?2";
                self.connection.all(sql, params![after, more, account], read)?
            }
        };
        let is_last = tests.len() <= limit;
        tests.truncate(limit);
        let next = tests.last().filter(|_| !is_last).map(|(id, _)| id.clone());
        let lab_tests = tests.into_iter().map(|(_, test)| test).collect();
        Ok(Some(LabTestPage { lab_tests, next }))
    }

    /// One lab test with its markers; with a lab account, only those that it may see. None if there is no such test or
    /// account, or the account may not see the test.
    pub(crate) fn lab_test(
        &self,
        team: TeamId,
        lab_test_id: &str,
        account: Option<Uuid>,
    ) -> Result<Option<LabTest>, StoreError> {
        let sql = "SELECT document FROM lab_tests WHERE lab_test_id = ?1 AND document IS NOT NULL";
        let test = self
            .connection
            .first(sql, params![lab_test_id], |row| row.get::<String>(0))?;
        let Some(test) = test else { return Ok(None) };
        let mut test: LabTest = decode("lab test", &test)?;
        let Some(page) = self.markers(team, lab_test_id, account, 1, i64::MAX)? else {
            return Ok(None);
        };
        let markers = page
            .markers
            .iter()
            .map(|marker| serde_json::from_slice(marker.as_bytes()));
        let markers = markers.collect::<Result<Vec<Marker>, _>>();
        test.markers = Some(markers.map_err(|_| StoreError::Document { what: "marker" })?);
        Ok(Some(test))
    }

    /// The number of the row of a lab account of the team.
    fn lab_account(&self, team: TeamId, account: Uuid) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT id FROM lab_accounts WHERE team_id = ?1 AND account_id = ?2";
        self.connection
            .first(sql, params![team.as_bytes(), account.as_bytes()], |row| row.get(0))
    }

    /// Markers of a lab by their ids, and by the ids that the lab gives them; with a lab account, only those that it
    /// may see. Unknown ids are left out.
    pub(crate) fn markers_of(
        &self,
        team: TeamId,
        account: Option<Uuid>,
        lab_id: i64,
        (ids, provider_ids): (&[i64], &[String]),
    ) -> Result<Vec<Marker>, StoreError> {
        if ids.is_empty() && provider_ids.is_empty() {
            return Ok(Vec::new());
        }
        // Few orders name markers in addition to tests, and a catalogue has few thousand.
        let texts = match account {
            None => {
                let sql = "SELECT document FROM markers ORDER BY marker_id";
                self.connection.all(sql, params![], |row| row.get::<String>(0))?
            }
            Some(account) => {
                let Some(account) = self.lab_account(team, account)? else {
                    return Ok(Vec::new());
                };
                let sql = "SELECT document FROM lab_account_markers JOIN markers USING (marker_id)
                    WHERE account = ?1 ORDER BY marker_id";
                self.connection.all(sql, params![account], |row| row.get::<String>(0))?
            }
        };
        let mut found: Vec<Marker> = Vec::new();
        for text in texts {
            let marker: Marker = decode("marker", &text)?;
            let is_named = ids.contains(&marker.id) || provider_ids.contains(&marker.provider_id);
            let is_last = found.last().is_some_and(|last| last.id == marker.id);
            if is_named && marker.lab_id == lab_id && !is_last {
                found.push(marker);
            }
        }
        Ok(found)
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
            ..
        } = test;
        let document = test.lab_test().map(|test| encode("lab test", &test)).transpose()?;
        let sql = "INSERT INTO lab_tests (lab_test_id, name, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (lab_test_id) DO UPDATE SET name = excluded.name, document = excluded.document
            WHERE lab_tests.name IS DISTINCT FROM excluded.name OR lab_tests.document IS DISTINCT FROM excluded.document";
        self.connection.execute(sql, params![id, name, document])?;
        for marker in markers {
            let sql = "INSERT INTO markers (marker_id, document) VALUES (?1, ?2)
                ON CONFLICT (marker_id) DO UPDATE SET document = excluded.document
                WHERE markers.document IS DISTINCT FROM excluded.document";
            self.connection
                .execute(sql, params![marker.id, encode("marker", marker)?])?;
            let sql = "INSERT INTO lab_test_markers (lab_test_id, marker_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.connection.execute(sql, params![id, marker.id])?;
        }
        // Accounts lose a marker that left the test.
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

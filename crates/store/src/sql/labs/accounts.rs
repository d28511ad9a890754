//! Lab accounts of teams, and the tests and markers that they may see.

use crate::sql::value::params;

use crate::sql::Transaction;
use crate::sql::connection::missing;
use crate::{LabAccountRecord, StoreError};

impl Transaction<'_> {
    /// Puts a lab account of a team, with its visible tests and markers.
    pub fn put_lab_account(&self, account: &LabAccountRecord) -> Result<(), StoreError> {
        let key = params![account.team_id.as_bytes(), account.lab_account_id.as_bytes()];
        let sql = "INSERT INTO lab_accounts (team_id, account_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.connection.execute(sql, key).map_err(missing("team"))?;
        let id: i64 = self.connection.one(
            "SELECT id FROM lab_accounts WHERE team_id = ?1 AND account_id = ?2",
            key,
            |row| row.get(0),
        )?;
        // The record is complete, so the earlier ones are deleted first.
        self.connection
            .execute("DELETE FROM lab_account_tests WHERE account = ?1", params![id])?;
        for (lab_test_id, markers) in &account.visible {
            self.connection
                .execute(
                    "INSERT INTO lab_account_tests (account, lab_test_id) VALUES (?1, ?2)",
                    params![id, lab_test_id],
                )
                .map_err(missing("lab test"))?;
            for marker in markers {
                let sql = "INSERT INTO lab_account_markers (account, lab_test_id, marker_id) VALUES (?1, ?2, ?3)
                    ON CONFLICT DO NOTHING";
                self.connection
                    .execute(sql, params![id, lab_test_id, marker])
                    .map_err(missing("marker of the lab test"))?;
            }
        }
        Ok(())
    }
}

//! Notes about the store itself.

use rusqlite::OptionalExtension;

use super::{Engine, Writer};
use crate::StoreError;

impl Engine {
    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
            Ok(statement.query_row([name], |row| row.get(0)).optional()?)
        })
    }

    pub(crate) fn is_empty(&self) -> Result<bool, StoreError> {
        // Everything else hangs on an organisation or a lab test.
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM organisations)
            AND NOT EXISTS (SELECT 1 FROM providers)
            AND NOT EXISTS (SELECT 1 FROM lab_tests)
            AND NOT EXISTS (SELECT 1 FROM diagnoses)
            AND NOT EXISTS (SELECT 1 FROM cancellation_reasons)";
        self.read(|connection| Ok(connection.query_row(sql, [], |row| row.get(0))?))
    }
}

impl Writer<'_> {
    pub(crate) fn put_meta(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value IS NOT excluded.value";
        self.connection.prepare_cached(sql)?.execute([name, value])?;
        Ok(())
    }
}

//! Notes about the store itself.

use super::connection::Connection;
use super::value::params;

use super::{Engine, Writer};
use crate::StoreError;

impl Engine {
    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.read(|connection| meta(connection, name))
    }

    pub(crate) fn is_empty(&self) -> Result<bool, StoreError> {
        self.read(is_empty)
    }
}

impl Writer<'_> {
    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        meta(self.connection, name)
    }

    pub(crate) fn is_empty(&self) -> Result<bool, StoreError> {
        is_empty(self.connection)
    }

    pub(crate) fn put_meta(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value IS DISTINCT FROM excluded.value";
        self.connection.execute(sql, params![name, value])?;
        Ok(())
    }

    pub(super) fn delete_meta(&self, name: &str) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM meta WHERE name = ?1", params![name])?;
        Ok(())
    }

    pub(crate) fn put_meta_if_absent(&self, name: &str, value: &str) -> Result<String, StoreError> {
        if let Some(stored) = self.meta(name)? {
            return Ok(stored);
        }
        self.put_meta(name, value)?;
        Ok(value.to_owned())
    }
}

pub(crate) fn meta(connection: &Connection<'_>, name: &str) -> Result<Option<String>, StoreError> {
    connection.first("SELECT value FROM meta WHERE name = ?1", params![name], |row| {
        row.get(0)
    })
}

fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    // Everything else hangs on one of these.
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM organisations)
        AND NOT EXISTS (SELECT 1 FROM providers)
        AND NOT EXISTS (SELECT 1 FROM lab_tests)
        AND NOT EXISTS (SELECT 1 FROM cancellation_reasons)";
    connection.one(sql, params![], |row| row.get(0))
}

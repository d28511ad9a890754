//! Notes about the store itself.

use crate::sql::connection::Connection;
use crate::sql::value::params;

use crate::StoreError;
use crate::sql::{Reader, Transaction};

impl Reader<'_> {
    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        meta(self.connection, name)
    }

    pub(crate) fn is_empty(&self) -> Result<bool, StoreError> {
        is_empty(self.connection)
    }
}

impl Transaction<'_> {
    /// A note of the store, of this transaction or an earlier one.
    pub fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        meta(self.connection, name)
    }

    /// Returns whether the store has only notes, including writes of this transaction.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        is_empty(self.connection)
    }

    /// Puts a note, for [`Store::meta`](crate::Store::meta).
    pub fn put_meta(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value IS DISTINCT FROM excluded.value";
        self.connection.execute(sql, params![name, value])?;
        Ok(())
    }

    pub(crate) fn delete_meta(&self, name: &str) -> Result<(), StoreError> {
        self.connection
            .execute("DELETE FROM meta WHERE name = ?1", params![name])?;
        Ok(())
    }

    /// Puts a note unless one of this name exists, and returns the current one.
    ///
    /// For values that must be created once, like a secret: one of several processes creates it, and all of them
    /// get the same.
    pub fn put_meta_if_absent(&self, name: &str, value: &str) -> Result<String, StoreError> {
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
    // All other rows refer to one of these.
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM organisations)
        AND NOT EXISTS (SELECT 1 FROM providers)
        AND NOT EXISTS (SELECT 1 FROM lab_tests)
        AND NOT EXISTS (SELECT 1 FROM cancellation_reasons)";
    connection.one(sql, params![], |row| row.get(0))
}

//! Reads on a connection of any engine.

use std::path::Path;

use super::connection::Connection;
use crate::StoreError;
use crate::seal::Seal;

/// Reads of the store. The files of each subject add their statements.
pub(crate) struct Reader<'a> {
    pub(super) connection: &'a Connection<'a>,
    pub(super) seal: &'a Seal,
    /// Display name of the store.
    pub(super) path: &'a Path,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(connection: &'a Connection<'a>, seal: &'a Seal, path: &'a Path) -> Self {
        Self { connection, seal, path }
    }

    /// Returns an error for a row that differs from any written one.
    pub(super) fn damaged(&self, what: &'static str) -> StoreError {
        StoreError::Damaged {
            path: self.path.to_owned(),
            source: what.into(),
        }
    }
}

//! What reads, on a connection of any engine.

use std::path::Path;

use super::connection::Connection;
use crate::StoreError;
use crate::seal::Seal;

/// Reads. Each file beside this one adds the statements of a subject.
pub(crate) struct Reader<'a> {
    pub(super) connection: &'a Connection<'a>,
    pub(super) seal: &'a Seal,
    /// What names the store to people.
    pub(super) path: &'a Path,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(connection: &'a Connection<'a>, seal: &'a Seal, path: &'a Path) -> Self {
        Self { connection, seal, path }
    }

    /// That what was read cannot be what was written.
    pub(super) fn damaged(&self, what: &'static str) -> StoreError {
        StoreError::Damaged {
            path: self.path.to_owned(),
            source: what.into(),
        }
    }
}

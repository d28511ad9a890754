//! Connections that read.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};

use super::open::set_up;
use crate::StoreError;

/// Connections that read, each lent to one thread at a time.
///
/// A read never waits with a connection in hand, so there are never more of them than threads that read. A pool
/// rather than thread-local connections, because it closes them with the store.
pub(super) struct Readers {
    path: PathBuf,
    /// Of each connection, in KiB.
    cache: i64,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, cache: i64) -> Self {
        Self {
            path,
            cache,
            idle: Mutex::default(),
        }
    }

    /// Lends a connection. One that panics is not lent again.
    pub(super) fn with<T, E: From<StoreError>>(&self, work: impl FnOnce(&Connection) -> Result<T, E>) -> Result<T, E> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open()?,
        };
        let result = work(&connection);
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(connection);
        result
    }

    fn open(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        set_up(&connection, self.cache)?;
        Ok(connection)
    }
}

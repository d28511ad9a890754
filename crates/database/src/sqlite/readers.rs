//! Pool of reading connections.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};

use super::open::set_up;
use crate::error::DatabaseError;

/// Maximum number of idle connections.
const MAX_IDLE: usize = 64;

/// Reading connections, each used by one thread at a time.
///
/// A read never waits while it holds a connection, so there are never more connections than reading threads. Each
/// thread uses the connection in its own slot if that is free, so that threads share no lock. The pool holds them,
/// rather than thread-local storage, because they are closed with the store.
pub(super) struct Readers {
    path: PathBuf,
    /// Cache size of each connection, in KiB.
    cache: i64,
    idle: Box<[Mutex<Option<Connection>>]>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, cache: i64) -> Self {
        Self {
            path,
            cache,
            idle: (0..MAX_IDLE).map(|_| Mutex::default()).collect(),
        }
    }

    /// Runs `work` with a connection, and a flag for a new one. After a panic, the connection is not
    /// reused.
    pub(super) fn with<T, E: From<DatabaseError>>(
        &self,
        work: impl FnOnce(&Connection, bool) -> Result<T, E>,
    ) -> Result<T, E> {
        let own = own_place();
        let (connection, is_new) = match self.take(own) {
            Some(connection) => (connection, false),
            None => (self.open()?, true),
        };
        let result = work(&connection, is_new);
        let mut place = self.idle[own].lock().unwrap_or_else(PoisonError::into_inner);
        // A connection that another thread put there meanwhile is closed.
        let other = place.replace(connection);
        drop(place);
        drop(other);
        result
    }

    /// Takes an idle connection, if there is one: from the own slot, or from another one.
    fn take(&self, own: usize) -> Option<Connection> {
        let mut places = (0..MAX_IDLE).map(|distance| (own + distance) % MAX_IDLE);
        places.find_map(|place| self.idle[place].try_lock().ok()?.take())
    }

    /// Opens a new connection.
    pub(super) fn open(&self) -> Result<Connection, DatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = wearlab_checksum_vfs::open(&self.path, flags)?;
        set_up(&connection, self.cache)?;
        Ok(connection)
    }
}

/// Returns the slot of this thread, below [`MAX_IDLE`], which few others share.
fn own_place() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed) % MAX_IDLE;
    }
    OWN.with(|own| *own)
}

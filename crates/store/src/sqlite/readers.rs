//! Connections that read.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};

use super::open::set_up;
use crate::StoreError;

/// How many connections are kept, at most.
const KEPT: usize = 64;

/// Connections that read, each lent to one thread at a time.
///
/// A read never waits with a connection in hand, so there are never more of them than threads that read. Each thread takes
/// the connection at its own place if that is free, so that threads share no lock; kept here rather than with the
/// thread, because they are closed with the store.
pub(super) struct Readers {
    path: PathBuf,
    /// Of each connection, in KiB.
    cache: i64,
    idle: Box<[Mutex<Option<Connection>>]>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, cache: i64) -> Self {
        Self {
            path,
            cache,
            idle: (0..KEPT).map(|_| Mutex::default()).collect(),
        }
    }

    /// Lends a connection, and says whether it was opened just now. One that panics is not lent again.
    pub(super) fn with<T, E: From<StoreError>>(
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
        // One that another thread has put there meanwhile is closed.
        let other = place.replace(connection);
        drop(place);
        drop(other);
        result
    }

    /// A connection that is idle, if there is one: that of this thread, or another one.
    fn take(&self, own: usize) -> Option<Connection> {
        let mut places = (0..KEPT).map(|distance| (own + distance) % KEPT);
        places.find_map(|place| self.idle[place].try_lock().ok()?.take())
    }

    /// A connection that is not lent.
    pub(super) fn open(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = wearlab_checksum_vfs::open(&self.path, flags)?;
        set_up(&connection, self.cache)?;
        Ok(connection)
    }
}

/// A number of this thread, from 0 to [`KEPT`], which few others have.
fn own_place() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed) % KEPT;
    }
    OWN.with(|own| *own)
}

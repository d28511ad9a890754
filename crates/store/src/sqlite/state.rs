//! Whether anything was written, by this process or another one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::StoreError;

/// For how long what another process writes may go unnoticed.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// The state of the store: a number that moves with every commit.
///
/// What this process commits moves it before the write returns; of another process, it is noticed within [`LOOK_AGAIN`].
pub(super) struct State {
    /// Odd while this process commits: reads find either what was or what will be.
    number: AtomicU64,
    began: Instant,
    /// When somebody looked for commits of other processes, in nanoseconds since `began`.
    looked: AtomicU64,
    looking: Mutex<Looking>,
}

/// Who looks for commits of other processes.
#[derive(Default)]
struct Looking {
    connection: Option<Connection>,
    /// What the engine said when it was last asked.
    version: Option<i64>,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            number: AtomicU64::new(0),
            began: Instant::now(),
            looked: AtomicU64::new(0),
            looking: Mutex::default(),
        }
    }

    /// Moves on over a commit, of which there is one at a time.
    pub(super) fn over<T>(&self, commit: impl FnOnce() -> T) -> T {
        self.number.fetch_add(1, Ordering::AcqRel);
        let committed = commit();
        self.number.fetch_add(1, Ordering::AcqRel);
        committed
    }

    /// The state now; none while this process commits. `open` opens a connection, and `check` runs each time that somebody
    /// looks.
    ///
    /// # Errors
    ///
    /// Those of both, and where the engine does not say whether something was written.
    pub(super) fn now(
        &self,
        open: impl FnOnce() -> Result<Connection, StoreError>,
        check: impl FnOnce(&Connection) -> Result<(), StoreError>,
    ) -> Result<Option<u64>, StoreError> {
        if self.is_due() {
            let mut looking = self.looking();
            // Another thread may have looked while this one waited for it.
            if self.is_due() {
                self.look(&mut looking, open, check)?;
            }
        }
        let number = self.number.load(Ordering::Acquire);
        Ok((number % 2 == 0).then_some(number))
    }

    fn look(
        &self,
        looking: &mut Looking,
        open: impl FnOnce() -> Result<Connection, StoreError>,
        check: impl FnOnce(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let at = self.elapsed();
        let connection = match looking.connection.take() {
            Some(connection) => connection,
            None => open()?,
        };
        let connection = looking.connection.insert(connection);
        check(connection)?;
        let version = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if looking.version.replace(version) != Some(version) {
            self.number.fetch_add(2, Ordering::AcqRel);
        }
        self.looked.store(at.max(1), Ordering::Release);
        Ok(())
    }

    fn is_due(&self) -> bool {
        let looked = self.looked.load(Ordering::Acquire);
        looked == 0 || Duration::from_nanos(self.elapsed().saturating_sub(looked)) >= LOOK_AGAIN
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn looking(&self) -> MutexGuard<'_, Looking> {
        self.looking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Version of the store, which changes with every write of any process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::error::DatabaseError;

/// Maximum delay until a write of another process is noticed.
const REFRESH_AFTER: Duration = Duration::from_millis(1);

/// Version of the store: a number that grows with every commit.
///
/// A commit of this process changes it before the write returns. A commit of another process is noticed within
/// [`REFRESH_AFTER`].
pub(super) struct State {
    /// Odd while this process commits: reads see the state either before or after it.
    number: AtomicU64,
    began: Instant,
    /// Time of the last check for commits of other processes, in nanoseconds since `began`.
    refreshed: AtomicU64,
    watcher: Mutex<Watcher>,
}

/// Detector of commits of other processes.
#[derive(Default)]
struct Watcher {
    connection: Option<Connection>,
    /// The engine's `data_version` at the last check.
    version: Option<i64>,
}

/// Guard that ends a commit, also on a panic.
struct CommitGuard<'a>(&'a AtomicU64);

impl Drop for CommitGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            number: AtomicU64::new(0),
            began: Instant::now(),
            refreshed: AtomicU64::new(0),
            watcher: Mutex::default(),
        }
    }

    /// Runs a commit, and changes the version. Only one commit runs at a time.
    pub(super) fn over<T>(&self, commit: impl FnOnce() -> T) -> T {
        self.number.fetch_add(1, Ordering::AcqRel);
        let _committed = CommitGuard(&self.number);
        commit()
    }

    /// Returns the current version. None while this process commits, or while another thread checks for other commits,
    /// which may wait. `open` opens a connection, and `check` runs before each check for other commits.
    ///
    /// # Errors
    ///
    /// Those of `open` and `check`, and of the query of the engine.
    pub(super) fn now(
        &self,
        open: impl FnOnce() -> Result<Connection, DatabaseError>,
        check: impl FnOnce(&Connection) -> Result<(), DatabaseError>,
    ) -> Result<Option<u64>, DatabaseError> {
        if self.is_due() {
            let mut watcher = match self.watcher.try_lock() {
                Ok(watcher) => watcher,
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Poisoned(watcher)) => PoisonError::into_inner(watcher),
            };
            self.refresh(&mut watcher, open, check)?;
        }
        let number = self.number.load(Ordering::Acquire);
        Ok(number.is_multiple_of(2).then_some(number))
    }

    fn refresh(
        &self,
        watcher: &mut Watcher,
        open: impl FnOnce() -> Result<Connection, DatabaseError>,
        check: impl FnOnce(&Connection) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let at = self.elapsed();
        let connection = match watcher.connection.take() {
            Some(connection) => connection,
            None => open()?,
        };
        let connection = watcher.connection.insert(connection);
        check(connection)?;
        let version = connection.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        if watcher.version.replace(version) != Some(version) {
            self.number.fetch_add(2, Ordering::AcqRel);
        }
        self.refreshed.store(at.max(1), Ordering::Release);
        Ok(())
    }

    fn is_due(&self) -> bool {
        let refreshed = self.refreshed.load(Ordering::Acquire);
        refreshed == 0 || Duration::from_nanos(self.elapsed().saturating_sub(refreshed)) >= REFRESH_AFTER
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::State;
    use crate::error::DatabaseError;

    fn now(state: &State) -> Option<u64> {
        let open = || rusqlite::Connection::open_in_memory().map_err(DatabaseError::from);
        state.now(open, |_| Ok(())).expect("is asked")
    }

    #[test]
    fn a_commit_moves_it_and_has_none_meanwhile() {
        let state = State::new();
        let before = now(&state).expect("a state");
        assert_eq!(state.over(|| now(&state)), None);
        let after = now(&state).expect("a state");
        assert!(after > before);
        assert_eq!(now(&state), Some(after));
        let panics = catch_unwind(AssertUnwindSafe(|| state.over(|| panic!("in a commit"))));
        assert!(panics.is_err());
        assert!(now(&state).expect("a state") > after);
    }
}

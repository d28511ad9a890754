//! Server of a database: waits for its responses, and caches its partitions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_executor::block_on;
use tokio::runtime::{EnterGuard, Runtime};
use tokio::time::timeout_at;
use wearlab_clock::deadline;

/// Additional time to wait for a response after the server's statement time-out.
const RESPONSE_MARGIN: Duration = Duration::from_secs(5);

/// State of a server that its connections share.
pub(super) struct Server {
    location: PathBuf,
    /// Maximum wait for a response.
    pub(super) response_timeout: Duration,
    /// Runtime of the connections, independent of the waiting tasks.
    runtime: Option<Runtime>,
    /// Partitions that exist, by table and day.
    partitions: Mutex<BTreeSet<(&'static str, i64)>>,
}

impl Server {
    pub(super) fn new(location: PathBuf, statement_timeout: Duration, runtime: Runtime) -> Self {
        Self {
            location,
            response_timeout: statement_timeout.saturating_add(RESPONSE_MARGIN),
            runtime: Some(runtime),
            partitions: Mutex::default(),
        }
    }

    /// Display name of the database: its server and its name.
    pub(super) fn path(&self) -> &Path {
        &self.location
    }

    pub(super) fn runtime(&self) -> Option<&Runtime> {
        self.runtime.as_ref()
    }

    /// Enters the runtime: a caller may have no timer.
    pub(super) fn enter(&self) -> Option<EnterGuard<'_>> {
        self.runtime.as_ref().map(Runtime::enter)
    }

    /// Blocks the calling thread, in whatever runtime, up to the deadline of the task, and for at most `limit`.
    pub(super) fn wait<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let _context = self.enter();
        let waiting = timeout_at(deadline::earliest(limit).into(), future);
        // Cooperative scheduling would make it yield to other tasks, and there are none here.
        block_on(tokio::task::unconstrained(waiting)).ok()
    }

    /// Returns the partitions that are known to exist, by table and day.
    pub(super) fn cached_partitions(&self) -> MutexGuard<'_, BTreeSet<(&'static str, i64)>> {
        self.partitions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A store may be dropped where blocking is not allowed.
            runtime.shutdown_background();
        }
    }
}

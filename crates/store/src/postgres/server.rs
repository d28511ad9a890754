//! The server of a database: waits for its responses, and the partitions that it is known to have.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_executor::block_on;
use tokio::runtime::{EnterGuard, Runtime};
use tokio::time::timeout_at;

use crate::deadline;

/// How much longer than the server may work on a statement this process waits for its response.
const RESPONSE_MARGIN: Duration = Duration::from_secs(5);

/// A server, as the connections to it have it in common.
pub(super) struct Server {
    location: PathBuf,
    /// The longest wait for a response, whatever the server does.
    pub(super) response_timeout: Duration,
    /// Runs the connections, whoever waits for their responses.
    runtime: Option<Runtime>,
    /// The days that there is a partition for.
    days: Mutex<BTreeSet<i64>>,
}

impl Server {
    pub(super) fn new(location: PathBuf, statement_timeout: Duration, runtime: Runtime) -> Self {
        Self {
            location,
            response_timeout: statement_timeout.saturating_add(RESPONSE_MARGIN),
            runtime: Some(runtime),
            days: Mutex::default(),
        }
    }

    /// The name of the database for people: its server and its name.
    pub(super) fn path(&self) -> &Path {
        &self.location
    }

    pub(super) fn runtime(&self) -> Option<&Runtime> {
        self.runtime.as_ref()
    }

    /// Enters the runtime: a caller may have no clock.
    pub(super) fn enter(&self) -> Option<EnterGuard<'_>> {
        self.runtime.as_ref().map(Runtime::enter)
    }

    /// Waits on the calling thread, whatever runtime that is of, up to the deadline of the task and no longer than
    /// `limit`.
    pub(super) fn wait<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let _context = self.enter();
        let waiting = timeout_at(deadline::earliest(limit).into(), future);
        // Within a task, the runtime would have it give way to others, which here is nobody.
        block_on(tokio::task::unconstrained(waiting)).ok()
    }

    /// The days that there is a partition for.
    pub(super) fn known_days(&self) -> MutexGuard<'_, BTreeSet<i64>> {
        self.days.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Stores are dropped where nobody may wait.
            runtime.shutdown_background();
        }
    }
}

//! Whether anything was written, by whichever process: the server is asked by all reads together.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Object, Pool};
use tokio::runtime::Handle;
use tokio::sync::oneshot::{self, Sender};
use tokio::task::JoinHandle;
use tokio::time::{timeout, timeout_at};

use crate::deadline;

/// What the server's state is, as text. Two snapshots that are the same show the same rows: whatever was committed in
/// between, by anybody, would have moved the second one. Those of another server, such as after a failover, start at
/// another time. A standby does not say which transactions are in progress there.
const SNAPSHOT: &str = "SELECT concat(extract(epoch FROM pg_postmaster_start_time()), ' ', pg_current_snapshot())
    WHERE NOT pg_is_in_recovery()";

/// The state of the database: a number that moves with every commit of the server's.
///
/// One question at a time is on its way. Reads that come meanwhile wait for the next one, which answers all of them: under
/// load, many reads take one.
#[derive(Clone)]
pub(super) struct State(Arc<Shared>);

struct Shared {
    pool: Pool,
    response_timeout: Duration,
    seen: Mutex<Seen>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Seen {
    number: u64,
    snapshot: String,
}

#[derive(Default)]
struct Waiting {
    reads: Vec<Sender<Option<u64>>>,
    /// What asks, until no read waits.
    asks: Option<JoinHandle<()>>,
}

impl State {
    pub(super) fn new(pool: Pool, response_timeout: Duration) -> Self {
        Self(Arc::new(Shared {
            pool,
            response_timeout,
            seen: Mutex::default(),
            waiting: Mutex::default(),
        }))
    }

    /// The state that was seen last, which is not later than now.
    pub(super) fn seen(&self) -> u64 {
        self.0.seen().number
    }

    /// The state at a moment after this was called, unless the server does not say in time. `runtime` is that of the
    /// connections.
    pub(super) async fn now(&self, runtime: &Handle) -> Option<u64> {
        let (sender, answer) = oneshot::channel();
        {
            let mut waiting = self.0.waiting();
            waiting.reads.push(sender);
            if waiting.asks.as_ref().is_none_or(JoinHandle::is_finished) {
                waiting.asks = Some(runtime.spawn(Arc::clone(&self.0).ask()));
            }
        }
        let answer = {
            // Its clock: the caller may have none.
            let _context = runtime.enter();
            timeout_at(deadline::earliest(self.0.response_timeout).into(), answer)
        };
        answer.await.ok()?.ok()?
    }
}

impl Shared {
    /// Asks again and again, each time for all reads that wait.
    async fn ask(self: Arc<Self>) {
        loop {
            let reads = {
                let mut waiting = self.waiting();
                if waiting.reads.is_empty() {
                    waiting.asks = None;
                    return;
                }
                take(&mut waiting.reads)
            };
            let state = self.snapshot().await.map(|snapshot| self.seen().number_of(snapshot));
            for read in reads {
                // One that no longer waits needs no answer.
                let _ = read.send(state);
            }
        }
    }

    /// None where the server does not say: what is asked of it next fails with the reason.
    async fn snapshot(&self) -> Option<String> {
        let client = self.pool.get().await.ok()?;
        let asked = async {
            let statement = client.prepare_cached(SNAPSHOT).await?;
            client.query_opt(&statement, &[]).await
        };
        match timeout(self.response_timeout, asked).await {
            Ok(row) => row.ok()??.try_get(0).ok(),
            Err(_) => {
                // Whoever had the connection next would be behind this.
                drop(Object::take(client));
                None
            }
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// The number of the snapshot that was taken last.
    fn number_of(&mut self, snapshot: String) -> u64 {
        if self.snapshot != snapshot {
            self.snapshot = snapshot;
            self.number += 1;
        }
        self.number
    }
}

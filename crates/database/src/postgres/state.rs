//! Version of cached rows across all processes. One query to the server serves all waiting reads.

use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{Hook, Object, Pool};
use tokio::runtime::Handle;
use tokio::sync::oneshot::{self, Sender};
use tokio::task::JoinHandle;
use tokio::time::{timeout, timeout_at};
use wearlab_clock::deadline;

/// Time limit of one query, including the wait for a connection. The query waits for no lock, and a slow server must
/// not delay reads that other connections serve.
const QUERY_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause of queries after one that timed out.
const PAUSE_AFTER_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause of queries after a series that all found a new version: with so many writes, they only delay reads.
const PAUSE_AFTER_CHANGES: Duration = Duration::from_millis(10);
/// Number of new versions in a row that starts a pause.
const CHANGES_BEFORE_PAUSE: u32 = 4;

/// Version of cached rows: a number that grows with every commit that changes any.
///
/// Only one query is in flight. Reads that arrive meanwhile wait for the next query, which serves all of them: under
/// load, many reads share one query.
pub(super) struct State(Arc<Shared>);

/// Number of connections created. A server that crashed has lost all of them, and may reuse numbers of transactions
/// that were not durable.
#[derive(Clone, Default)]
pub(super) struct Connections(Arc<AtomicU64>);

struct Shared {
    pool: Pool,
    connections: Connections,
    /// Query of the version, as a text.
    query: &'static str,
    seen: Mutex<LastVersion>,
    waiting: Mutex<PendingReads>,
}

#[derive(Default)]
struct LastVersion {
    number: u64,
    text: String,
    /// Number of queries in a row that found a new version.
    moves: u32,
    /// No query is sent before this time.
    pause: Option<Instant>,
}

#[derive(Default)]
struct PendingReads {
    reads: Vec<Sender<Option<u64>>>,
    /// The task that queries until no read waits.
    asking: Option<JoinHandle<()>>,
}

impl Connections {
    /// Returns a hook that counts the connections of a pool.
    pub(super) fn hook(&self) -> Hook {
        let connections = self.clone();
        Hook::sync_fn(move |_, _| {
            connections.0.fetch_add(1, Ordering::AcqRel);
            Ok(())
        })
    }
}

impl State {
    pub(super) fn new(pool: Pool, connections: Connections, query: &'static str) -> Self {
        Self(Arc::new(Shared {
            pool,
            connections,
            query,
            seen: Mutex::default(),
            waiting: Mutex::default(),
        }))
    }

    /// Returns the last version. None while validating it is not worthwhile.
    pub(super) fn seen(&self) -> Option<u64> {
        self.0.seen().at(Instant::now())
    }

    /// Returns the version at a moment after the call. None if the server does not respond in time. `runtime` is that
    /// of the connections.
    pub(super) async fn now(&self, runtime: &Handle) -> Option<u64> {
        let (sender, response) = oneshot::channel();
        {
            let mut waiting = self.0.waiting();
            waiting.reads.push(sender);
            if waiting.asking.as_ref().is_none_or(JoinHandle::is_finished) {
                waiting.asking = Some(runtime.spawn(Arc::clone(&self.0).ask()));
            }
        }
        let response = {
            // The timer of the runtime: the caller may have none. The query in flight may take its full time, too.
            let _context = runtime.enter();
            timeout_at(deadline::earliest(2 * QUERY_TIMEOUT).into(), response)
        };
        response.await.ok()?.ok()?
    }
}

impl Shared {
    /// Queries in a loop, each time for all waiting reads.
    async fn ask(self: Arc<Self>) {
        loop {
            let reads = {
                let mut waiting = self.waiting();
                if waiting.reads.is_empty() {
                    waiting.asking = None;
                    return;
                }
                take(&mut waiting.reads)
            };
            let text = self.text().await;
            let state = self.seen().after(text);
            for read in reads {
                // A read that was dropped needs no answer.
                let _ = read.send(state);
            }
        }
    }

    /// Reads the version as text. None if the query fails: the next statement then fails with the cause.
    async fn text(&self) -> Option<String> {
        let begun = Instant::now();
        let client = timeout(QUERY_TIMEOUT, self.pool.get()).await.ok()?.ok()?;
        // Loaded before the query: a later connection may be to a server that crashed meanwhile.
        let connections = self.connections.0.load(Ordering::Acquire);
        let asked = async {
            let statement = client.prepare_cached(self.query).await?;
            client.query_opt(&statement, &[]).await
        };
        match timeout(QUERY_TIMEOUT.saturating_sub(begun.elapsed()), asked).await {
            Ok(row) => {
                let text: String = row.ok()??.try_get(0).ok()?;
                Some(format!("{connections} {text}"))
            }
            Err(_) => {
                // The connection is closed, because its next user would wait behind this query.
                drop(Object::take(client));
                None
            }
        }
    }

    fn seen(&self) -> MutexGuard<'_, LastVersion> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, PendingReads> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LastVersion {
    fn at(&mut self, now: Instant) -> Option<u64> {
        if self.pause.is_some_and(|until| now < until) {
            return None;
        }
        self.pause = None;
        Some(self.number)
    }

    /// Updates the version after a query. Queries are processed in order.
    fn after(&mut self, text: Option<String>) -> Option<u64> {
        let Some(text) = text else {
            // The next response counts as a new version.
            self.text.clear();
            self.pause = Some(Instant::now() + PAUSE_AFTER_TIMEOUT);
            return None;
        };
        if self.text == text {
            self.moves = 0;
            return Some(self.number);
        }
        self.text = text;
        self.number += 1;
        self.moves += 1;
        if self.moves >= CHANGES_BEFORE_PAUSE {
            self.pause = Some(Instant::now() + PAUSE_AFTER_CHANGES);
        }
        Some(self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{CHANGES_BEFORE_PAUSE, LastVersion, PAUSE_AFTER_TIMEOUT};

    #[test]
    fn reads_do_not_ask_while_all_questions_find_something_new_or_nothing() {
        let mut seen = LastVersion::default();
        for number in 1..CHANGES_BEFORE_PAUSE {
            assert_eq!(seen.after(Some(number.to_string())), Some(number.into()));
            assert_eq!(seen.pause, None);
        }
        // A query that finds the same version resets the count.
        assert_eq!(
            seen.after(Some((CHANGES_BEFORE_PAUSE - 1).to_string())),
            Some((CHANGES_BEFORE_PAUSE - 1).into())
        );
        for number in CHANGES_BEFORE_PAUSE..2 * CHANGES_BEFORE_PAUSE - 1 {
            assert_eq!(seen.after(Some(number.to_string())), Some(number.into()));
            assert_eq!(seen.pause, None);
        }
        for text in [Some("other".to_owned()), None] {
            let begun = Instant::now();
            seen.after(text);
            assert_eq!(seen.at(begun), None);
            assert_eq!(seen.at(begun + 2 * PAUSE_AFTER_TIMEOUT), Some(seen.number));
            assert_eq!(seen.at(begun), Some(seen.number), "a pause ends once");
        }
    }
}

//! Whether users were changed, by whichever process: the server is asked by all reads together.

use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{Hook, Object, Pool};
use tokio::runtime::Handle;
use tokio::sync::oneshot::{self, Sender};
use tokio::task::JoinHandle;
use tokio::time::{timeout, timeout_at};

use crate::deadline;

/// What the state is, as text: the transaction that changed users last. Where it is the same twice, no commit between the
/// two changed any, by whomever. That of another server, such as after a failover, started at another time. A standby may be
/// behind.
const STATE: &str = "SELECT concat(extract(epoch FROM pg_postmaster_start_time()), ' ', changed_by) FROM users_changed
    WHERE NOT pg_is_in_recovery() ORDER BY changed_by DESC LIMIT 1";

/// How long one question may take, with the wait for a connection. It waits for no lock: whoever does not respond by then
/// would hold up reads that other connections serve.
const QUESTION: Duration = Duration::from_secs(1);
/// For how long reads go on without asking after a question that had no response.
const AFTER_SILENCE: Duration = Duration::from_secs(1);
/// The same after questions that all found something new: while so much is written, they only hold up reads.
const AFTER_MOVES: Duration = Duration::from_millis(10);
/// How many such questions in a row.
const MOVES: u32 = 4;

/// The state of the database's users: a number that moves with every commit that changes any.
///
/// One question at a time is on its way. Reads that come meanwhile wait for the next one, which answers all of them: under
/// load, many reads take one.
pub(super) struct State(Arc<Shared>);

/// How many connections were made. A server that crashed has lost all of them, and may give numbers of transactions again
/// that nobody has seen kept.
#[derive(Clone, Default)]
pub(super) struct Connections(Arc<AtomicU64>);

struct Shared {
    pool: Pool,
    connections: Connections,
    seen: Mutex<Seen>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Seen {
    number: u64,
    text: String,
    /// How many questions in a row found another state than the one before.
    moves: u32,
    /// Nobody asks before.
    pause: Option<Instant>,
}

#[derive(Default)]
struct Waiting {
    reads: Vec<Sender<Option<u64>>>,
    /// The task that asks, until no read waits.
    asking: Option<JoinHandle<()>>,
}

impl Connections {
    /// What counts those that a pool makes.
    pub(super) fn hook(&self) -> Hook {
        let connections = self.clone();
        Hook::sync_fn(move |_, _| {
            connections.0.fetch_add(1, Ordering::AcqRel);
            Ok(())
        })
    }
}

impl State {
    pub(super) fn new(pool: Pool, connections: Connections) -> Self {
        Self(Arc::new(Shared {
            pool,
            connections,
            seen: Mutex::default(),
            waiting: Mutex::default(),
        }))
    }

    /// The state that was seen last, which is not later than now. None where it does not pay to ask whether it is that of
    /// now.
    pub(super) fn seen(&self) -> Option<u64> {
        self.0.seen().at(Instant::now())
    }

    /// The state at a moment after this was called, unless the server does not say in time. `runtime` is that of the
    /// connections.
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
            // Its clock: the caller may have none. The question that is on its way may take its time, too.
            let _context = runtime.enter();
            timeout_at(deadline::earliest(2 * QUESTION).into(), response)
        };
        response.await.ok()?.ok()?
    }
}

impl Shared {
    /// Asks again and again, each time for all reads that wait.
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
                // One that no longer waits needs no answer.
                let _ = read.send(state);
            }
        }
    }

    /// None where the server does not say: what is asked of it next fails with the reason.
    async fn text(&self) -> Option<String> {
        let begun = Instant::now();
        let client = timeout(QUESTION, self.pool.get()).await.ok()?.ok()?;
        // Before it is asked: what is connected later may be to a server that crashed meanwhile.
        let connections = self.connections.0.load(Ordering::Acquire);
        let asked = async {
            let statement = client.prepare_cached(STATE).await?;
            client.query_opt(&statement, &[]).await
        };
        match timeout(QUESTION.saturating_sub(begun.elapsed()), asked).await {
            Ok(row) => {
                let text: String = row.ok()??.try_get(0).ok()?;
                Some(format!("{connections} {text}"))
            }
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
    fn at(&mut self, now: Instant) -> Option<u64> {
        if self.pause.is_some_and(|until| now < until) {
            return None;
        }
        self.pause = None;
        Some(self.number)
    }

    /// The state after a question, of which there was none later.
    fn after(&mut self, text: Option<String>) -> Option<u64> {
        let Some(text) = text else {
            // Whatever comes next is another state.
            self.text.clear();
            self.pause = Some(Instant::now() + AFTER_SILENCE);
            return None;
        };
        if self.text == text {
            self.moves = 0;
            return Some(self.number);
        }
        self.text = text;
        self.number += 1;
        self.moves += 1;
        if self.moves >= MOVES {
            self.pause = Some(Instant::now() + AFTER_MOVES);
        }
        Some(self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{AFTER_SILENCE, MOVES, Seen};

    #[test]
    fn reads_do_not_ask_while_all_questions_find_something_new_or_nothing() {
        let mut seen = Seen::default();
        for number in 1..MOVES {
            assert_eq!(seen.after(Some(number.to_string())), Some(number.into()));
            assert_eq!(seen.pause, None);
        }
        // One that finds nothing new begins again.
        assert_eq!(seen.after(Some((MOVES - 1).to_string())), Some((MOVES - 1).into()));
        for number in MOVES..2 * MOVES - 1 {
            assert_eq!(seen.after(Some(number.to_string())), Some(number.into()));
            assert_eq!(seen.pause, None);
        }
        for text in [Some("other".to_owned()), None] {
            let begun = Instant::now();
            seen.after(text);
            assert_eq!(seen.at(begun), None);
            assert_eq!(seen.at(begun + 2 * AFTER_SILENCE), Some(seen.number));
            assert_eq!(seen.at(begun), Some(seen.number), "a pause ends once");
        }
    }
}

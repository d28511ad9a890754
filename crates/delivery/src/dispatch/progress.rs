//! Saves the progress of destinations, of several in one transaction.
//!
//! Only one transaction writes at a time, over all processes. With one for each batch, many destinations would wait long, and
//! a process that is paused would hold up the others once for each.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use wearlab_store::{Advance, Lease, Store, StoreError};

/// A transaction that has so many results takes no further batch: other writers wait meanwhile.
const MAX_RESULTS: usize = 1000;

/// Saves progress.
#[derive(Default)]
pub(super) struct ProgressWriter {
    waiting: Mutex<Vec<Update>>,
    turn: tokio::sync::Mutex<()>,
}

/// The progress of one batch.
struct Update {
    lease: Lease,
    advance: Advance,
    now: DateTime<Utc>,
    saved: oneshot::Sender<Result<(), StoreError>>,
}

impl ProgressWriter {
    /// Saves the progress of a batch, unless the lease was lost. If the future is dropped, it may be saved all the same.
    pub(super) async fn save(
        &self,
        store: &Store,
        lease: Lease,
        advance: Advance,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let (saved, mut result) = oneshot::channel();
        let update = Update {
            lease,
            advance,
            now,
            saved,
        };
        self.waiting().push(update);
        loop {
            let turn = tokio::select! {
                biased;
                result = &mut result => return result.unwrap_or_else(|_| Err(lost())),
                turn = self.turn.lock() => turn,
            };
            let updates = self.next();
            if !updates.is_empty() {
                let (store, runtime) = (store.clone(), tokio::runtime::Handle::current());
                // Finishes, and notifies all, even if this task is stopped meanwhile.
                let writing = tokio::task::spawn_blocking(move || runtime.block_on(write(&store, updates)));
                writing.await.map_err(|error| StoreError::Engine(error.into()))?;
            }
            drop(turn);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Update>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The updates that have waited longest.
    fn next(&self) -> Vec<Update> {
        let mut waiting = self.waiting();
        let mut results = 0;
        let enough = waiting.iter().position(|update| {
            results += update.advance.results.len() + update.advance.attempts.len();
            results >= MAX_RESULTS
        });
        let count = enough.map_or(waiting.len(), |last| last + 1);
        waiting.drain(..count).collect()
    }
}

/// Writes updates in one transaction, each of them whole or not at all, and returns each result to its worker.
async fn write(store: &Store, updates: Vec<Update>) {
    let written = store.write(|write| {
        let each = updates.iter().map(|update| {
            write.attempt(|write| {
                write.hold(&update.lease)?;
                write.advance(update.lease.destination, &update.advance, update.now)
            })
        });
        Ok(each.collect::<Vec<_>>())
    });
    match written.await {
        Ok(written) => {
            for (update, written) in updates.into_iter().zip(written) {
                let _ = update.saved.send(written);
            }
        }
        Err(error) => {
            let mut error = Some(error);
            for update in updates {
                let _ = update.saved.send(Err(error.take().unwrap_or_else(lost)));
            }
        }
    }
}

fn lost() -> StoreError {
    StoreError::Engine("another update of the transaction failed".into())
}

//! Saves the progress of several destinations in one transaction.
//!
//! Only one transaction writes at a time, over all processes. With one for each batch, many destinations would wait
//! long, and a paused process would block the others once for each.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use wearlab_store::{Advance, Lease, Store, StoreError, Transaction};

/// Number of results after which a transaction takes no further batch: other writers wait meanwhile.
const MAX_RESULTS: usize = 4000;

/// Saves progress.
#[derive(Default)]
pub(super) struct ProgressWriter {
    waiting: Mutex<Vec<Update>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// The progress of one batch.
struct Update {
    lease: Lease,
    advance: Advance,
    now: DateTime<Utc>,
    saved: oneshot::Sender<Result<(), StoreError>>,
}

impl ProgressWriter {
    /// Waits for the writes that a dropped [`save`](Self::save) began: a new worker reads the progress of the previous
    /// one, and would otherwise save an older state.
    pub(super) async fn settled(&self) {
        drop(self.turn.lock().await);
    }

    /// Saves the progress of a batch, unless the lease was lost. If the future is dropped, it may still be saved,
    /// by a write that has begun.
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
                turn = Arc::clone(&self.turn).lock_owned() => turn,
            };
            let updates = self.next();
            if !updates.is_empty() {
                let (store, runtime) = (store.clone(), tokio::runtime::Handle::current());
                // Completes, and notifies all, even if this task is stopped meanwhile. The write outlives it, and owns
                // the turn.
                let writing = tokio::task::spawn_blocking(move || {
                    runtime.block_on(write(&store, updates));
                    drop(turn);
                });
                writing.await.map_err(|error| StoreError::Engine(error.into()))?;
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Update>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The updates that have waited longest, without those of workers that were stopped meanwhile.
    fn next(&self) -> Vec<Update> {
        let mut waiting = self.waiting();
        waiting.retain(|update| !update.saved.is_closed());
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
    let written = match together(store, &updates).await {
        Err(error) if updates.len() > 1 && may_be_of_one(&error) => one_by_one(store, &updates).await,
        written => written,
    };
    match written {
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

/// Returns whether one update may have failed alone, rather than the whole store. A write that may have happened is not
/// repeated.
fn may_be_of_one(error: &StoreError) -> bool {
    !matches!(
        error,
        StoreError::Busy
            | StoreError::Unavailable { .. }
            | StoreError::Unreachable(_)
            | StoreError::CommitUnknown(_)
            | StoreError::Superseded
    )
}

/// Writes all updates whose lease is valid, or none of them.
async fn together(store: &Store, updates: &[Update]) -> Result<Vec<Result<(), StoreError>>, StoreError> {
    let write = |write: &mut Transaction<'_>| {
        let each = updates.iter().map(|update| match write.hold(&update.lease) {
            Err(StoreError::Superseded) => Ok(Err(StoreError::Superseded)),
            held => {
                held?;
                let advanced = write.advance(update.lease.destination, &update.advance, update.now);
                advanced.map(Ok)
            }
        });
        each.collect()
    };
    store.write(write).await
}

/// Writes each update in a part of the transaction, which fails alone. A part keeps a copy of each page that it
/// changes.
async fn one_by_one(store: &Store, updates: &[Update]) -> Result<Vec<Result<(), StoreError>>, StoreError> {
    let write = |write: &mut Transaction<'_>| {
        let each = updates.iter().map(|update| {
            write.attempt(|write| {
                write.hold(&update.lease)?;
                write.advance(update.lease.destination, &update.advance, update.now)
            })
        });
        Ok(each.collect())
    };
    store.write(write).await
}

fn lost() -> StoreError {
    StoreError::Engine("another update of the transaction failed".into())
}

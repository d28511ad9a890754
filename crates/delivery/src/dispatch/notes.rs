//! Writes down how it went with batches, of all destinations of the process that wait for it together.
//!
//! Writes of all processes wait for each other. With one for each destination, many destinations would wait long, and a
//! process that is paused would hold up the others once for each.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use wearlab_store::{Advance, Lease, Store, StoreError};

/// How many results are written together at most, but for those of the last batch: others wait meanwhile.
const TOGETHER: usize = 1000;

/// What is to be written down.
#[derive(Default)]
pub(super) struct Notes {
    waiting: Mutex<Vec<Note>>,
    turn: tokio::sync::Mutex<()>,
}

/// How it went with a batch.
struct Note {
    lease: Lease,
    advance: Advance,
    now: DateTime<Utc>,
    told: oneshot::Sender<Result<(), StoreError>>,
}

impl Notes {
    /// Writes down how it went with a batch, unless another process works for the destination by now. Where this is
    /// given up, it may be written all the same.
    pub(super) async fn keep(
        &self,
        store: &Store,
        lease: Lease,
        advance: Advance,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let (told, mut hears) = oneshot::channel();
        let note = Note {
            lease,
            advance,
            now,
            told,
        };
        self.waiting().push(note);
        loop {
            let turn = tokio::select! {
                biased;
                heard = &mut hears => return heard.unwrap_or_else(|_| Err(lost())),
                turn = self.turn.lock() => turn,
            };
            let notes = self.next();
            if !notes.is_empty() {
                let (store, runtime) = (store.clone(), tokio::runtime::Handle::current());
                // All hear of it, also where whoever has the turn is ended meanwhile.
                let writing = tokio::task::spawn_blocking(move || runtime.block_on(write(&store, notes)));
                writing.await.map_err(|error| StoreError::Engine(error.into()))?;
            }
            drop(turn);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Note>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The notes that have waited longest.
    fn next(&self) -> Vec<Note> {
        let mut waiting = self.waiting();
        let mut results = 0;
        let enough = waiting.iter().position(|note| {
            results += note.advance.results.len();
            results >= TOGETHER
        });
        let count = enough.map_or(waiting.len(), |last| last + 1);
        waiting.drain(..count).collect()
    }
}

/// Writes notes together, each of them whole or not at all, and tells of each.
async fn write(store: &Store, notes: Vec<Note>) {
    let written = store.write(|write| {
        let each = notes.iter().map(|note| {
            write.attempt(|write| {
                write.hold(&note.lease)?;
                write.advance(note.lease.destination, &note.advance, note.now)
            })
        });
        Ok(each.collect::<Vec<_>>())
    });
    match written.await {
        Ok(written) => {
            for (note, written) in notes.into_iter().zip(written) {
                let _ = note.told.send(written);
            }
        }
        Err(error) => {
            let mut error = Some(error);
            for note in notes {
                let _ = note.told.send(Err(error.take().unwrap_or_else(lost)));
            }
        }
    }
}

fn lost() -> StoreError {
    StoreError::Engine("what was to be written with it failed".into())
}

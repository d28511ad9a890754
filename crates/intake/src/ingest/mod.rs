//! Ingestion of arrivals into a store, line by line: data, connections and devices, which cause events.

use wearlab_models::{LineNote, NoteCode};
use wearlab_store::{Ingested, Ingestion, Store, StoreError, Transaction, ValidArrival};

use crate::{
    Accepted, CommitMode, Input, IntakeError, LineError, LineHandler, LineTransaction, Outcome, Progress, Summary,
    process_lines,
};

/// Ingests arrivals, one JSON object a line. Ingesting the same lines again changes nothing and causes no events.
///
/// `ingestion` is called for each line. Lines are committed as they arrive: once `progress` reports that a line is
/// committed, its changes and the events that it caused are durable. The summary counts separately lines that were
/// `known` before, those that are `out_of_bounds`, with days that the user does not want ingested, and the number of
/// such days in other lines. Lines that need an assumption are accepted with a note, unless its code is one of
/// `rejected`.
///
/// # Errors
///
/// If the input cannot be read, or the store fails.
pub async fn ingest(
    store: &Store,
    inputs: Vec<Input>,
    ingestion: impl Fn() -> Ingestion + Send + Sync,
    rejected: Vec<NoteCode>,
    progress: &mut (dyn Progress + Send),
) -> Result<Summary, IntakeError> {
    let arrivals = Arrivals { ingestion, rejected };
    process_lines(store, inputs, &arrivals, CommitMode::AsTheyCome, progress).await
}

/// Handler of arrivals.
pub struct Arrivals<F> {
    /// Returns the options of ingesting a line.
    pub ingestion: F,
    /// Codes of notes that reject a line.
    pub rejected: Vec<NoteCode>,
}

impl<F: Fn() -> Ingestion> LineHandler for Arrivals<F> {
    type Value = ValidArrival;

    fn read(&self, line: &str) -> Result<ValidArrival, LineError> {
        ValidArrival::read(line)
    }

    fn prefetch<'v>(
        &self,
        write: &Transaction<'_>,
        arrivals: impl Iterator<Item = &'v ValidArrival> + Clone,
    ) -> Result<(), StoreError> {
        write.prefetch(arrivals, &(self.ingestion)())
    }

    fn write(&self, line: &mut LineTransaction<'_, '_>, arrival: &ValidArrival) -> Result<Outcome, StoreError> {
        let kind = arrival.kind();
        let ingested = line.attempt(kind, |write| {
            let ingested = write.ingest(arrival, &(self.ingestion)())?;
            let notes = write.notes(arrival, ingested)?;
            match notes.iter().find(|note| self.rejected.contains(&note.code)) {
                Some(note) => Err(rejection(kind, note)),
                None => Ok((ingested, notes)),
            }
        })?;
        Ok(ingested.map(|(ingested, notes)| {
            let (kind, dropped_days) = match ingested {
                Ingested::Taken => (kind, 0),
                Ingested::Partly(dropped_days) => (kind, dropped_days),
                Ingested::Duplicate => ("known", 0),
                Ingested::OutOfBounds => ("out_of_bounds", 0),
            };
            Accepted {
                kind,
                dropped_days,
                notes,
            }
        }))
    }
}

/// Returns the error of a line that is rejected in place of a note.
fn rejection(kind: &str, note: &LineNote) -> StoreError {
    let field = note.field.strip_prefix(kind).and_then(|field| field.strip_prefix('.'));
    StoreError::Refused {
        field: field.unwrap_or_default().to_owned().into(),
        reason: format!("{} ({}, which is rejected here)", note.message, note.code.as_str()),
    }
}

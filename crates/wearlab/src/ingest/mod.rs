//! Arrivals, line by line, into a store: data, connections and devices, which cause events.

use wearlab_store::{Ingested, Ingestion, Store, StoreError, Transaction, ValidArrival};

use crate::intake::{
    Accepted, CommitMode, Input, IntakeError, LineError, LineHandler, LineTransaction, Outcome, Progress, Summary,
    process_lines,
};

/// Takes arrivals, one JSON object a line. The same lines twice change nothing and cause nothing.
///
/// `ingestion` is asked for each line. Lines are kept as they come: once `progress` reports that a line is kept, what it
/// changed and the events that it caused are durable. The summary counts apart what was `known` before, what is
/// `out_of_bounds`, of days that the user does not want ingested, and how many such days other lines had.
///
/// # Errors
///
/// Where the input cannot be read, or the store fails.
pub async fn ingest(
    store: &Store,
    inputs: Vec<Input>,
    ingestion: impl Fn() -> Ingestion + Send + Sync,
    progress: &mut (dyn Progress + Send),
) -> Result<Summary, IntakeError> {
    process_lines(store, inputs, &Arrivals(ingestion), CommitMode::AsTheyCome, progress).await
}

pub(crate) struct Arrivals<F>(pub(crate) F);

impl<F: Fn() -> Ingestion> LineHandler for Arrivals<F> {
    type Value = ValidArrival;

    fn read(&self, line: &str) -> Result<ValidArrival, LineError> {
        ValidArrival::read(line)
    }

    fn look_ahead<'v>(
        &self,
        write: &Transaction<'_>,
        arrivals: impl Iterator<Item = &'v ValidArrival> + Clone,
    ) -> Result<(), StoreError> {
        write.look_ahead(arrivals, &(self.0)())
    }

    fn write(&self, line: &mut LineTransaction<'_, '_>, arrival: &ValidArrival) -> Result<Outcome, StoreError> {
        let kind = arrival.kind();
        let ingested = line.attempt(kind, |write| write.ingest(arrival, &(self.0)()))?;
        Ok(ingested.map(|ingested| match ingested {
            Ingested::Taken => kind.into(),
            Ingested::Partly(dropped_days) => Accepted { kind, dropped_days },
            Ingested::Known => "known".into(),
            Ingested::OutOfBounds => "out_of_bounds".into(),
        }))
    }
}

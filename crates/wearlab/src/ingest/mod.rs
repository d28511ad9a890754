//! Arrivals, line by line, into a store: data, connections and devices, which cause events.

use wearlab_models::{HypnogramEntry, ResourceName, SleepCycle};
use wearlab_store::{Arrival, ExactObject, Ingested, Ingestion, Store, StoreError};

use crate::intake::{
    self, Accepted, CommitMode, Input, IntakeError, LineError, LineHandler, LineTransaction, Outcome, Progress,
    Summary, process_lines, read_line,
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

struct Arrivals<F>(F);

impl<F: Fn() -> Ingestion> LineHandler for Arrivals<F> {
    type Value = Arrival;

    fn read(&self, line: &str) -> Result<Arrival, LineError> {
        let arrival = read_line(line, Arrival::kind)?;
        check_years(&arrival)?;
        if let Arrival::Data(data) = &arrival {
            // The user is not known yet. Whatever their time zone is, times have the same shape.
            let values = data.values_in("UTC").unwrap_or_default();
            check_values(&data.resource, &values)?;
        }
        Ok(arrival)
    }

    fn write(&self, line: &mut LineTransaction<'_, '_>, arrival: &Arrival) -> Result<Outcome, StoreError> {
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

/// Dates and times have years that others can read.
fn check_years(arrival: &Arrival) -> Result<(), LineError> {
    match arrival {
        Arrival::Data(data) => {
            intake::date("data.date", data.date)?;
            let values = data
                .data
                .iter()
                .enumerate()
                .flat_map(|(index, value)| value.iter().map(move |(_, member)| (index, member)));
            values
                .into_iter()
                .try_for_each(|(index, member)| intake::no_far_times(&format!("data.data[{index}]"), member))
        }
        Arrival::ConnectionMade(made) => intake::connection("connection_made.provider", &made.provider),
        Arrival::ConnectionFailed(failed) => intake::failure("connection_failed.error_details", &failed.error_details),
        Arrival::ConnectionEnded(_) | Arrival::Device(_) => Ok(()),
    }
}

/// Values of a resource that has a shape of its own must have it.
fn check_values(resource: &ResourceName, values: &[ExactObject]) -> Result<(), LineError> {
    match resource {
        ResourceName::SleepCycle => check_each::<SleepCycle>(values),
        ResourceName::Hypnogram => check_each::<HypnogramEntry>(values),
        _ => Ok(()),
    }
}

fn check_each<T: serde::de::DeserializeOwned>(values: &[ExactObject]) -> Result<(), LineError> {
    for (index, value) in values.iter().enumerate() {
        let value = serde_json::to_value(value).map_err(|_| LineError::new("data.data", "not JSON"))?;
        if let Err(error) = serde_path_to_error::deserialize::<_, T>(value) {
            return Err(intake::of_field(&format!("data.data[{index}]"), &error));
        }
    }
    Ok(())
}

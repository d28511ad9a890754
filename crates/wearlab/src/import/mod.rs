//! Records, line by line, into a store.

mod orders;
mod rules;

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use wearlab_ingest::{LineFormat, Words, with_field};
use wearlab_store::{Record, Store, StoreError, Transaction};

pub(crate) use self::rules::user as check_user;
use crate::intake::{
    CommitMode, Input, IntakeError, LineError, LineHandler, LineTransaction, Outcome, Progress, Summary, process_lines,
};

/// How to import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// Whether one bad line keeps all others out.
    pub strict: bool,
    /// The time of the import: nobody is born later.
    pub now: DateTime<Utc>,
}

/// Imports records, one JSON object a line. The same lines twice change nothing.
///
/// Lines are written in batches, each of which is kept whole; a bad line is reported to `progress` and leaves the others
/// alone, unless the import is strict: then one bad line keeps all out.
///
/// # Errors
///
/// Where the input cannot be read, or the store fails.
pub async fn import(
    store: &Store,
    inputs: Vec<Input>,
    options: &ImportOptions,
    progress: &mut (dyn Progress + Send),
) -> Result<Summary, IntakeError> {
    let commit_mode = match options.strict {
        true => CommitMode::AllOrNothing,
        false => CommitMode::Batches,
    };
    process_lines(store, inputs, &Records(*options), commit_mode, progress).await
}

/// How records are written as lines.
static FORMAT: LineFormat<Record> = LineFormat::new(Record::kind, || Words::of([schemars::schema_for!(Record)]));

pub(crate) struct Records(pub(crate) ImportOptions);

/// The fields that a record may leave out although the interface always has them: what follows from other records, and
/// a list that says nothing.
pub(crate) const OPTIONAL: [(&str, &str); 2] = [("user", "connected_sources"), ("pipeline", "event_type_prefixes")];

/// A line with the field that it may leave out.
fn completed(line: &str, error: &LineError) -> Option<String> {
    let missing =
        |(kind, field): &(&str, &str)| error.path == *kind && error.reason == format!("missing field `{field}`");
    let (kind, field) = OPTIONAL.iter().find(|field| missing(field))?;
    with_field(line, kind, field, "[]")
}

impl LineHandler for Records {
    type Value = Record;

    fn read(&self, line: &str) -> Result<Record, LineError> {
        let record = match FORMAT.read(line) {
            Err(error) => FORMAT.read(&completed(line, &error).ok_or(error)?)?,
            Ok(record) => record,
        };
        rules::check(&record, self.0.now)?;
        Ok(record)
    }

    fn look_ahead<'v>(
        &self,
        write: &Transaction<'_>,
        records: impl Iterator<Item = &'v Record> + Clone,
    ) -> Result<(), StoreError> {
        write.look_ahead_to_records(records)
    }

    fn write(&self, line: &mut LineTransaction<'_, '_>, record: &Record) -> Result<Outcome, StoreError> {
        let mut record = Cow::Borrowed(record);
        if let Record::Pipeline(given) = &*record {
            let stored = match line.write.team(given.team_id)? {
                Some(team) => line.write.pipeline(team)?,
                None => None,
            };
            match rules::pipeline(given, stored.as_ref()) {
                Ok(given) => record = Cow::Owned(Record::Pipeline(given)),
                Err(error) => return Ok(Err(error)),
            }
        }
        let kind = record.kind();
        let put = line.attempt(kind, |write| write.put(&record))?;
        Ok(put.map(|()| kind.into()))
    }
}

#[cfg(test)]
mod tests;

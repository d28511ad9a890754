//! Import of records into a store, line by line.

mod orders;
mod rules;

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use wearlab_delivery::egress::PipelinePolicy;
use wearlab_ingest::{LineFormat, Words, with_field};
use wearlab_models::Pipeline;
use wearlab_store::{Record, Store, StoreError, Transaction};

pub use self::rules::user as check_user;
use crate::{
    CommitMode, Input, IntakeError, LineError, LineHandler, LineTransaction, Outcome, Progress, Summary, process_lines,
};

/// Options of an import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// True if one rejected line rejects all others.
    pub strict: bool,
    /// Time of the import, which is the latest birth date.
    pub now: DateTime<Utc>,
}

/// Imports records, one JSON object a line. Importing the same lines again changes nothing.
///
/// Lines are written in batches, each in one transaction. A rejected line is reported to `progress`, and does not
/// affect the others, unless the import is strict: then one rejected line rejects all.
///
/// # Errors
///
/// If the input cannot be read, or the store fails.
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
    let records = Records {
        options: *options,
        egress: None,
    };
    process_lines(store, inputs, &records, commit_mode, progress).await
}

/// Format of records as lines.
static FORMAT: LineFormat<Record> = LineFormat::new(Record::kind, || Words::of([schemars::schema_for!(Record)]));

/// Handler of records of an operator, or of a tenant.
pub struct Records {
    /// Options of the import.
    pub options: ImportOptions,
    /// Egress policy of a tenant's pipelines. It applies to those of an operator when a connection is made.
    pub egress: Option<PipelinePolicy>,
}

impl Records {
    /// Checks the hosts of a pipeline that differs from the stored one.
    fn check_egress(&self, write: &Transaction<'_>, pipeline: &Pipeline) -> Result<Result<(), LineError>, StoreError> {
        let Some(egress) = &self.egress else {
            return Ok(Ok(()));
        };
        // A team that does not exist is refused when the pipeline is written.
        let organisation = write.organisation_of(pipeline.team_id)?;
        Ok(organisation.map_or(Ok(()), |organisation| rules::egress(egress, &organisation, pipeline)))
    }
}

/// Fields that a record may omit, although the API always returns them: one that other records determine, and a list
/// that may be empty.
pub const OPTIONAL: [(&str, &str); 2] = [("user", "connected_sources"), ("pipeline", "event_type_prefixes")];

/// Returns a line with the optional field that it lacks.
fn completed(line: &str, error: &LineError) -> Option<String> {
    let missing =
        |(kind, field): &(&str, &str)| error.path == *kind && error.reason == format!("missing field `{field}`");
    let (kind, field) = OPTIONAL.iter().find(|field| missing(field))?;
    with_field(line, kind, field, "[]")
}

impl LineHandler for Records {
    type Value = Record;

    /// Maximum bytes of a record, which is longer than its arrival, by the fields that the service adds.
    const MAX_LINE: usize = 32 * 1024 * 1024;

    fn read(&self, line: &str) -> Result<Record, LineError> {
        let record = match FORMAT.read(line) {
            Err(error) => FORMAT.read(&completed(line, &error).ok_or(error)?)?,
            Ok(record) => record,
        };
        rules::check(&record, self.options.now)?;
        Ok(record)
    }

    fn prefetch<'v>(
        &self,
        write: &Transaction<'_>,
        records: impl Iterator<Item = &'v Record> + Clone,
    ) -> Result<(), StoreError> {
        write.prefetch_records(records)
    }

    fn write(&self, line: &mut LineTransaction<'_, '_>, record: &Record) -> Result<Outcome, StoreError> {
        let mut record = Cow::Borrowed(record);
        if let Record::Pipeline(given) = &*record {
            let stored = match line.write.team(given.team_id)? {
                Some(team) => line.write.pipeline(team)?,
                None => None,
            };
            match rules::pipeline(given, stored.as_ref()) {
                Ok(given) => {
                    if stored.as_ref() != Some(&given)
                        && let Err(error) = self.check_egress(line.write, &given)?
                    {
                        return Ok(Err(error));
                    }
                    record = Cow::Owned(Record::Pipeline(given));
                }
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

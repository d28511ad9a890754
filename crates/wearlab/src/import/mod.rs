//! Records, line by line, into a store.

mod orders;
mod rules;

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use wearlab_delivery::egress::PipelinePolicy;
use wearlab_ingest::{LineFormat, Words, with_field};
use wearlab_models::Pipeline;
use wearlab_store::{Record, Store, StoreError, Transaction};

pub(crate) use self::rules::user as check_user;
use crate::intake::{
    CommitMode, Input, IntakeError, LineError, LineHandler, LineTransaction, Outcome, Progress, Summary, process_lines,
};

/// How to import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// True if one bad line keeps all others out.
    pub strict: bool,
    /// The time of the import: nobody is born later.
    pub now: DateTime<Utc>,
}

/// Imports records, one JSON object a line. The same lines twice change nothing.
///
/// Lines are written in batches, each of which is kept whole; a bad line is reported to `progress` and leaves the
/// others alone, unless the import is strict: then one bad line keeps all out.
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
    let records = Records {
        options: *options,
        egress: None,
    };
    process_lines(store, inputs, &records, commit_mode, progress).await
}

/// How records are written as lines.
static FORMAT: LineFormat<Record> = LineFormat::new(Record::kind, || Words::of([schemars::schema_for!(Record)]));

/// Records of an operator, or of a tenant.
pub(crate) struct Records {
    pub(crate) options: ImportOptions,
    /// What pipelines of a tenant may reach. An operator's are held to it when a connection is made.
    pub(crate) egress: Option<PipelinePolicy>,
}

impl Records {
    /// Checks what a pipeline that is not the stored one reaches.
    fn check_egress(&self, write: &Transaction<'_>, pipeline: &Pipeline) -> Result<Result<(), LineError>, StoreError> {
        let Some(egress) = &self.egress else {
            return Ok(Ok(()));
        };
        // A team that is not there is refused where the pipeline is put.
        let organisation = write.organisation_of(pipeline.team_id)?;
        Ok(organisation.map_or(Ok(()), |organisation| rules::egress(egress, &organisation, pipeline)))
    }
}

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

    /// What an export has of an arrival is longer than that, by what the service adds.
    const MAX_LINE: usize = 32 * 1024 * 1024;

    fn read(&self, line: &str) -> Result<Record, LineError> {
        let record = match FORMAT.read(line) {
            Err(error) => FORMAT.read(&completed(line, &error).ok_or(error)?)?,
            Ok(record) => record,
        };
        rules::check(&record, self.options.now)?;
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

//! Lines of an owner: maximum lengths, and the records that a tenant may write.

use uuid::Uuid;
use wearlab_intake::import::Records;
use wearlab_intake::ingest::Arrivals;
use wearlab_intake::{LineError, LineHandler, LineTransaction, Outcome};
use wearlab_store::{Ingestion, Record, StoreError, Transaction, ValidArrival};

use super::audit::StreamAudit;

/// Maximum bytes of a line about an order, or of a record with a list of any length.
const MAX_LONG_LINE: usize = 1024 * 1024;
/// Maximum bytes of any other line, except values.
const MAX_SHORT_LINE: usize = 64 * 1024;

/// Parser of lines that name their owner.
pub(super) struct OwnedLines<T> {
    pub(super) audit: StreamAudit,
    pub(super) lines: T,
}

impl<F: Fn() -> Ingestion> LineHandler for OwnedLines<Arrivals<F>> {
    type Value = ValidArrival;

    fn read(&self, line: &str) -> Result<ValidArrival, LineError> {
        let arrival = self.lines.read(line)?;
        check_length(arrival.kind(), line)?;
        self.audit.owner.check_team(arrival.kind(), arrival.team_id())?;
        Ok(arrival)
    }

    fn prefetch<'v>(
        &self,
        write: &Transaction<'_>,
        arrivals: impl Iterator<Item = &'v ValidArrival> + Clone,
    ) -> Result<(), StoreError> {
        self.lines.prefetch(write, arrivals)
    }

    fn write(&self, line: &mut LineTransaction<'_, '_>, arrival: &ValidArrival) -> Result<Outcome, StoreError> {
        self.lines.write(line, arrival)
    }

    fn complete(&self, write: &Transaction<'_>, taken: usize) -> Result<(), StoreError> {
        self.audit.complete(write, taken)
    }

    fn committed(&self) {
        self.audit.committed();
    }
}

impl LineHandler for OwnedLines<Records> {
    type Value = Record;

    const MAX_LINE: usize = Records::MAX_LINE;

    fn read(&self, line: &str) -> Result<Record, LineError> {
        let record = self.lines.read(line)?;
        let kind = record.kind();
        check_length(kind, line)?;
        match &record {
            Record::Organisation(organisation) => self.audit.owner.check_organisation(kind, &organisation.org_id)?,
            Record::Team(team) => self.audit.owner.check_organisation(kind, &team.org_id)?,
            Record::Key(key) => {
                if let Some(org_id) = &key.org_id {
                    self.audit.owner.check_organisation(kind, org_id)?;
                }
            }
            Record::Provider(_) | Record::CancellationReason(_) | Record::LabTest(_) => {
                let reason = "all organisations share these: import them with `wearlab import` on the store itself";
                return Err(LineError::new(kind, reason));
            }
            _ => {}
        }
        team_of(&record).map_or(Ok(()), |team_id| self.audit.owner.check_team(kind, team_id))?;
        Ok(record)
    }

    fn prefetch<'v>(
        &self,
        write: &Transaction<'_>,
        records: impl Iterator<Item = &'v Record> + Clone,
    ) -> Result<(), StoreError> {
        self.lines.prefetch(write, records)
    }

    fn write(&self, line: &mut LineTransaction<'_, '_>, record: &Record) -> Result<Outcome, StoreError> {
        if let Some(team_id) = team_of(record)
            && let Err(error) = self.audit.owner.check_known(line, record.kind(), team_id)?
        {
            return Ok(Err(error));
        }
        self.lines.write(line, record)
    }

    fn complete(&self, write: &Transaction<'_>, taken: usize) -> Result<(), StoreError> {
        self.audit.complete(write, taken)
    }

    fn committed(&self) {
        self.audit.committed();
    }
}

/// Rejects a line that is too long for its kind: a response has few lines of values, but many of everything else.
fn check_length(kind: &str, line: &str) -> Result<(), LineError> {
    let most = match kind {
        "data" | "values" => return Ok(()),
        "order" | "lab_order_updated" | "lab_result" => MAX_LONG_LINE,
        "lab_test" | "lab_account" | "pipeline" => MAX_LONG_LINE,
        _ => MAX_SHORT_LINE,
    };
    match line.len() <= most {
        true => Ok(()),
        false => Err(LineError::new(
            kind,
            format!("must not be longer than {} KiB", most >> 10),
        )),
    }
}

/// Returns the team that a record belongs to. The record of a team belongs to its organisation.
fn team_of(record: &Record) -> Option<Uuid> {
    match record {
        Record::Key(key) => key.team_id,
        Record::LabAccount(account) => Some(account.team_id),
        Record::Pipeline(pipeline) => Some(pipeline.team_id),
        Record::User(user) => Some(user.team_id),
        Record::Connection(connection) => Some(connection.team_id),
        Record::Device(device) => Some(device.team_id),
        Record::Order(order) => Some(order.order.team_id),
        Record::Values(values) => Some(values.team_id),
        Record::Organisation(_)
        | Record::Team(_)
        | Record::Provider(_)
        | Record::CancellationReason(_)
        | Record::LabTest(_) => None,
    }
}

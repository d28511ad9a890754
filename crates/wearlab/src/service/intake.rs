//! Arrivals and records that come over HTTP, and whose they may be.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt};
use uuid::Uuid;
use wearlab_models::{Acknowledgement, NoteCode};
use wearlab_server::operations::{IMPORT_RECORDS, INGEST_ARRIVALS};
use wearlab_server::{ApiError, Lines, Operation, RequestId, Scoped};
use wearlab_store::{
    Actor, Ingestion, KeyScope, OrganisationId, Record, Store, StoreError, StreamEntry, TeamId, Transaction,
    ValidArrival,
};

use super::auth::Caller;
use super::{Service, no_team, store_error};
use crate::clock;
use crate::import::{ImportOptions, Records};
use crate::ingest::Arrivals;
use crate::intake::{Acknowledging, LineError, LineHandler, LineTransaction, Outcome, Permission, acknowledgements};

/// The longest line about an order, in bytes.
const LONGEST_ORDER: usize = 1024 * 1024;
/// The longest line about anything else that is no value.
const LONGEST: usize = 64 * 1024;

/// Whose lines a sender may write.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    Team(TeamId),
    /// All teams of an organisation.
    Organisation(OrganisationId),
}

/// Who sends lines, by a key that is looked up again while they come.
pub(super) struct Sender {
    pub(super) owner: Owner,
    pub(super) key: Arc<str>,
    pub(super) scope: KeyScope,
    actor: Actor,
}

impl Sender {
    /// Who ingests arrivals: a team.
    pub(super) fn ingesting(team: Caller<TeamId>) -> Self {
        let actor = actor(&team);
        let (team, key) = team.into_parts();
        Self {
            owner: Owner::Team(team),
            key,
            scope: KeyScope::Ingest,
            actor,
        }
    }

    /// Who imports records: an organisation before one of its teams.
    pub(super) fn importing(
        organisation: Option<Caller<OrganisationId>>,
        team: Option<Caller<TeamId>>,
    ) -> Result<Self, ApiError> {
        let organisation = organisation.filter(|organisation| organisation.has_scope("admin"));
        let (owner, key, actor) = match (organisation, team) {
            (Some(organisation), _) => {
                let actor = actor(&organisation);
                let (organisation, key) = organisation.into_parts();
                (Owner::Organisation(organisation), key, actor)
            }
            (None, Some(team)) => {
                let actor = actor(&team);
                let (team, key) = team.into_parts();
                (Owner::Team(team), key, actor)
            }
            // What the document requires is there.
            (None, None) => return Err(ApiError::unauthorized("A key is missing.")),
        };
        let scope = KeyScope::Admin;
        Ok(Self {
            owner,
            key,
            scope,
            actor,
        })
    }

    /// The entry of the lines in the audit log.
    fn audit(&self, operation: &Operation, now: fn() -> DateTime<Utc>) -> StreamAudit {
        StreamAudit {
            owner: self.owner.clone(),
            actor: self.actor.clone(),
            operation: operation.id,
            now,
            entry: Mutex::default(),
        }
    }
}

/// Who wrote, for the audit log.
fn actor<T>(caller: &Caller<T>) -> Actor {
    Actor {
        key_id: caller.key_id(),
        request_id: RequestId::current().map_or_else(String::new, |id| id.to_string()),
    }
}

impl Service {
    /// Ingests arrivals of a team.
    pub(super) async fn ingest<B>(
        &self,
        sender: Sender,
        is_strict: bool,
        body: B,
    ) -> Result<Lines<Acknowledgement>, ApiError>
    where
        B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
    {
        let (now, forms) = (self.now, self.forms);
        let arrivals = Arrivals {
            ingestion: move || Ingestion {
                now: now(),
                fresh_id: clock::fresh_id,
                forms,
            },
            rejected: match is_strict {
                true => NoteCode::KNOWN.to_vec(),
                false => self.rejected_notes.clone(),
            },
        };
        let audit = sender.audit(&INGEST_ARRIVALS, self.now);
        self.receive(sender, Owned { audit, lines: arrivals }, body).await
    }

    /// Imports records of a team, or of the teams of an organisation.
    pub(super) async fn import<B>(&self, sender: Sender, body: B) -> Result<Lines<Acknowledgement>, ApiError>
    where
        B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
    {
        let records = Records {
            options: ImportOptions {
                strict: false,
                now: (self.now)(),
            },
            egress: Some(self.egress.clone()),
        };
        let audit = sender.audit(&IMPORT_RECORDS, self.now);
        self.receive(sender, Owned { audit, lines: records }, body).await
    }

    async fn receive<T, B>(&self, sender: Sender, handler: T, body: B) -> Result<Lines<Acknowledgement>, ApiError>
    where
        T: LineHandler<Value: 'static> + Send + Sync + 'static,
        B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
    {
        let store = self.store()?.clone();
        let organisation = match &sender.owner {
            Owner::Organisation(organisation) => organisation.clone(),
            Owner::Team(team) => {
                let found = store.organisation_of_team(team.uuid()).await.map_err(store_error)?;
                found.ok_or_else(no_team)?
            }
        };
        let place = self.streams.take(&organisation)?;
        let intake = Acknowledging {
            permission: sender,
            store,
            handler,
            stopping: self.stopping.subscribe(),
        };
        let acknowledgements = acknowledgements(intake, body).map(move |acknowledgement| {
            // Taken until the stream is dropped.
            let _ = &place;
            Ok(acknowledgement)
        });
        Ok(Lines::new(acknowledgements))
    }
}

impl Permission for Sender {
    async fn holds(&self, store: &Store) -> Result<bool, StoreError> {
        let scopes = match self.owner {
            Owner::Team(_) => store.team_key(&self.key).await?.map(|key| key.scopes),
            Owner::Organisation(_) => store.management_key(&self.key).await?.map(|key| key.scopes),
        };
        Ok(scopes.is_some_and(|scopes| scopes.contains(self.scope)))
    }
}

/// Lines that name their owner: those of others are refused.
struct Owned<T> {
    audit: StreamAudit,
    lines: T,
}

/// The entry of a stream in the audit log. It is written with the first lines that are taken, and counts those that follow
/// in their own transactions, so that it is whole whenever the stream or the process ends.
struct StreamAudit {
    owner: Owner,
    actor: Actor,
    operation: &'static str,
    now: fn() -> DateTime<Utc>,
    entry: Mutex<AuditState>,
}

#[derive(Default)]
struct AuditState {
    committed: Counted,
    /// What is committed with the transaction that is open.
    pending: Counted,
}

/// The number of an entry, once there is one, and of its lines.
#[derive(Clone, Copy, Default)]
struct Counted {
    number: Option<i64>,
    lines: u64,
}

impl StreamAudit {
    fn complete(&self, write: &Transaction<'_>, taken: usize) -> Result<(), StoreError> {
        let mut state = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        let Counted { number, lines } = state.committed;
        state.pending = state.committed;
        if taken == 0 {
            return Ok(());
        }
        let stream = StreamEntry {
            number,
            operation: self.operation,
            lines: lines.saturating_add(taken.try_into().unwrap_or(u64::MAX)),
        };
        let now = (self.now)();
        let number = match &self.owner {
            Owner::Team(team) => write.audit_lines(*team, &self.actor, now, &stream)?,
            Owner::Organisation(organisation) => {
                write.audit_organisation_lines(organisation, &self.actor, now, &stream)?
            }
        };
        state.pending = Counted {
            number: Some(number),
            lines: stream.lines,
        };
        Ok(())
    }

    fn committed(&self) {
        let mut state = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        state.committed = state.pending;
    }
}

impl Owner {
    /// Refuses a line about another team than that of the key.
    fn check_team(&self, kind: &str, team_id: Uuid) -> Result<(), LineError> {
        match self {
            Self::Team(team) if team.uuid() != team_id => {
                let reason = "another team than that of the key";
                Err(LineError::new(format!("{kind}.team_id"), reason))
            }
            // Which teams an organisation has, the store knows.
            _ => Ok(()),
        }
    }

    /// Refuses a line about another organisation than that of the key, or about all of one.
    fn check_organisation(&self, kind: &str, org_id: &str) -> Result<(), LineError> {
        let reason = match self {
            Self::Organisation(organisation) if organisation.as_str() == org_id => return Ok(()),
            Self::Organisation(_) => "another organisation than that of the key",
            Self::Team(_) => "the key of a team cannot change its organisation: use a management key",
        };
        Err(LineError::new(format!("{kind}.org_id"), reason))
    }

    /// Refuses a line about a team of another organisation than that of the key. A team that is not there is the line's
    /// own fault.
    fn check_known(
        &self,
        line: &LineTransaction<'_, '_>,
        kind: &str,
        team_id: Uuid,
    ) -> Result<Result<(), LineError>, StoreError> {
        let Self::Organisation(organisation) = self else {
            return Ok(Ok(()));
        };
        let known = line.write.has_team(organisation, team_id)? || line.write.team(team_id)?.is_none();
        let reason = "a team of another organisation than that of the key";
        Ok(known
            .then_some(())
            .ok_or_else(|| LineError::new(format!("{kind}.team_id"), reason)))
    }
}

impl<F: Fn() -> Ingestion> LineHandler for Owned<Arrivals<F>> {
    type Value = ValidArrival;

    fn read(&self, line: &str) -> Result<ValidArrival, LineError> {
        let arrival = self.lines.read(line)?;
        check_length(arrival.kind(), line)?;
        self.audit.owner.check_team(arrival.kind(), arrival.team_id())?;
        Ok(arrival)
    }

    fn look_ahead<'v>(
        &self,
        write: &Transaction<'_>,
        arrivals: impl Iterator<Item = &'v ValidArrival> + Clone,
    ) -> Result<(), StoreError> {
        self.lines.look_ahead(write, arrivals)
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

impl LineHandler for Owned<Records> {
    type Value = Record;

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

    fn look_ahead<'v>(
        &self,
        write: &Transaction<'_>,
        records: impl Iterator<Item = &'v Record> + Clone,
    ) -> Result<(), StoreError> {
        self.lines.look_ahead(write, records)
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

/// Refuses a line that is too long for what it is about: of values, a response has some, and of all else, many.
fn check_length(kind: &str, line: &str) -> Result<(), LineError> {
    let most = match kind {
        "data" | "values" => return Ok(()),
        "order" | "lab_order_updated" | "lab_result" => LONGEST_ORDER,
        _ => LONGEST,
    };
    match line.len() <= most {
        true => Ok(()),
        false => Err(LineError::new(
            kind,
            format!("must not be longer than {} KiB", most >> 10),
        )),
    }
}

/// The team that a record belongs to. That of a team is its organisation's.
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

//! Entries of streams of lines in the audit log.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use wearlab_server::Operation;
use wearlab_store::{Actor, StoreError, StreamEntry, Transaction};

use super::Owner;

/// Entry of a stream in the audit log. It is written with the first accepted lines, and counts later ones in their own
/// transactions, so that it is complete whenever the stream or the process ends.
pub(super) struct StreamAudit {
    pub(super) owner: Owner,
    actor: Actor,
    operation: &'static str,
    now: fn() -> DateTime<Utc>,
    entry: Mutex<AuditState>,
}

#[derive(Default)]
struct AuditState {
    committed: Counted,
    /// Lines that are committed with the open transaction.
    pending: Counted,
}

/// Number of an entry, once there is one, and of its lines.
#[derive(Clone, Copy, Default)]
struct Counted {
    number: Option<i64>,
    lines: u64,
}

impl StreamAudit {
    pub(super) fn new(owner: Owner, actor: Actor, operation: &Operation, now: fn() -> DateTime<Utc>) -> Self {
        Self {
            owner,
            actor,
            operation: operation.id,
            now,
            entry: Mutex::default(),
        }
    }

    /// Counts accepted lines, in their transaction.
    pub(super) fn complete(&self, write: &Transaction<'_>, taken: usize) -> Result<(), StoreError> {
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

    /// Called once the transaction is committed.
    pub(super) fn committed(&self) {
        let mut state = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        state.committed = state.pending;
    }
}

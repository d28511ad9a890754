//! The part of a transaction that a line is written in.

use wearlab_store::{StoreError, Transaction};

use super::LineError;

/// The part of a transaction that a line is written in: one of its own, or all of it.
pub(crate) struct LineTransaction<'a, 'w> {
    pub(crate) write: &'a mut Transaction<'w>,
    /// Whether what a bad line wrote is rolled back alone. Otherwise one rolls back all of the transaction.
    pub(super) alone: bool,
}

impl LineTransaction<'_, '_> {
    /// Writes what one line says. What contradicts the store is the line's fault.
    pub(crate) fn attempt<T>(
        &mut self,
        kind: &'static str,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<Result<T, LineError>, StoreError> {
        if !self.alone {
            return work(self.write).map(Ok);
        }
        self.write
            .attempt(work)
            .map(Ok)
            .or_else(|error| match fault(&error, kind) {
                Some(fault) => Ok(Err(fault)),
                None => Err(error),
            })
    }
}

/// What a line contradicts, unless the store has failed.
fn fault(error: &StoreError, kind: &'static str) -> Option<LineError> {
    match error {
        StoreError::Missing { what } => Some(LineError::new(kind, format!("there is no such {what}"))),
        StoreError::Conflict { what } => Some(LineError::new(kind, *what)),
        StoreError::NoSecretKey { .. } => Some(LineError::new(kind, format!("failed to {error}"))),
        StoreError::Refused { field, reason } if field.is_empty() => Some(LineError::new(kind, reason)),
        StoreError::Refused { field, reason } => Some(LineError::new(format!("{kind}.{field}"), reason)),
        _ => None,
    }
}

//! Scope of a transaction for writing a line.

use wearlab_store::{StoreError, Transaction};

use super::LineError;

/// Scope of a transaction for writing a line: a savepoint of its own, or the whole transaction.
pub struct LineTransaction<'a, 'w> {
    /// Transaction of the batch.
    pub write: &'a mut Transaction<'w>,
    /// True if the writes of a rejected line are rolled back alone. Otherwise a rejected line rolls back the whole
    /// transaction.
    pub(super) alone: bool,
}

impl LineTransaction<'_, '_> {
    /// Writes one line. A contradiction with the store is an error of the line.
    pub fn attempt<T>(
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

/// Returns the error of a line that contradicts the store; none if the store has failed.
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

//! Reasons for cancelling an appointment.

use crate::sql::value::params;
use wearlab_models::{CancellationReason, Encoded};

use crate::StoreError;
use crate::sql::document::{encode, stored};
use crate::sql::{Reader, Transaction};

impl Reader<'_> {
    pub(crate) fn cancellation_reasons(&self) -> Result<Vec<Encoded<CancellationReason>>, StoreError> {
        let sql = "SELECT document FROM cancellation_reasons ORDER BY name, id";
        let reasons = self.connection.all(sql, params![], stored)?;
        Ok(reasons)
    }
}

impl Transaction<'_> {
    /// Puts a reason for cancelling an appointment.
    pub fn put_cancellation_reason(&self, reason: &CancellationReason) -> Result<(), StoreError> {
        let sql = "INSERT INTO cancellation_reasons (id, name, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, document = excluded.document
            WHERE cancellation_reasons.document IS DISTINCT FROM excluded.document";
        let document = encode("cancellation reason", reason)?;
        self.connection
            .execute(sql, params![reason.id, reason.name, document])?;
        Ok(())
    }
}

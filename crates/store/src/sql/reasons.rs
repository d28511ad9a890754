//! Reasons for cancelling an appointment.

use super::value::params;
use wearlab_models::{CancellationReason, Encoded};

use super::document::{encode, stored};
use super::{Engine, Writer};
use crate::StoreError;

impl Engine {
    pub(crate) fn cancellation_reasons(&self) -> Result<Vec<Encoded<CancellationReason>>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT document FROM cancellation_reasons ORDER BY name, id";
            let reasons = connection.all(sql, params![], stored)?;
            Ok(reasons)
        })
    }
}

impl Writer<'_> {
    pub(crate) fn put_cancellation_reason(&self, reason: &CancellationReason) -> Result<(), StoreError> {
        let sql = "INSERT INTO cancellation_reasons (id, name, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, document = excluded.document
            WHERE cancellation_reasons.document IS DISTINCT FROM excluded.document";
        let document = encode("cancellation reason", reason)?;
        self.connection
            .execute(sql, params![reason.id, reason.name, document])?;
        Ok(())
    }
}

//! Reasons for cancelling an appointment.

use rusqlite::params;
use wearlab_models::{CancellationReason, Encoded};

use super::document::{encode, stored};
use super::{Engine, Writer};
use crate::StoreError;

impl Engine {
    pub(crate) fn cancellation_reasons(&self) -> Result<Vec<Encoded<CancellationReason>>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT document FROM cancellation_reasons ORDER BY name, id";
            let reasons = connection
                .prepare_cached(sql)?
                .query_map([], stored)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(reasons)
        })
    }
}

impl Writer<'_> {
    pub(crate) fn put_cancellation_reason(&self, reason: &CancellationReason) -> Result<(), StoreError> {
        let sql = "INSERT INTO cancellation_reasons (id, name, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, document = excluded.document
            WHERE cancellation_reasons.document IS NOT excluded.document";
        let document = encode("cancellation reason", reason)?;
        self.connection
            .prepare_cached(sql)?
            .execute(params![reason.id, reason.name, document])?;
        Ok(())
    }
}

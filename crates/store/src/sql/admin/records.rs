//! Rows that are passed on as records, one at a time.

use std::ops::ControlFlow;

use crate::sql::connection::Connection;
use crate::sql::value::{Params, Row};
use crate::{Record, StoreError};

/// Takes one record. A trait alias, in effect.
pub(crate) trait Each: FnMut(Record) -> Result<(), StoreError> {}
impl<F: FnMut(Record) -> Result<(), StoreError>> Each for F {}

/// Hands on rows one at a time: a store does not fit into memory.
pub(crate) fn rows(
    connection: &Connection<'_>,
    sql: &str,
    params: Params<'_>,
    mut each: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    connection.each(sql, params, |row| each(row).map(|()| ControlFlow::Continue(())))
}

//! Iteration over rows as records.

use std::ops::ControlFlow;

use crate::sql::connection::Connection;
use crate::sql::value::{Params, Row};
use crate::{Record, StoreError};

/// Callback for a record. A trait alias, in effect.
pub(crate) trait Each: FnMut(Record) -> Result<(), StoreError> {}
impl<F: FnMut(Record) -> Result<(), StoreError>> Each for F {}

/// Calls `each` with one row at a time: a store does not fit into memory.
pub(crate) fn rows(
    connection: &Connection<'_>,
    sql: &str,
    params: Params<'_>,
    mut each: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    connection.each(sql, params, |row| each(row).map(|()| ControlFlow::Continue(())))
}

//! Checksums of rows, which stores up to version 19 have in place of checksums of pages.
//!
//! Each of their tables has a generated column `checksum` over its other columns, and a trigger that verifies it before
//! a row is changed. An upgrade verifies all rows a last time, and removes the columns.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ffi};
use twox_hash::XxHash3_128;
use wearlab_database::Damage;

/// Adds the functions that the schema of such a store calls: `row_checksum(values...)`, and `row_intact(checksum,
/// values...)`, which fails as for a damaged file.
///
/// # Errors
///
/// If the connection is in use.
pub fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("row_checksum", -1, flags, |context| Ok(checksum(context, 0)))?;
    connection.create_scalar_function("row_intact", -1, flags, |context| match context.get_raw(0) {
        ValueRef::Integer(stored) if stored == checksum(context, 1) => Ok(true),
        // No message: it would replace the error code.
        _ => Err(rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_CORRUPT),
            None,
        )),
    })
}

/// Calculates the checksum of a function's arguments from one on, each delimited from the next.
fn checksum(context: &Context<'_>, from: usize) -> i64 {
    let mut bytes = Vec::new();
    for at in from..context.len() {
        let (kind, value) = match context.get_raw(at) {
            ValueRef::Null => (b'n', &[][..]),
            ValueRef::Integer(value) => {
                bytes.push(b'i');
                bytes.extend(value.to_le_bytes());
                continue;
            }
            ValueRef::Real(value) => {
                bytes.push(b'r');
                bytes.extend(value.to_le_bytes());
                continue;
            }
            ValueRef::Text(value) => (b't', value),
            ValueRef::Blob(value) => (b'b', value),
        };
        bytes.push(kind);
        bytes.extend(u64::try_from(value.len()).unwrap_or(u64::MAX).to_le_bytes());
        bytes.extend(value);
    }
    let [.., a, b, c, d, e, f, g, h] = XxHash3_128::oneshot(&bytes).to_be_bytes();
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Returns the tables whose rows have checksums, each with the expression of its checksum.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let sql =
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AS (row_checksum(%' ORDER BY name";
    let mut tables = connection.prepare(sql)?;
    let tables = tables.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let with_expression = |(name, sql): (String, String)| {
        let (_, rest) = sql.split_once("AS (row_checksum(")?;
        let (columns, _) = rest.split_once(')')?;
        Some((name, format!("row_checksum({columns})")))
    };
    tables
        .filter_map(|table| table.map(with_expression).transpose())
        .collect()
}

/// Returns the first row that does not match its checksum, if there is one.
pub(super) fn find_damage(connection: &Connection) -> rusqlite::Result<Option<Damage>> {
    for (table, expression) in tables(connection)? {
        let damage = |row, what: String| Damage {
            table: Some(table.clone()),
            row,
            what,
        };
        let find = |number: &str| {
            let sql = format!("SELECT {number} FROM {table} NOT INDEXED WHERE checksum IS NOT {expression} LIMIT 1");
            let mut found = connection.prepare(&sql)?;
            let mut rows = found.query([])?;
            rows.next()?.map(|row| row.get::<_, Option<i64>>(0)).transpose()
        };
        // Some tables have no row ids.
        match find("rowid").or_else(|_| find("NULL")) {
            Ok(None) => {}
            Ok(Some(row)) => return Ok(Some(damage(row, "it is not what was written".to_owned()))),
            Err(error) => return Ok(Some(damage(None, format!("it cannot be read: {error}")))),
        }
    }
    Ok(None)
}

/// Removes the checksums of rows.
pub(super) fn remove(connection: &Connection) -> rusqlite::Result<()> {
    for (table, _) in tables(connection)? {
        connection.execute_batch(&format!(
            "DROP TRIGGER IF EXISTS {table}_intact; ALTER TABLE {table} DROP COLUMN checksum"
        ))?;
    }
    Ok(())
}

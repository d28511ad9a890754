//! A checksum in each row, of all its values: what is read is what was written, or an error.
//!
//! The engine finds damage in how its file is laid out, and none within a value. So each table has a column `checksum`,
//! which the engine computes by a function of ours when it writes a row, and the [driver](super::driver) reads tables
//! through [`checked`](super::checked::checked), which compares it. A row is compared before it is changed, too, or the change would make damage
//! good.
//!
//! Columns that an index has are read from the index where it is used, so that its entries are compared with the rows.

use std::cell::RefCell;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Transaction, ffi};
use twox_hash::XxHash3_128;

use crate::StoreError;
use crate::sql::tables::{LOCAL_TABLES, TABLES, Table};

/// Columns that the engine makes of others, and that are read.
const MADE: &[(&str, &str)] = &[("keys", "id")];

/// All tables whose rows have checksums.
pub(super) fn tables() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().chain(LOCAL_TABLES)
}

/// Adds the functions that the schema and checked statements call: `row_checksum(values...)`, and
/// `row_intact(checksum, values...)`, which fails as for a damaged file.
///
/// # Errors
///
/// Where the connection is in use.
pub fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("row_checksum", -1, flags, |context| Ok(of(context, 0)))?;
    connection.create_scalar_function("row_intact", -1, flags, |context| match context.get_raw(0) {
        ValueRef::Integer(stored) if stored == of(context, 1) => Ok(true),
        // Without a text, which would replace the code.
        _ => Err(rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_CORRUPT),
            None,
        )),
    })
}

/// The checksum of a function's arguments from one on, each delimited from its neighbours.
fn of(context: &Context<'_>, from: usize) -> i64 {
    thread_local! {
        static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    BYTES.with_borrow_mut(|bytes| {
        bytes.clear();
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
        let [.., a, b, c, d, e, f, g, h] = XxHash3_128::oneshot(bytes).to_be_bytes();
        // One long payload must not stay in memory for good.
        if bytes.capacity() > 1024 * 1024 {
            *bytes = Vec::new();
        }
        i64::from_be_bytes([a, b, c, d, e, f, g, h])
    })
}

/// The columns that a table's checksum is of, each with a prefix.
fn columns(table: &Table, prefix: &str) -> String {
    let made = MADE
        .iter()
        .filter(|(name, _)| *name == table.name)
        .map(|(_, column)| column);
    let columns = table.columns.iter().chain(made);
    columns
        .map(|column| format!("{prefix}{column}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Gives the tables their checksums, where one is missing or is not of all columns: as a rule once, when a store is
/// brought up to date. Foreign keys must be off.
pub(super) fn cover(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    for table in tables() {
        let name = table.name;
        let column = format!("row_checksum({})", columns(table, ""));
        let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let sql: String = transaction.query_row(sql, [name], |row| row.get(0))?;
        if sql.contains(&column) {
            continue;
        }
        let (_, mut rest) = sql.split_once('(').ok_or_else(|| unknown(name))?;
        if let Some((_, behind)) = rest
            .split_once("STORED,")
            .filter(|(first, _)| first.contains("row_checksum"))
        {
            rest = behind;
        }
        let others = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL";
        let others = transaction
            .prepare(others)?
            .query_map([name], |row| row.get(0))?
            .collect::<Result<Vec<String>, _>>()?;
        let number = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
        let number: Option<i64> = transaction.query_row(number, [name], |row| row.get(0)).optional()?;
        let listed = table.columns.join(", ");
        transaction.execute_batch(&format!(
            "CREATE TABLE covered_{name} (checksum INTEGER NOT NULL GENERATED ALWAYS AS ({column}) STORED,{rest};
            INSERT INTO covered_{name} ({listed}) SELECT {listed} FROM {name};
            DROP TABLE {name};
            ALTER TABLE covered_{name} RENAME TO {name};"
        ))?;
        for sql in others {
            transaction.execute_batch(&sql)?;
        }
        if let Some(number) = number {
            transaction.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [name])?;
            let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
            transaction.execute(sql, rusqlite::params![name, number])?;
        }
        transaction.execute_batch(&format!(
            "CREATE TRIGGER {name}_intact BEFORE UPDATE ON {name}
            BEGIN SELECT row_intact(OLD.checksum, {}); END",
            columns(table, "OLD.")
        ))?;
    }
    Ok(())
}

fn unknown(table: &str) -> StoreError {
    StoreError::Engine(format!("the table {table} was made in an unknown way").into())
}

/// Whether a row of a table is intact.
pub(super) fn holds(table: &Table) -> String {
    format!("checksum IS row_checksum({})", columns(table, ""))
}

/// The tables of a file of any version whose rows have checksums, each with the columns that these are of.
pub(super) fn covered(file: &Connection) -> rusqlite::Result<Vec<(&'static Table, String)>> {
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    let covered = tables().map(|table| {
        let sql: Option<String> = file.query_row(sql, [table.name], |row| row.get(0)).optional()?;
        let columns = sql.as_deref().and_then(|sql| sql.split_once("AS (row_checksum("));
        let columns = columns.and_then(|(_, rest)| rest.split_once(')'));
        Ok(columns.map(|(columns, _)| (table, columns.to_owned())))
    });
    covered.filter_map(Result::transpose).collect()
}

/// What reads the intact rows of a table, and fails at one that is damaged.
pub(super) fn intact(table: &Table) -> String {
    format!(
        "(SELECT {columns} FROM {name} WHERE row_intact(checksum, {columns}))",
        columns = columns(table, ""),
        name = table.name,
    )
}

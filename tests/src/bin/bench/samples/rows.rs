//! Reference for storage: one row for each sample, with a unique index.

use std::path::Path;

use anyhow::Result;
use rusqlite::{Connection, params};

use super::series::Reading;
use crate::inserts;

/// A series is a number, and a time has ms: a table of samples cannot be much smaller.
const TABLE: &str = "CREATE TABLE sample_rows (
    id INTEGER PRIMARY KEY,
    series INTEGER NOT NULL,
    time INTEGER NOT NULL,
    type TEXT,
    value REAL NOT NULL,
    start INTEGER,
    UNIQUE (series, time, type)
) STRICT";

/// Creates a file with such a table, with the settings of the service.
pub(super) fn open(file: &Path) -> Result<Connection> {
    let connection = inserts::open_to_write(file)?;
    connection.execute_batch(TABLE)?;
    Ok(connection)
}

/// Inserts the samples of some series, each with its number, in one transaction.
pub(super) fn insert(to: &mut Connection, series: &[(u32, &[Reading])]) -> Result<()> {
    let transaction = to.transaction()?;
    let sql = "INSERT INTO sample_rows (series, time, type, value, start) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (series, time, type) DO UPDATE SET value = excluded.value, start = excluded.start";
    let mut statement = transaction.prepare(sql)?;
    for (number, samples) in series {
        for sample in *samples {
            statement.execute(params![number, sample.time, sample.kind, sample.value, sample.start])?;
        }
    }
    drop(statement);
    Ok(transaction.commit()?)
}

/// Returns the size of a table and its indexes in a file, in bytes.
pub(super) fn bytes(connection: &Connection, table: &str) -> Result<f64> {
    let sql = "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ?1)";
    let bytes: i64 = connection.query_row(sql, [table], |row| row.get(0))?;
    Ok(bytes as f64)
}

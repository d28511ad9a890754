//! List of tables, from the catalogue of the embedded engine after all migrations.
//!
//! Both engines have these tables, and one list: the order of columns and tables does not depend on the engine, or on
//! the versions that a store was upgraded from.

use std::sync::OnceLock;

use rusqlite::Connection;

use super::SQLITE;
use crate::StoreError;

/// A table that both engines have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// Columns, those of the key first, without generated ones.
    pub(crate) columns: Vec<String>,
    /// Number of columns of the key.
    pub(crate) key: usize,
    /// Columns whose values may be long: texts and bytes in no index.
    pub(crate) long: Vec<String>,
}

/// Returns all tables, each after those that it refers to.
pub(crate) fn tables() -> Result<&'static [Table], StoreError> {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    if let Some(tables) = TABLES.get() {
        return Ok(tables);
    }
    let connection = Connection::open_in_memory()?;
    SQLITE.iter().try_for_each(|script| connection.execute_batch(script))?;
    let tables = read(&connection)?;
    Ok(TABLES.get_or_init(|| tables))
}

fn read(connection: &Connection) -> Result<Vec<Table>, StoreError> {
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid";
    let mut left = texts(connection, sql, [])?;
    let mut sorted: Vec<Table> = Vec::new();
    while !left.is_empty() {
        let mut later = Vec::new();
        for name in left.iter() {
            let sql = "SELECT \"table\" FROM pragma_foreign_key_list(?1)";
            let references = texts(connection, sql, [name])?;
            match references.iter().any(|other| other != name && left.contains(other)) {
                true => later.push(name.clone()),
                false => sorted.push(table(connection, name.clone())?),
            }
        }
        if later.len() == left.len() {
            let what = format!("tables refer to each other: {}", left.join(", "));
            return Err(StoreError::Engine(what.into()));
        }
        left = later;
    }
    Ok(sorted)
}

fn table(connection: &Connection, name: String) -> Result<Table, StoreError> {
    let columns = |sql: &str| texts(connection, sql, [&name]);
    let key = columns("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
    let others = columns("SELECT name FROM pragma_table_info(?1) WHERE pk = 0 ORDER BY cid")?;
    let long = columns(
        "SELECT name FROM pragma_table_info(?1) WHERE type IN ('TEXT', 'BLOB') AND name NOT IN (
            SELECT part.name FROM pragma_index_list(?1) AS indexes, pragma_index_info(indexes.name) AS part
            WHERE part.name IS NOT NULL)
        ORDER BY cid",
    )?;
    Ok(Table {
        key: key.len(),
        columns: [key, others].concat(),
        long,
        name,
    })
}

fn texts(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<String>, StoreError> {
    let mut rows = connection.prepare_cached(sql)?;
    let rows = rows.query_map(params, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests;

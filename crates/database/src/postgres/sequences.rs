//! Sequences of row numbers.

use crate::connection::{Connection, Failure};
use crate::params;

/// Query of all tables, without partitions.
pub(super) const TABLES: &str = "SELECT quote_ident(relname) FROM pg_class
    WHERE relnamespace = CAST(current_schema() AS REGNAMESPACE) AND relkind IN ('r', 'p') AND NOT relispartition";

/// Returns the highest number that the server ever gave to a row of a table, or 0.
pub(super) fn last(connection: &Connection<'_>, table: &str, column: &str) -> Result<i64, Failure> {
    let sql = format!(
        "SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence('{table}', '{column}') AS REGCLASS)), 0)"
    );
    connection
        .one(&sql, params![], |row| row.get(0))
        .map_err(Failure::Other)
}

/// Sets the sequences of all tables after their last rows, and that of `ahead` after `last`. Also analyzes the tables,
/// because the planner has no statistics of new rows yet.
pub(super) fn set(connection: &Connection<'_>, ahead: &str, last: i64) -> Result<(), Failure> {
    let numbered = "SELECT CAST(relname AS TEXT), CAST(attname AS TEXT) FROM pg_class
        JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = CAST(current_schema() AS REGNAMESPACE) AND attidentity <> '' AND NOT relispartition";
    let numbered: Vec<(String, String)> = connection
        .all(numbered, params![], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(Failure::Other)?;
    for (table, column) in numbered {
        let last = if table == ahead { last } else { 0 };
        let sql = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), greatest(last, 1), last > 0)
            FROM (SELECT greatest(coalesce(max({column}), 0), CAST(?1 AS BIGINT)) AS last FROM {table}) AS numbers"
        );
        connection
            .one(&sql, params![last], |row| row.get::<i64>(0))
            .map_err(Failure::Other)?;
    }
    let tables = connection.all(TABLES, params![], |row| row.get::<String>(0));
    let tables = tables.map_err(Failure::Other)?;
    connection.execute(&format!("ANALYZE {}", tables.join(", ")), params![])?;
    Ok(())
}

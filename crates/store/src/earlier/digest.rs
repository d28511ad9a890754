//! Digest of all rows, which copies of versions up to 19 contain.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use wearlab_database::sqlite;

use crate::row_digest::RowDigest;

/// Name of the note in a copy that holds its digest.
const NOTE: &str = "digest";

/// Removes the digest from a copy that becomes a store.
pub(super) fn remove(copy: &Connection) -> rusqlite::Result<()> {
    copy.execute("DELETE FROM meta WHERE name = ?1", [NOTE])?;
    Ok(())
}

/// Returns whether the digest of a file is right. A file without one is accepted, because a store has none.
pub(super) fn fits(file: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT value FROM meta WHERE name = ?1";
    Ok(
        match file.query_row(sql, [NOTE], |row| row.get::<_, String>(0)).optional()? {
            Some(digest) => digest == of(file)?,
            None => true,
        },
    )
}

/// Calculates the digest of all rows of all tables, except the note of the digest.
fn of(connection: &Connection) -> rusqlite::Result<String> {
    let mut digest = RowDigest::new();
    for table in sqlite::tables(connection)? {
        digest.part(b't', table.as_bytes());
        let others = if table == "meta" { "WHERE name <> 'digest'" } else { "" };
        // Without an index, rows are read in the order of the table.
        let mut rows = connection.prepare(&format!("SELECT * FROM {table} NOT INDEXED {others}"))?;
        let columns = rows.column_count();
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                match row.get_ref(column)? {
                    ValueRef::Null => digest.part(b'n', b""),
                    ValueRef::Integer(value) => digest.part(b'i', &value.to_be_bytes()),
                    ValueRef::Real(value) => digest.part(b'r', &value.to_be_bytes()),
                    ValueRef::Text(value) => digest.part(b's', value),
                    ValueRef::Blob(value) => digest.part(b'b', value),
                }
            }
        }
    }
    Ok(digest.finish())
}

//! What tells that a copy is what was written, to the last letter.
//!
//! The engine finds damage in how a file is laid out, and none within a value.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use super::meta;
use crate::StoreError;

/// The note in a copy that holds its digest.
const NOTE: &str = "digest";

/// Leaves the digest of a copy in it.
pub(super) fn put(copy: &Connection) -> Result<(), StoreError> {
    let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    copy.execute(sql, [NOTE, &of(copy)?])?;
    Ok(())
}

/// Takes the digest from a copy that becomes a store.
pub(super) fn remove(copy: &Connection) -> Result<(), StoreError> {
    copy.execute("DELETE FROM meta WHERE name = ?1", [NOTE])?;
    Ok(())
}

/// Whether a file has no digest, as a store has none, or the right one.
pub(super) fn fits(file: &Connection) -> Result<bool, StoreError> {
    Ok(match meta::meta(file, NOTE)? {
        Some(digest) => digest == of(file)?,
        None => true,
    })
}

/// The digest of all rows of all tables, but for its own.
fn of(connection: &Connection) -> Result<String, StoreError> {
    let mut digest = Sha256::new();
    let sql = "SELECT name FROM sqlite_schema
        WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name";
    let mut tables = connection.prepare(sql)?;
    let mut tables = tables.query([])?;
    while let Some(table) = tables.next()? {
        let table: String = table.get(0)?;
        part(&mut digest, b't', table.as_bytes());
        let others = if table == "meta" { "WHERE name <> 'digest'" } else { "" };
        // Without an index, rows come as they lie.
        let mut rows = connection.prepare(&format!("SELECT * FROM {table} NOT INDEXED {others}"))?;
        let columns = rows.column_count();
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                match row.get_ref(column)? {
                    ValueRef::Null => part(&mut digest, b'n', b""),
                    ValueRef::Integer(value) => part(&mut digest, b'i', &value.to_be_bytes()),
                    ValueRef::Real(value) => part(&mut digest, b'r', &value.to_be_bytes()),
                    ValueRef::Text(value) => part(&mut digest, b's', value),
                    ValueRef::Blob(value) => part(&mut digest, b'b', value),
                }
            }
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn part(digest: &mut Sha256, kind: u8, value: &[u8]) {
    digest.update([kind]);
    digest.update(u64::try_from(value.len()).unwrap_or(u64::MAX).to_be_bytes());
    digest.update(value);
}

//! Full check of a file: its layout, and the checksums of its pages.

use std::path::Path;

use rusqlite::Connection;

use crate::error::DatabaseError;
use crate::schema::SqliteSchema;
use crate::verified::{Damage, Verified};

/// Maximum number of reported faults: one is often the cause of many.
const MAX_REPORTED: u32 = 100;

/// Reads the whole file, from one snapshot.
pub(super) fn read_all(connection: &Connection) -> Result<Verified, DatabaseError> {
    let moment = connection.unchecked_transaction()?;
    let mut verified = Verified::default();
    // Errors are ignored here: the check below reports unreadable tables.
    for table in tables(&moment).unwrap_or_default() {
        let sql = format!("SELECT count(*) FROM {table} NOT INDEXED");
        let rows = moment.query_row(&sql, [], |row| row.get::<_, i64>(0));
        verified.rows += rows.map_or(0, i64::unsigned_abs);
    }
    verified.damage = find_damage(&moment, MAX_REPORTED);
    Ok(verified)
}

/// Returns the tables of a file, in the order of their names.
///
/// # Errors
///
/// If the catalogue cannot be read.
pub fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_schema
        WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name";
    let mut tables = connection.prepare(sql)?;
    let tables = tables.query_map([], |row| row.get(0))?;
    tables.collect()
}

/// Fails if a file is damaged, before it is copied or upgraded.
pub(super) fn check(connection: &Connection, schema: &SqliteSchema, path: &Path) -> Result<(), DatabaseError> {
    let mut found = find_damage(connection, 1);
    if !wearlab_checksum_vfs::has_checksums(connection)? {
        found.extend((schema.earlier.find_damage)(connection)?);
    }
    match found.into_iter().next() {
        None => Ok(()),
        Some(found) => Err(DatabaseError::Damaged {
            path: path.to_owned(),
            source: found.to_string().into(),
        }),
    }
}

/// Runs the engine's integrity check, which reads each used page. Returns at most `max` faults.
fn find_damage(connection: &Connection, max: u32) -> Vec<Damage> {
    let mut faults = Vec::new();
    let mut find = || -> rusqlite::Result<()> {
        let mut check = connection.prepare(&format!("PRAGMA integrity_check({max})"))?;
        let mut rows = check.query([])?;
        while let Some(row) = rows.next()? {
            faults.push(row.get::<_, String>(0)?);
        }
        Ok(())
    };
    // The check may end with an error for a fault that it already reported.
    let ended = find().err().filter(|_| faults.is_empty());
    // The engine reports the faults of one database as several lines below a heading.
    let lines = faults.iter().flat_map(|text| text.lines());
    let lines = lines.filter(|line| *line != "ok" && !line.starts_with("***"));
    let mut damage: Vec<_> = lines.map(|line| of_line(connection, line)).collect();
    damage.extend(ended.map(|error| Damage {
        table: None,
        row: None,
        what: match wearlab_checksum_vfs::is_mismatch(&error) {
            true => "a page is not what was written".to_owned(),
            false => error.to_string(),
        },
    }));
    damage
}

/// Parses a line of the engine's check, such as `Tree 12 page 34: unable to get the page. error code=8202`. The tree is
/// the root page of a table or index.
fn of_line(connection: &Connection, line: &str) -> Damage {
    let parse = || {
        let (tree, rest) = line.strip_prefix("Tree ")?.split_once(' ')?;
        let sql = "SELECT tbl_name, name FROM sqlite_schema WHERE rootpage = ?1";
        let root: i64 = tree.parse().ok()?;
        let (table, name): (String, String) = connection
            .query_row(sql, [root], |row| Ok((row.get(0)?, row.get(1)?)))
            .ok()?;
        let what = match rest.split_once(": unable to get the page. error code=8202") {
            Some((page, _)) => format!("{page} is not what was written"),
            None => rest.to_owned(),
        };
        let what = if name == table {
            what
        } else {
            format!("index {name}, {what}")
        };
        Some((table, what))
    };
    match parse() {
        Some((table, what)) => Damage {
            table: Some(table),
            row: None,
            what,
        },
        None => Damage {
            table: None,
            row: None,
            what: line.to_owned(),
        },
    }
}

//! Reads everything in a file, and says what is damaged.

use std::path::Path;

use rusqlite::Connection;

use super::{Database, checksum};
use crate::{Damage, StoreError, Verified};

/// How many faults of the engine's own check are reported: one is often the cause of many.
const MOST_REPORTED: u32 = 100;

impl Database {
    /// Reads all rows and all of the file, as of one moment.
    pub(crate) fn verify(&self) -> Result<Verified, StoreError> {
        let verified = self.with_reader(|connection| {
            let moment = connection.unchecked_transaction()?;
            let mut verified = Verified::default();
            for table in checksum::tables() {
                rows(&moment, table.name, &checksum::holds(table), &mut verified);
            }
            for what in structure(&moment, MOST_REPORTED) {
                verified.damage.push(Damage {
                    table: None,
                    row: None,
                    what,
                });
            }
            Ok(verified)
        })?;
        if !verified.damage.is_empty() {
            self.note_damage();
        }
        Ok(verified)
    }

    /// Fails where the file is not laid out as it should be: rows may be missing then without a trace in the others.
    pub(crate) fn check_structure(&self) -> Result<(), StoreError> {
        self.with_reader(|connection| match structure(connection, 1).into_iter().next() {
            None => Ok(()),
            Some(found) => Err(StoreError::Damaged {
                path: self.path().to_owned(),
                source: found.into(),
            }),
        })
    }
}

/// The first damaged row of a file of any version, of those that have checksums.
pub(super) fn damaged_row(connection: &Connection) -> Result<Option<Damage>, StoreError> {
    let mut verified = Verified::default();
    for (table, columns) in checksum::covered(connection)? {
        let holds = format!("checksum IS row_checksum({columns})");
        rows(connection, table.name, &holds, &mut verified);
    }
    Ok(verified.damage.into_iter().next())
}

/// Fails where a file is damaged that is about to be brought up to date.
pub(super) fn before_migration(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut found = structure(connection, 1);
    found.extend(damaged_row(connection)?.map(|row| row.to_string()));
    match found.into_iter().next() {
        None => Ok(()),
        Some(found) => Err(StoreError::Damaged {
            path: path.to_owned(),
            source: found.into(),
        }),
    }
}

/// What the engine finds of how a file is laid out. It names tables and indexes, and no values.
pub(super) fn structure(connection: &Connection, most: u32) -> Vec<String> {
    let found = || -> rusqlite::Result<Vec<String>> {
        let mut check = connection.prepare(&format!("PRAGMA integrity_check({most})"))?;
        let lines = check.query_map([], |row| row.get::<_, String>(0))?;
        let mut found = lines.collect::<Result<Vec<_>, _>>()?;
        found.retain(|line| line != "ok");
        Ok(found)
    };
    let found = found().unwrap_or_else(|error| vec![error.to_string()]);
    // What it finds in one database is a text of several lines below a heading.
    let lines = found.iter().flat_map(|text| text.lines());
    let lines = lines.filter(|line| !line.starts_with("***"));
    lines.map(str::to_owned).collect()
}

/// Counts the rows of a table, and reports those that are damaged: by the number that the engine gives them, or by how
/// many come before where it gives none.
fn rows(connection: &Connection, table: &str, holds: &str, verified: &mut Verified) {
    let mut last = None;
    let mut read = || -> rusqlite::Result<()> {
        let numbered = connection.prepare(&format!("SELECT rowid, {holds} FROM {table} NOT INDEXED"));
        let (mut statement, numbered) = match numbered {
            Ok(statement) => (statement, true),
            Err(_) => (
                connection.prepare(&format!("SELECT 0, {holds} FROM {table} NOT INDEXED"))?,
                false,
            ),
        };
        let (mut rows, mut count) = (statement.query([])?, 0);
        while let Some(row) = rows.next()? {
            count += 1;
            verified.rows += 1;
            let number = if numbered { row.get(0)? } else { count };
            last = Some(number);
            if !row.get::<_, bool>(1)? {
                verified.damage.push(Damage {
                    table: Some(table.to_owned()),
                    row: Some(number),
                    what: "it is not what was written".to_owned(),
                });
            }
        }
        Ok(())
    };
    if let Err(error) = read() {
        let what = match last {
            Some(last) => format!("what comes after row {last} cannot be read: {error}"),
            None => format!("it cannot be read: {error}"),
        };
        verified.damage.push(Damage {
            table: Some(table.to_owned()),
            row: None,
            what,
        });
    }
}

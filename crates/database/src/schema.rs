//! What a database holds, for each engine: given by the crate that owns the tables.

use rusqlite::Connection;

use crate::verified::Damage;

/// Schema of a SQLite file.
#[derive(Debug)]
pub struct SqliteSchema {
    /// Name of the file in its directory.
    pub file: &'static str,
    /// Application id in the header of the file.
    pub application: i64,
    /// Migrations from each version to the next. Never change a released one.
    pub migrations: &'static [&'static str],
    /// Files of versions without checksums of pages.
    pub earlier: Earlier,
}

/// Files of versions without checksums of pages, which are checked by other means, and written anew.
#[derive(Debug)]
pub struct Earlier {
    /// First version with checksums of pages.
    pub page_checksums: i64,
    /// Adds the functions that the schema of such a file calls.
    pub add_functions: fn(&Connection) -> rusqlite::Result<()>,
    /// Returns the first damage, if there is any.
    pub find_damage: fn(&Connection) -> rusqlite::Result<Option<Damage>>,
    /// Returns whether a copy is complete.
    pub is_complete: fn(&Connection) -> rusqlite::Result<bool>,
    /// Removes what only copies have, before a copy is used.
    pub prepare: fn(&Connection) -> rusqlite::Result<()>,
    /// Removes what only such files have, after the migrations.
    pub finish: fn(&Connection) -> rusqlite::Result<()>,
}

/// Schema of a PostgreSQL database.
#[cfg(feature = "postgres")]
#[derive(Debug)]
pub struct PostgresSchema {
    /// Returns the migrations from each version to the next. Never change a released one.
    pub migrations: fn() -> Vec<String>,
    /// First key of the advisory lock of migrations. The second one is a hash of the schema's name.
    pub lock: i32,
    /// Statements that begin a write, and lock out the writes of all processes.
    pub lock_writes: &'static str,
    /// Query of the version of cached rows, a text. No row if there is none.
    pub version: &'static str,
}

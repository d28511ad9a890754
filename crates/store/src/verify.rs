//! What a look at everything in a store finds.

use std::fmt;
#[cfg(feature = "postgres")]
use std::ops::ControlFlow;

use crate::database::Database;
#[cfg(feature = "postgres")]
use crate::sql::{connection::Connection, migration, samples, tables::TABLES};
use crate::turn::Turn;
use crate::{Store, StoreError};

/// What [`Store::verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many rows were read.
    pub rows: u64,
    /// What is damaged.
    pub damage: Vec<Damage>,
    /// What cannot be known.
    pub notes: Vec<String>,
}

/// Something that is no longer what was written. It names no values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The table, unless it is about the file.
    pub table: Option<String>,
    /// The row: the number that the engine gives it, or how many rows there are up to it where it gives none.
    pub row: Option<i64>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.table, self.row) {
            (Some(table), Some(row)) => write!(f, "table {table}, row {row}: {}", self.what),
            (Some(table), None) => write!(f, "table {table}: {}", self.what),
            (None, _) => write!(f, "file: {}", self.what),
        }
    }
}

impl Store {
    /// Reads everything in the store, and says what is damaged.
    ///
    /// The embedded engine compares the checksums of pages, and checks the layout of its file. PostgreSQL compares the
    /// checksums of pages where the server has them.
    ///
    /// # Errors
    ///
    /// Where the store cannot be used at all.
    pub async fn verify(&self) -> Result<Verified, StoreError> {
        self.run("verify", Turn::Reading, |core| match core.database() {
            Database::Embedded(database) => database.verify(),
            #[cfg(feature = "postgres")]
            database => database.read_together(read_all),
        })
        .await
    }
}

/// Reads all rows.
#[cfg(feature = "postgres")]
fn read_all(connection: &Connection<'_>) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    let checksums: String = connection.one("SELECT current_setting('data_checksums')", &[], |row| row.get(0))?;
    if checksums != "on" {
        let note = "the server has no data checksums, so that damage within values is not found";
        verified.notes.push(note.to_owned());
    }
    for table in TABLES {
        // The first failure ends the transaction, and with it all that could be read as of the same moment.
        match migration::sum(connection, table, |_| {}) {
            Ok(sum) => verified.rows += sum.rows,
            Err(StoreError::Engine(error)) => {
                verified.damage.push(Damage {
                    table: Some(table.name.to_owned()),
                    row: None,
                    what: format!("it cannot be read: {error}"),
                });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    // What the server finds is damage of its pages alone.
    let sql = "SELECT id, chunk FROM samples ORDER BY id";
    let read = connection.each(sql, &[], |row| match samples::chunk(row, 0) {
        Err(StoreError::DamagedChunk { row }) => {
            verified.damage.push(Damage {
                table: Some("samples".to_owned()),
                row: Some(row),
                what: "it is not what was written".to_owned(),
            });
            Ok(ControlFlow::Continue(()))
        }
        read => read.map(|_| ControlFlow::Continue(())),
    });
    // What cannot be read was reported above.
    match read {
        Err(StoreError::Engine(_)) if !verified.damage.is_empty() => Ok(verified),
        read => read.map(|()| verified),
    }
}

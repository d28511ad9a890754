//! Full check of a store.

#[cfg(feature = "postgres")]
use std::ops::ControlFlow;

use wearlab_database::{Access, Database};

#[cfg(feature = "postgres")]
use crate::{
    Damage,
    schema::tables::tables,
    sql::{admin::migration, connection::Connection, data::samples},
};
use crate::{Store, StoreError, Verified};

impl Store {
    /// Reads everything in the store, and reports damage.
    ///
    /// The embedded engine compares the checksums of pages, and checks the layout of its file. PostgreSQL compares the
    /// checksums of pages if the server has them.
    ///
    /// # Errors
    ///
    /// If the store cannot be used at all.
    pub async fn verify(&self) -> Result<Verified, StoreError> {
        self.run("verify", Access::Read, |core| match core.database() {
            Database::Embedded(database) => Ok(database.verify()?),
            #[cfg(feature = "postgres")]
            database => database.snapshot(read_all),
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
    for table in tables()? {
        // The first failure ends the transaction, and with it the snapshot.
        match migration::sum(connection, table, |_| {}) {
            Ok(sum) => verified.rows += sum.rows,
            Err(StoreError::Engine(error)) => {
                verified.damage.push(Damage {
                    table: Some(table.name.clone()),
                    row: None,
                    what: format!("it cannot be read: {error}"),
                });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    // The server checks only its pages, not the content of chunks.
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
    // Unreadable rows were reported above.
    match read {
        Err(StoreError::Engine(_)) if !verified.damage.is_empty() => Ok(verified),
        read => read.map(|()| verified),
    }
}

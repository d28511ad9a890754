//! What is encrypted: read from rows, and kept so by the first of the keys.

use rusqlite::{Connection, Params, Row, params};
use serde::de::DeserializeOwned;

use super::document::{decode, id};
use super::{Engine, Writer, meta};
use crate::StoreError;
use crate::seal::Seal;

/// What is encrypted: statements that read and write the documents of a table, each a team's.
const SEALED: [(&str, &str); 2] = [
    (
        "SELECT team_id, document, rowid FROM pipelines",
        "UPDATE pipelines SET document = ?2 WHERE rowid = ?1",
    ),
    (
        "SELECT team_id, document, rowid FROM webhooks",
        "UPDATE webhooks SET document = ?2 WHERE rowid = ?1",
    ),
];

/// The note that documents were sealed, and what they were may still be read in the file.
const UNSCRUBBED: &str = "unscrubbed";

impl Engine {
    /// Sees that everything is sealed as it would be today. Fails where something cannot be opened.
    ///
    /// What stood there before stays readable in the file until that is scrubbed. A note says so, so that it is not
    /// forgotten where scrubbing fails.
    pub(super) fn seal_all(&self) -> Result<(), StoreError> {
        let noted = |connection: &Connection| Ok::<_, StoreError>(meta::meta(connection, UNSCRUBBED)?.is_some());
        let due = self.with_writer(|connection| Ok(other_seals(connection, &self.seal)? || noted(connection)?))?;
        if !due {
            return Ok(());
        }
        self.write(|writer| {
            writer.seal_all()?;
            writer.put_meta(UNSCRUBBED, "sealed")
        })?;
        self.scrub()?;
        self.write(|writer| writer.delete_meta(UNSCRUBBED))
    }
}

/// The value of a row of its team's id and its document. `what` names its kind in errors.
pub(super) fn open<T: DeserializeOwned>(what: &'static str, seal: &Seal, row: &Row<'_>) -> Result<T, StoreError> {
    let team_id = id(row)?;
    decode(what, &seal.open(team_id.as_bytes(), row.get(1)?)?)
}

/// The value of the row that a statement answers, if it answers one.
pub(super) fn find<T: DeserializeOwned>(
    what: &'static str,
    seal: &Seal,
    connection: &Connection,
    sql: &str,
    key: impl Params,
) -> Result<Option<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(key)?;
    rows.next()?.map(|row| open(what, seal, row)).transpose()
}

/// Whether a document is not sealed as it would be today.
fn other_seals(connection: &Connection, seal: &Seal) -> Result<bool, StoreError> {
    for (select, _) in SEALED {
        let mut statement = connection.prepare(select)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (team_id, stored) = (id(row)?, row.get::<_, String>(1)?);
            let text = seal.open(team_id.as_bytes(), stored.clone())?;
            if seal.close(team_id.as_bytes(), text)? != stored {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

impl Writer<'_> {
    /// Encrypts everything with the first key, also what is not encrypted yet or with an older key.
    fn seal_all(&self) -> Result<(), StoreError> {
        for (select, update) in SEALED {
            let mut statement = self.connection.prepare(select)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (team_id, stored) = (id(row)?, row.get::<_, String>(1)?);
                let text = self.seal.open(team_id.as_bytes(), stored.clone())?;
                let sealed = self.seal.close(team_id.as_bytes(), text)?;
                if sealed != stored {
                    let rowid: i64 = row.get(2)?;
                    self.connection
                        .prepare_cached(update)?
                        .execute(params![rowid, sealed])?;
                }
            }
        }
        Ok(())
    }
}

//! What is encrypted: read from rows, and kept so by the first of the keys.

use serde::de::DeserializeOwned;

use super::connection::Connection;
use super::document::{decode, id};
use super::value::{Params, Row, params};
use super::{Engine, Writer, meta};
use crate::StoreError;
use crate::seal::Seal;

/// What is encrypted: statements that read and write the documents of a table, each a team's.
const SEALED: [(&str, &str); 2] = [
    (
        "SELECT team_id, document FROM pipelines",
        "UPDATE pipelines SET document = ?3 WHERE team_id = ?1 AND document = ?2",
    ),
    (
        "SELECT team_id, document FROM webhooks",
        "UPDATE webhooks SET document = ?3 WHERE team_id = ?1 AND document = ?2",
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
        let due = self.read_together(|connection| {
            Ok(!to_seal(connection, &self.seal)?.is_empty() || meta::meta(connection, UNSCRUBBED)?.is_some())
        })?;
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
    connection: &Connection<'_>,
    sql: &str,
    key: Params<'_>,
) -> Result<Option<T>, StoreError> {
    connection.first(sql, key, |row| open(what, seal, row))
}

/// A document that is not sealed as it would be today.
struct Unsealed {
    update: &'static str,
    team_id: [u8; 16],
    stored: String,
    sealed: String,
}

/// What is not encrypted yet, or with an older key.
fn to_seal(connection: &Connection<'_>, seal: &Seal) -> Result<Vec<Unsealed>, StoreError> {
    let mut found = Vec::new();
    for (select, update) in SEALED {
        let documents = connection.all(select, params![], |row| {
            Ok((*id(row)?.as_bytes(), row.get::<String>(1)?))
        })?;
        for (team_id, stored) in documents {
            let text = seal.open(&team_id, stored.clone())?;
            let sealed = seal.close(&team_id, text)?;
            if sealed != stored {
                found.push(Unsealed {
                    update,
                    team_id,
                    stored,
                    sealed,
                });
            }
        }
    }
    Ok(found)
}

impl Writer<'_> {
    /// Encrypts everything with the first key.
    fn seal_all(&self) -> Result<(), StoreError> {
        for document in to_seal(self.connection, self.seal)? {
            let params = params![document.team_id, document.stored, document.sealed];
            self.connection.execute(document.update, params)?;
        }
        Ok(())
    }
}

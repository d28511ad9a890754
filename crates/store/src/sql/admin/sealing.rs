//! Encryption of documents in rows with the first of the keys.

use serde::de::DeserializeOwned;

use crate::StoreError;
use crate::seal::Seal;
use crate::sql::connection::Connection;
use crate::sql::document::{decode, id};
use crate::sql::labs::orders;
use crate::sql::value::{Params, Row, params};
use crate::sql::{Reader, Transaction};

/// Statements that read and write the encrypted documents of a table, each with the id that it is bound to, such as its
/// team's.
const SEALED: [(&str, &str); 5] = [
    (
        "SELECT team_id, document FROM pipelines",
        "UPDATE pipelines SET document = ?3 WHERE team_id = ?1 AND document = ?2",
    ),
    (
        "SELECT team_id, document FROM webhooks",
        "UPDATE webhooks SET document = ?3 WHERE team_id = ?1 AND document = ?2",
    ),
    (
        "SELECT id, document FROM provider_settings",
        "UPDATE provider_settings SET document = ?3 WHERE id = ?1 AND document = ?2",
    ),
    (
        "SELECT id, document FROM authorization_requests",
        "UPDATE authorization_requests SET document = ?3 WHERE id = ?1 AND document = ?2",
    ),
    (
        "SELECT grant_id, document FROM oauth_tokens",
        "UPDATE oauth_tokens SET document = ?3 WHERE grant_id = ?1 AND document = ?2",
    ),
];

/// The note of the key of cursors in a store without a secret key. With one, cursors are signed with a key that is derived
/// from it, and this one is deleted: earlier versions signed URLs of requisition forms with it, too.
pub(crate) const CURSOR_KEY: &str = "cursor_key";

/// The note that documents were sealed, whose earlier versions may still be in the file.
const UNSCRUBBED: &str = "unscrubbed";

impl Reader<'_> {
    /// Returns whether a document is not encrypted with the first key, or older versions may still be in the file. Fails
    /// if a document cannot be decrypted.
    pub(crate) fn is_sealing_due(&self) -> Result<bool, StoreError> {
        let unsealed = to_seal(self.connection, self.seal)?;
        Ok(!unsealed.is_empty()
            || orders::is_sealing_due(self.connection, self.seal)?
            || (self.seal.has_key() && self.meta(CURSOR_KEY)?.is_some())
            || self.meta(UNSCRUBBED)?.is_some())
    }
}

/// Decrypts the document of a row that has the id that it is bound to, such as its team's. `what` names its kind in
/// errors.
pub(crate) fn open<T: DeserializeOwned>(what: &'static str, seal: &Seal, row: &Row<'_>) -> Result<T, StoreError> {
    let owner = id(row)?;
    decode(what, &seal.open(owner.as_bytes(), row.get(1)?)?)
}

/// The decrypted value of the row that a statement returns, if there is one.
pub(crate) fn find<T: DeserializeOwned>(
    what: &'static str,
    seal: &Seal,
    connection: &Connection<'_>,
    sql: &str,
    key: Params<'_>,
) -> Result<Option<T>, StoreError> {
    connection.first(sql, key, |row| open(what, seal, row))
}

/// A document without current encryption.
struct Unsealed {
    update: &'static str,
    owner: [u8; 16],
    stored: String,
    sealed: String,
}

/// Reads the documents that are not encrypted, or with an older key.
fn to_seal(connection: &Connection<'_>, seal: &Seal) -> Result<Vec<Unsealed>, StoreError> {
    let mut found = Vec::new();
    for (select, update) in SEALED {
        let documents = connection.all(select, params![], |row| {
            Ok((*id(row)?.as_bytes(), row.get::<String>(1)?))
        })?;
        for (owner, stored) in documents {
            let text = seal.open(&owner, stored.clone())?;
            let sealed = seal.close(&owner, text)?;
            if sealed != stored {
                found.push(Unsealed {
                    update,
                    owner,
                    stored,
                    sealed,
                });
            }
        }
    }
    Ok(found)
}

impl Transaction<'_> {
    /// Encrypts everything with the first key, deletes keys in plain text that are now derived from it, and records
    /// that earlier versions may still be in the file.
    pub(crate) fn seal_all(&self) -> Result<(), StoreError> {
        for document in to_seal(self.connection, self.seal)? {
            let params = params![document.owner, document.stored, document.sealed];
            self.connection.execute(document.update, params)?;
        }
        orders::seal_all(self.connection, self.seal)?;
        if self.seal.has_key() {
            self.delete_meta(CURSOR_KEY)?;
        }
        self.put_meta(UNSCRUBBED, "sealed")
    }

    /// Records that the file was scrubbed.
    pub(crate) fn note_scrubbed(&self) -> Result<(), StoreError> {
        self.delete_meta(UNSCRUBBED)
    }
}

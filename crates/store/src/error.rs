//! What can go wrong with the store.

use std::borrow::Cow;
use std::error::Error;
use std::path::PathBuf;

use wearlab_ingest::IngestError;

/// What can go wrong with the store. The messages fit after "failed to", and name no values that were stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The directory or the file cannot be made, read or written, or the database engine cannot open it.
    #[error("open the store at {path}", path = path.display())]
    Unusable {
        /// The directory or file.
        path: PathBuf,
        /// What the system or the engine says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A backup or a restored store cannot be written.
    #[error("write the copy to {path}", path = path.display())]
    Copy {
        /// The file that was to be written.
        path: PathBuf,
        /// What the system or the engine says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The database is on a server that is away, starting or taken, or another process holds it. Trying again helps.
    #[error("open the store at {path}", path = path.display())]
    Unavailable {
        /// The server and the name of the database.
        path: PathBuf,
        /// What the server or the system says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file is a store, but parts of it are no longer what was written.
    #[error("use the store at {path}: the file is damaged: restore a backup, or use a new directory", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the engine says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The files of an open store were removed, moved or replaced. What was written last may be lost with them.
    #[error(
        "use the store at {path}: its files were removed, replaced or truncated while it was open: stop this process, restore \
         them and start again",
        path = path.display()
    )]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// An operation found damage in an open store, which takes no writes since then.
    #[error(
        "write to the store at {path}: an earlier operation found it damaged: stop this process, run `wearlab check`, and \
         restore a backup",
        path = path.display()
    )]
    WritesStopped {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else than a store.
    #[error("open the store at {path}: the file is not a Wearlab store", path = path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// The store was written by a newer version of Wearlab.
    #[error(
        "open the store at {path}: its schema version {found} is newer than {known}, the newest known here: use a newer \
         version of this program",
        path = path.display()
    )]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: i64,
        /// The newest version that this program can use.
        known: i64,
    },
    /// The store is the target of a migration that has not come to its end.
    #[error("open the store at {path}: a migration into it is not complete: resume it, or use an empty store", path = path.display())]
    Unfinished {
        /// The file or the database.
        path: PathBuf,
    },
    /// Something in the store is encrypted, with none of the keys that are configured.
    #[error("decrypt the store: no configured secret key matches; add the key that it was encrypted with")]
    Sealed,
    /// Something must not be kept in plain text, and no secret key is configured.
    #[error(
        "keep {what}: without a secret key they would be stored in plain text: set secret_key_file, or \
         allow_plaintext_secrets"
    )]
    NoSecretKey {
        /// What is refused, in the plural.
        what: &'static str,
    },
    /// Somebody else held the open store for too long. Trying again helps.
    #[error("use the store: it is busy; retry")]
    Busy,
    /// The database is on a server that cannot be reached, takes no more connections or does not respond in time.
    /// Trying again helps.
    #[error("reach the store's database; retry")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The connection was lost, or the server did not respond in time, while a write was committed: all of it is kept,
    /// or nothing. What may be done twice is safe to repeat, such as an import or an ingest.
    #[error("determine whether the write was committed: retry it if it may be done twice")]
    CommitUnknown(#[source] Box<dyn Error + Send + Sync>),
    /// Another process works for the destination by now.
    #[error("save delivery progress: the lease was lost")]
    Superseded,
    /// The engine leaves this to a tool of its own.
    #[error("run the operation: not supported by this engine: {what}")]
    Elsewhere {
        /// What does it.
        what: &'static str,
    },
    /// A write names something that the store does not hold.
    #[error("write to the store: there is no such {what}")]
    Missing {
        /// What is missing.
        what: &'static str,
    },
    /// A write contradicts itself or what the store holds.
    #[error("write to the store: {what}")]
    Conflict {
        /// What the contradiction is.
        what: &'static str,
    },
    /// A write asks for what the rules of its kind do not allow now.
    #[error("write to the store: {reason}")]
    Refused {
        /// The field that asks for it, below its kind.
        field: Cow<'static, str>,
        /// Why not, and what would be allowed, without a value of the write.
        reason: String,
    },
    /// A stored document, or one to be stored, cannot be decoded or encoded.
    // Without its cause, whose text can repeat a part of the document.
    #[error("decode or encode a document of the kind {what}")]
    Document {
        /// The kind of document.
        what: &'static str,
    },
    /// A chunk of samples is no longer what was written.
    #[error("read the chunk of row {row} of the table samples: it is damaged")]
    DamagedChunk {
        /// The number of the row.
        row: i64,
    },
    /// The database engine failed, with a store that is open.
    #[error("use the store's database")]
    Engine(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Returns whether trying again helps: the store is busy, or its server is away.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Busy | Self::Unavailable { .. } | Self::Unreachable(_) | Self::CommitUnknown(_)
        )
    }

    /// Returns whether the open store takes no more writes, until it is opened again.
    pub fn ends_writes(&self) -> bool {
        matches!(self, Self::Replaced { .. } | Self::WritesStopped { .. })
    }
}

impl From<IngestError> for StoreError {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::Refused { field, reason } => Self::Refused {
                field: field.into(),
                reason,
            },
            IngestError::Document { what } => Self::Document { what },
            other => Self::Engine(other.into()),
        }
    }
}

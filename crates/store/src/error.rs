//! Errors of the store.

use std::borrow::Cow;
use std::error::Error;
use std::path::PathBuf;

use wearlab_database::{DatabaseError, Failure, WorkError};
use wearlab_ingest::IngestError;

/// Errors of the store. The messages fit after "failed to", and contain no stored values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The directory or the file cannot be created, read or written, or the database engine cannot open it.
    #[error("open the store at {path}", path = path.display())]
    Unusable {
        /// The directory or file.
        path: PathBuf,
        /// Error of the system or the engine.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A backup or a restored store cannot be written.
    #[error("write the copy to {path}", path = path.display())]
    Copy {
        /// The file to be written.
        path: PathBuf,
        /// Error of the system or the engine.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server of the database is away, starting or full, or another process locks the database. A retry helps.
    #[error("open the store at {path}", path = path.display())]
    Unavailable {
        /// The server and the name of the database.
        path: PathBuf,
        /// Error of the server or the system.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file is a store, but parts of it differ from the data that was written.
    #[error("use the store at {path}: the file is damaged: restore a backup, or use a new directory", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Error of the engine.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The files of an open store were removed, moved or replaced. The last writes may be lost with them.
    #[error(
        "use the store at {path}: its files were removed, replaced or truncated while it was open: stop this process, restore \
         them and start again",
        path = path.display()
    )]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// An operation found damage in an open store, which has refused writes since then.
    #[error(
        "write to the store at {path}: an earlier operation found it damaged: stop this process, run `wearlab check`, and \
         restore a backup",
        path = path.display()
    )]
    WritesStopped {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a store.
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
    /// The store is the target of a migration that is not complete.
    #[error("open the store at {path}: a migration into it is not complete: resume it, or use an empty store", path = path.display())]
    Unfinished {
        /// The file or the database.
        path: PathBuf,
    },
    /// A value in the store is encrypted with a key that is not configured.
    #[error("decrypt the store: no configured secret key matches; add the key that it was encrypted with")]
    Sealed,
    /// A value must not be stored in plain text, and no secret key is configured.
    #[error(
        "keep {what}: without a secret key they would be stored in plain text: set secret_key_file, or \
         allow_plaintext_secrets"
    )]
    NoSecretKey {
        /// The refused values, in the plural.
        what: &'static str,
    },
    /// Another writer held the open store for too long. A retry helps.
    #[error("use the store: it is busy; retry")]
    Busy,
    /// The server of the database cannot be reached, accepts no more connections or does not respond in time. A retry
    /// helps.
    #[error("reach the store's database; retry")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The connection was lost, or the server did not respond in time, while a write was committed. Either all of the
    /// write is kept, or nothing. An idempotent write is safe to retry, such as an import or an ingest.
    #[error("determine whether the write was committed: retry it if it may be done twice")]
    CommitUnknown(#[source] Box<dyn Error + Send + Sync>),
    /// Another process has taken over the destination.
    #[error("save delivery progress: the lease was lost")]
    Superseded,
    /// The engine has a tool of its own for this operation.
    #[error("run the operation: not supported by this engine: {what}")]
    Elsewhere {
        /// The tool to use.
        what: &'static str,
    },
    /// A write refers to an object that does not exist.
    #[error("write to the store: there is no such {what}")]
    Missing {
        /// The kind of the missing object.
        what: &'static str,
    },
    /// A write contradicts itself or conflicts with an existing object.
    #[error("write to the store: {what}")]
    Conflict {
        /// The conflict.
        what: &'static str,
    },
    /// A write is not allowed by the rules of its kind in the current state.
    #[error("write to the store: {reason}")]
    Refused {
        /// The field, below its kind.
        field: Cow<'static, str>,
        /// The reason and the allowed values, without a value of the write.
        reason: String,
    },
    /// A stored document, or one to be stored, cannot be decoded or encoded.
    // Without its cause, whose text can repeat a part of the document.
    #[error("decode or encode a document of the kind {what}")]
    Document {
        /// The kind of document.
        what: &'static str,
    },
    /// A stored chunk of samples is damaged.
    #[error("read the chunk of row {row} of the table samples: it is damaged")]
    DamagedChunk {
        /// Number of the row.
        row: i64,
    },
    /// The database engine failed while the store was open.
    #[error("use the store's database")]
    Engine(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Returns whether a retry helps: the store is busy, or its server is away.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Busy | Self::Unavailable { .. } | Self::Unreachable(_) | Self::CommitUnknown(_)
        )
    }

    /// Returns whether the open store refuses writes until it is opened again.
    pub fn ends_writes(&self) -> bool {
        matches!(self, Self::Replaced { .. } | Self::WritesStopped { .. })
    }
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Unusable { path, source } => Self::Unusable { path, source },
            DatabaseError::Copy { path, source } => Self::Copy { path, source },
            DatabaseError::Unavailable { path, source } => Self::Unavailable { path, source },
            DatabaseError::Damaged { path, source } => Self::Damaged { path, source },
            DatabaseError::Replaced { path } => Self::Replaced { path },
            DatabaseError::WritesStopped { path } => Self::WritesStopped { path },
            DatabaseError::OfAnother { path } => Self::NotAStore { path },
            DatabaseError::NewerSchema { path, found, known } => Self::NewerSchema { path, found, known },
            DatabaseError::Busy => Self::Busy,
            DatabaseError::Unreachable(source) => Self::Unreachable(source),
            DatabaseError::CommitUnknown(source) => Self::CommitUnknown(source),
            DatabaseError::Elsewhere { what } => Self::Elsewhere { what },
            DatabaseError::Refused { what } => Self::Conflict { what },
            DatabaseError::Engine(source) => Self::Engine(source),
            other => Self::Engine(other.into()),
        }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        DatabaseError::from(failure).into()
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        DatabaseError::from(error).into()
    }
}

impl WorkError for StoreError {
    fn into_database(self) -> Result<DatabaseError, Self> {
        Ok(match self {
            Self::Damaged { path, source } => DatabaseError::Damaged { path, source },
            Self::Busy => DatabaseError::Busy,
            Self::Unreachable(source) => DatabaseError::Unreachable(source),
            Self::CommitUnknown(source) => DatabaseError::CommitUnknown(source),
            Self::Engine(source) => DatabaseError::Engine(source),
            other => return Err(other),
        })
    }

    fn is_damage(&self) -> bool {
        matches!(self, Self::DamagedChunk { .. })
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

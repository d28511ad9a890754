//! Errors of a database.

use std::error::Error;
use std::path::PathBuf;

/// Errors of a database. The messages fit after "failed to", and contain no stored values.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The directory or the file cannot be created, read or written, or the engine cannot open it.
    #[error("open the database at {path}", path = path.display())]
    Unusable {
        /// The directory or file.
        path: PathBuf,
        /// Error of the system or the engine.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A backup or a restored database cannot be written.
    #[error("write the copy to {path}", path = path.display())]
    Copy {
        /// The file to be written.
        path: PathBuf,
        /// Error of the system or the engine.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server is away, starting or full, or another process locks the database. A retry helps.
    #[error("open the database at {path}", path = path.display())]
    Unavailable {
        /// The server and the name of the database.
        path: PathBuf,
        /// Error of the server or the system.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Parts of the file differ from the data that was written.
    #[error("use the database at {path}: the file is damaged", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Error of the engine.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The files of an open database were removed, moved or replaced. The last writes may be lost with them.
    #[error("use the database at {path}: its files were removed, replaced or truncated while it was open", path = path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// An operation found damage, and writes have been refused since then.
    #[error("write to the database at {path}: an earlier operation found it damaged", path = path.display())]
    WritesStopped {
        /// The file.
        path: PathBuf,
    },
    /// The file or the schema is of another application.
    #[error("open the database at {path}: it is of another application", path = path.display())]
    OfAnother {
        /// The file or the database.
        path: PathBuf,
    },
    /// The schema is of a newer version.
    #[error("open the database at {path}: its schema version {found} is newer than {known}", path = path.display())]
    NewerSchema {
        /// The file or the database.
        path: PathBuf,
        /// The version of the database.
        found: i64,
        /// The newest version that this program can use.
        known: i64,
    },
    /// Another writer held the database for too long. A retry helps.
    #[error("use the database: it is busy; retry")]
    Busy,
    /// The server cannot be reached, accepts no more connections or does not respond in time. A retry helps.
    #[error("reach the database; retry")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// The connection was lost, or the server did not respond in time, while a write was committed. Either all of the
    /// write is kept, or nothing.
    #[error("determine whether the write was committed: retry it if it may be done twice")]
    CommitUnknown(#[source] Box<dyn Error + Send + Sync>),
    /// The engine has a tool of its own for this operation.
    #[error("run the operation: not supported by this engine: {what}")]
    Elsewhere {
        /// The tool to use.
        what: &'static str,
    },
    /// The engine cannot store a value.
    #[error("write to the database: {what}")]
    Refused {
        /// The reason.
        what: &'static str,
    },
    /// The engine failed while the database was open.
    #[error("use the database")]
    Engine(#[source] Box<dyn Error + Send + Sync>),
}

/// Error of work on a connection: of the database, or of the work itself.
pub trait WorkError: From<DatabaseError> {
    /// Returns the error of the database that it was made of, or itself.
    ///
    /// # Errors
    ///
    /// The same error, if it is not one of the database.
    fn into_database(self) -> Result<DatabaseError, Self>;

    /// Returns whether the work found damage in a value.
    fn is_damage(&self) -> bool;
}

impl WorkError for DatabaseError {
    fn into_database(self) -> Result<DatabaseError, Self> {
        Ok(self)
    }

    fn is_damage(&self) -> bool {
        false
    }
}

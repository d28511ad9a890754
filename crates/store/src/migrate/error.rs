//! Errors of a migration.

use std::path::PathBuf;

use crate::StoreError;

/// Errors of a migration. The messages fit after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The source or the target cannot be opened.
    #[error(transparent)]
    Open(#[from] StoreError),
    /// The source cannot be read.
    #[error("read {table} of the source")]
    Read {
        /// The table.
        table: &'static str,
        /// The cause.
        source: StoreError,
    },
    /// The target cannot be written or read.
    #[error("write {table} of the target")]
    Write {
        /// The table.
        table: &'static str,
        /// The cause.
        source: StoreError,
    },
    /// The source is empty.
    #[error("migrate from {path}: the source store is empty: check the path", path = path.display())]
    Empty {
        /// The file or the database.
        path: PathBuf,
    },
    /// The target holds data that no migration wrote.
    #[error("migrate to {path}: its table {table} holds data already: use an empty target", path = path.display())]
    InUse {
        /// The file or the database.
        path: PathBuf,
        /// A table that is not empty.
        table: &'static str,
    },
    /// The target holds a part of a migration of another source.
    #[error(
        "resume the migration into {path}: {table} of the source has changed since it began: it is another store, or \
         something writes to it: stop that, and begin again with an empty target",
        path = path.display()
    )]
    OtherSource {
        /// The file or the database.
        path: PathBuf,
        /// A table that is different.
        table: &'static str,
    },
    /// The source changed during the migration.
    #[error(
        "migrate: {table} of the source changed meanwhile: stop what writes to it, and begin again with an empty target; \
         the source is complete"
    )]
    SourceChanged {
        /// A table that changed.
        table: &'static str,
    },
    /// The target differs from the source.
    #[error("migrate: {table} of the target differs from the source: begin again with an empty target")]
    Different {
        /// A table that is different.
        table: &'static str,
    },
}

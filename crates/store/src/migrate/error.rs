//! Why a store was not moved.

use std::path::PathBuf;

use crate::StoreError;

/// Why a store was not moved. The messages fit after "failed to".
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
        /// Why.
        source: StoreError,
    },
    /// The target cannot be written or read.
    #[error("write {table} of the target")]
    Write {
        /// The table.
        table: &'static str,
        /// Why.
        source: StoreError,
    },
    /// The source holds nothing.
    #[error("migrate from {path}: the source store is empty: check the path", path = path.display())]
    Empty {
        /// The file or the database.
        path: PathBuf,
    },
    /// The target holds data that are of no migration.
    #[error("migrate to {path}: its table {table} holds data already: use an empty target", path = path.display())]
    InUse {
        /// The file or the database.
        path: PathBuf,
        /// A table that is not empty.
        table: &'static str,
    },
    /// The target holds a part of a migration of something else.
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
    /// The source changed meanwhile.
    #[error(
        "migrate: {table} of the source changed meanwhile: stop what writes to it, and begin again with an empty target; \
         the source is complete"
    )]
    SourceChanged {
        /// A table that changed.
        table: &'static str,
    },
    /// The target does not hold what the source holds.
    #[error("migrate: {table} of the target differs from the source: begin again with an empty target")]
    Different {
        /// A table that is different.
        table: &'static str,
    },
}

//! Selection of the engine.

use std::path::Path;

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::access::Access;
use crate::connection::Connection;
use crate::error::{DatabaseError, WorkError};
#[cfg(feature = "postgres")]
use crate::postgres;
use crate::sqlite::{self, FileCheck};

/// Runs blocking work that waits for a server or a disk. This is the only place that blocks a thread of a runtime.
/// Other tasks move to other threads, if the runtime has several.
pub fn blocking<T>(work: impl FnOnce() -> T) -> T {
    if let Ok(RuntimeFlavor::MultiThread) = Handle::try_current().map(|handle| handle.runtime_flavor()) {
        return tokio::task::block_in_place(work);
    }
    work()
}

/// An engine with its database.
pub enum Database {
    /// One file, in this process.
    Embedded(sqlite::Database),
    /// A PostgreSQL server, which several processes may share.
    #[cfg(feature = "postgres")]
    Postgres(postgres::Database),
}

/// Permit for an access class.
pub type Permit<'a> = tokio::sync::SemaphorePermit<'a>;

impl Database {
    /// Waits for a permit, which is returned when it is dropped. A waiting task blocks no thread. Fails if no permit is
    /// free in time.
    pub async fn acquire(&self, access: Access) -> Result<Option<Permit<'_>>, DatabaseError> {
        match self {
            Self::Embedded(database) => Ok(database.acquire(access).await),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.acquire(access).await.map(Some),
        }
    }

    /// Runs work that may block on a server or a disk. The embedded engine reads on the calling thread: a read takes
    /// less time than moving the other tasks to another thread.
    #[inline]
    pub fn blocking<T>(&self, access: Access, work: impl FnOnce() -> T) -> T {
        match (self, access) {
            (Self::Embedded(_), Access::Read) => work(),
            _ => blocking(work),
        }
    }

    /// Display name of the database, without secrets.
    #[inline]
    pub fn path(&self) -> &Path {
        match self {
            Self::Embedded(database) => database.path(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.path(),
        }
    }

    /// Adds the path to an error that occurred while opening it.
    pub fn with_path<E: WorkError>(&self, error: E) -> E {
        let error = match error.into_database() {
            Ok(error) => error,
            Err(own) => return own,
        };
        let error = match self {
            Self::Embedded(database) => database.with_path(error),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.with_path(error),
        };
        error.into()
    }

    /// Fails if a previous check found that the files were removed or replaced. Cached values are then invalid.
    #[inline]
    pub fn check_previous(&self) -> Result<(), DatabaseError> {
        match self {
            Self::Embedded(database) => database.check_previous(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Memory for documents that the caller caches, in bytes.
    pub fn document_cache(&self) -> usize {
        match self {
            Self::Embedded(database) => database.document_cache(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.document_cache(),
        }
    }

    /// Returns a version of cached rows, current or older: a number that changes with every change of them, by any
    /// process. None while the version is unknown. A value read after this call belongs to the version if
    /// [`validate`](Self::validate) later confirms it.
    #[inline]
    pub fn cache_version(&self) -> Result<Option<u64>, DatabaseError> {
        match self {
            Self::Embedded(database) => database.state(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => Ok(database.cache_version()),
        }
    }

    /// Returns whether a version is the current one. The embedded engine checked it when it returned the version. A
    /// server is queried.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, clippy::unused_async, reason = "no server is asked")
    )]
    pub async fn validate(&self, seen: u64) -> bool {
        match self {
            Self::Embedded(_) => true,
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.validate(seen).await,
        }
    }

    /// Fails if the files were removed or replaced, or if an operation found damage.
    pub fn check(&self, depth: FileCheck) -> Result<(), DatabaseError> {
        match self {
            Self::Embedded(database) => database.check(depth),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Runs `work` in one transaction. No other writer runs meanwhile.
    pub fn write<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        match self {
            Self::Embedded(database) => database.write(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.write(work),
        }
    }

    /// Runs `work` in a transaction that begins with the statements of `lock`, for which other processes wait. None if one
    /// process alone uses the database.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "one process needs no lock")
    )]
    pub fn locked<T, E: WorkError>(
        &self,
        lock: &str,
        work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        match self {
            Self::Embedded(_) => Ok(None),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.transaction(lock, work).map(Some),
        }
    }

    /// Runs `work`, which reads with one statement.
    pub fn read<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        match self {
            Self::Embedded(database) => database.read(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.read(work),
        }
    }

    /// Runs `work`, which reads with several statements from one snapshot.
    pub fn snapshot<T, E: WorkError>(&self, work: impl FnOnce(&Connection<'_, E>) -> Result<T, E>) -> Result<T, E> {
        match self {
            Self::Embedded(database) => database.snapshot(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.snapshot(work),
        }
    }

    /// Returns whether other processes may use the database, on a server.
    #[inline]
    pub fn is_shared(&self) -> bool {
        match self {
            Self::Embedded(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// Size on disk in bytes, with the log where that is a separate file.
    pub fn bytes(&self) -> Result<u64, DatabaseError> {
        match self {
            Self::Embedded(database) => Ok(database.bytes()),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => {
                let bytes = database.read(|connection: &Connection<'_>| {
                    connection.one("SELECT pg_database_size(current_database())", &[], |row| {
                        row.get::<i64>(0)
                    })
                })?;
                Ok(bytes.unsigned_abs())
            }
        }
    }

    /// Writes a copy to a file.
    pub fn backup(&self, file: &Path) -> Result<(), DatabaseError> {
        match self {
            Self::Embedded(database) => database.backup(file),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Err(DatabaseError::Elsewhere {
                what: "back up PostgreSQL with pg_dump",
            }),
        }
    }

    /// Removes remnants of deleted data from the files.
    pub fn scrub(&self) -> Result<(), DatabaseError> {
        match self {
            Self::Embedded(database) => database.scrub(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.scrub(),
        }
    }
}

//! The database engines that run the statements of a store.

use std::path::Path;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use uuid::Uuid;

use crate::access::Access;
#[cfg(feature = "postgres")]
use crate::postgres;
use crate::sql::connection::Connection;
use crate::sqlite::FileCheck;
use crate::{Assignment, DestinationId, Lease, StoreError, sqlite};

/// Runs blocking work that waits for a server or a disk. This is the only place that blocks a thread of a runtime.
/// Other tasks move to other threads, if the runtime has several.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    if let Ok(RuntimeFlavor::MultiThread) = Handle::try_current().map(|handle| handle.runtime_flavor()) {
        return tokio::task::block_in_place(work);
    }
    work()
}

/// An engine with its database.
pub(crate) enum Database {
    /// One file, in this process.
    Embedded(sqlite::Database),
    /// A PostgreSQL server, which several processes may share.
    #[cfg(feature = "postgres")]
    Postgres(postgres::Database),
}

/// Permit for an access class.
type Permit<'a> = tokio::sync::SemaphorePermit<'a>;

impl Database {
    /// Waits for a permit, which is returned when it is dropped. A waiting task blocks no thread. Fails if no permit is
    /// free in time.
    pub(crate) async fn acquire(&self, access: Access) -> Result<Option<Permit<'_>>, StoreError> {
        match self {
            Self::Embedded(database) => Ok(database.acquire(access).await),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.acquire(access).await.map(Some),
        }
    }

    /// Runs work that may block on a server or a disk. The embedded engine reads on the calling thread: a read takes
    /// less time than moving the other tasks to another thread.
    pub(crate) fn blocking<T>(&self, access: Access, work: impl FnOnce() -> T) -> T {
        match (self, access) {
            (Self::Embedded(_), Access::Read) => work(),
            _ => blocking(work),
        }
    }

    /// Display name of the database, without secrets.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Embedded(database) => database.path(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.path(),
        }
    }

    /// Adds the path of the store to an error that occurred while opening it.
    pub(crate) fn with_path(&self, error: StoreError) -> StoreError {
        match self {
            Self::Embedded(database) => database.with_path(error),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.with_path(error),
        }
    }

    /// Fails if a previous check found that the files were removed or replaced. Cached values are then invalid.
    pub(crate) fn check_previous(&self) -> Result<(), StoreError> {
        match self {
            Self::Embedded(database) => database.check_previous(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Size limit of the document cache, in bytes.
    pub(crate) fn document_cache(&self) -> usize {
        match self {
            Self::Embedded(database) => database.document_cache(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.document_cache(),
        }
    }

    /// Returns a version of the users, current or older: a number that changes with every change of a user, by any
    /// process. None while the version is unknown. A value read after this call belongs to the version if
    /// [`validate`](Self::validate) later confirms it.
    pub(crate) fn cache_version(&self) -> Result<Option<u64>, StoreError> {
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
    pub(crate) async fn validate(&self, seen: u64) -> bool {
        match self {
            Self::Embedded(_) => true,
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.validate(seen).await,
        }
    }

    /// Fails if the files were removed or replaced, or if an operation found damage.
    pub(crate) fn check(&self, depth: FileCheck) -> Result<(), StoreError> {
        match self {
            Self::Embedded(database) => database.check(depth),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Runs `work` in one transaction. No other writer runs meanwhile.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self {
            Self::Embedded(database) => database.write(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.write(work),
        }
    }

    /// Runs `work`, which reads with one statement.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::Embedded(database) => database.read(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.read(work),
        }
    }

    /// Runs `work`, which reads with several statements from one snapshot.
    pub(crate) fn snapshot<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self {
            Self::Embedded(database) => database.snapshot(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.snapshot(work),
        }
    }

    /// Shares destinations with the other processes. A single process gets all of them.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "one process alone shares nothing")
    )]
    pub(crate) fn share(
        &self,
        holder: Uuid,
        wanted: &[DestinationId],
        span: Duration,
    ) -> Result<Assignment, StoreError> {
        match self {
            Self::Embedded(_) => Ok(Assignment {
                leases: wanted
                    .iter()
                    .map(|destination| Lease {
                        destination: *destination,
                        holder,
                        term: 0,
                    })
                    .collect(),
                surplus: 0,
            }),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.share(holder, wanted, span),
        }
    }

    /// Releases destinations to other processes.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "one process alone shares nothing")
    )]
    pub(crate) fn release(&self, leases: &[Lease]) -> Result<(), StoreError> {
        match self {
            Self::Embedded(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.release(leases),
        }
    }

    /// Releases all destinations of a process.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, reason = "one process alone shares nothing")
    )]
    pub(crate) fn leave(&self, holder: Uuid) -> Result<(), StoreError> {
        match self {
            Self::Embedded(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.leave(holder),
        }
    }

    /// Returns whether other processes may work for the same destinations.
    pub(crate) fn is_shared(&self) -> bool {
        match self {
            Self::Embedded(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// Size on disk in bytes, with the log where that is a separate file.
    pub(crate) fn bytes(&self) -> Result<u64, StoreError> {
        match self {
            Self::Embedded(database) => Ok(database.bytes()),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => {
                let bytes: i64 = database.read(|connection| {
                    connection.one("SELECT pg_database_size(current_database())", &[], |row| row.get(0))
                })?;
                Ok(bytes.unsigned_abs())
            }
        }
    }

    /// Writes a copy to a file.
    pub(crate) fn backup(&self, file: &Path) -> Result<(), StoreError> {
        match self {
            Self::Embedded(database) => database.backup(file),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Err(StoreError::Elsewhere {
                what: "back up PostgreSQL with pg_dump",
            }),
        }
    }

    /// Removes remnants of deleted data from the files.
    pub(crate) fn scrub(&self) -> Result<(), StoreError> {
        match self {
            Self::Embedded(database) => database.scrub(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.scrub(),
        }
    }
}

//! The engines: where a store's statements run.

use std::path::Path;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use uuid::Uuid;

#[cfg(feature = "postgres")]
use crate::postgres;
use crate::sql::connection::Connection;
use crate::sqlite::FileCheck;
use crate::turn::Turn;
use crate::{Assignment, DestinationId, Lease, StoreError, sqlite};

/// Runs work that waits for a server or a disk: the one place where a thread of a runtime is blocked. Its other tasks
/// go on elsewhere, where the runtime has more threads.
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

/// A turn, while it lasts.
type Permit<'a> = tokio::sync::SemaphorePermit<'a>;

impl Database {
    /// Waits for a turn, which lasts until what is returned is dropped. A task that waits here holds up no thread.
    /// Fails where it does not come in time.
    pub(crate) async fn turn(&self, turn: Turn) -> Result<Option<Permit<'_>>, StoreError> {
        match self {
            Self::Embedded(database) => Ok(database.turn(turn).await),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.turn(turn).await.map(Some),
        }
    }

    /// Runs work where it may wait for a server or a disk. A file is read on the thread that asks: that takes less than
    /// to move the other tasks away.
    pub(crate) fn blocking<T>(&self, turn: Turn, work: impl FnOnce() -> T) -> T {
        match (self, turn) {
            (Self::Embedded(_), Turn::Reading) => work(),
            _ => blocking(work),
        }
    }

    /// What names it to people, without secrets.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Embedded(database) => database.path(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.path(),
        }
    }

    /// Says of which store an error is that came up while it was opened.
    pub(crate) fn on_opening(&self, error: StoreError) -> StoreError {
        match self {
            Self::Embedded(database) => database.on_opening(error),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.on_opening(error),
        }
    }

    /// Fails where what was read before holds no longer, because it is known that the files were removed or replaced.
    pub(crate) fn check_known(&self) -> Result<(), StoreError> {
        match self {
            Self::Embedded(database) => database.check_known(),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// How many bytes the documents may have that are kept as they were read.
    pub(crate) fn document_cache(&self) -> usize {
        match self {
            Self::Embedded(database) => database.document_cache(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.document_cache(),
        }
    }

    /// A state that its users had, now or before: a number that moves with whatever changes them, by whomever. None
    /// while that cannot be said. What is read from now on is what was there in that state, if the state [is
    /// still](Self::is_still) this one later.
    pub(crate) fn seen_state(&self) -> Result<Option<u64>, StoreError> {
        match self {
            Self::Embedded(database) => database.state(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => Ok(database.seen_state()),
        }
    }

    /// Whether a state that was seen is that of now. A file says so when its state is seen; a server is asked.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(unused_variables, clippy::unused_async, reason = "no server is asked")
    )]
    pub(crate) async fn is_still(&self, seen: u64) -> bool {
        match self {
            Self::Embedded(_) => true,
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.is_still(seen).await,
        }
    }

    /// Fails where the files were removed or replaced, or an operation found damage.
    pub(crate) fn check(&self, depth: FileCheck) -> Result<(), StoreError> {
        match self {
            Self::Embedded(database) => database.check(depth),
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Runs `work` in one transaction, with no other writer beside it.
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

    /// Reads what one statement returns.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::Embedded(database) => database.read(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.read(work),
        }
    }

    /// Reads what several statements return, all of them as of the same moment.
    pub(crate) fn read_together<T>(
        &self,
        work: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self {
            Self::Embedded(database) => database.read_together(work),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.read_together(work),
        }
    }

    /// Shares destinations with the other processes; one alone has all of them.
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

    /// Leaves destinations to others.
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

    /// Leaves everything to others.
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

    /// How many bytes it takes of a disk, with its log where that is a file of its own.
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

    /// Takes from the files what they keep of the past.
    pub(crate) fn scrub(&self) -> Result<(), StoreError> {
        match self {
            Self::Embedded(database) => database.scrub(),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.scrub(),
        }
    }
}

//! Leases that distribute destinations among processes. All times are the server's.

use std::collections::BTreeSet;
use std::time::Duration;

use uuid::Uuid;
use wearlab_database::Database;

use crate::sql::connection::Connection;
use crate::sql::value::params;
use crate::{Assignment, DestinationId, Lease, StoreError};

/// Locks the leases for one process at a time. The lock of a paused process ends before the leases of the others
/// expire.
const LOCK_WORKERS: &str = "SET LOCAL idle_in_transaction_session_timeout = '1s';
    LOCK TABLE workers IN SHARE ROW EXCLUSIVE MODE";

/// Shares destinations with the other processes. A single process gets all of them.
pub(crate) fn share(
    database: &Database,
    holder: Uuid,
    wanted: &[DestinationId],
    span: Duration,
) -> Result<Assignment, StoreError> {
    let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    let shared = database.locked(LOCK_WORKERS, |connection| {
        let workers = join(connection, holder, span)?;
        let wanted: BTreeSet<i64> = wanted.iter().map(|destination| destination.0).collect();
        let part = wanted.len().div_ceil(workers);
        let mut leases = renew(connection, holder, span)?;
        leases.retain(|lease| wanted.contains(&lease.destination.0));
        let held: BTreeSet<i64> = leases.iter().map(|lease| lease.destination.0).collect();
        let free = free(connection)?;
        let missing = wanted
            .difference(&held)
            .filter(|destination| free.contains(destination));
        for destination in missing.take(part.saturating_sub(leases.len())) {
            leases.push(take(connection, holder, DestinationId(*destination), span)?);
        }
        let surplus = leases.len().saturating_sub(part);
        Ok::<_, StoreError>(Assignment { leases, surplus })
    })?;
    let lease = |destination: &DestinationId| Lease {
        destination: *destination,
        holder,
        term: 0,
    };
    Ok(shared.unwrap_or_else(|| Assignment {
        leases: wanted.iter().map(lease).collect(),
        surplus: 0,
    }))
}

/// Releases destinations to other processes.
pub(crate) fn release(database: &Database, leases: &[Lease]) -> Result<(), StoreError> {
    database
        .locked(LOCK_WORKERS, |connection: &Connection<'_>| {
            for lease in leases {
                // The row stays, so that its term continues to grow.
                let sql = "UPDATE leases SET ends = '-infinity' WHERE destination = ?1 AND holder = ?2 AND term = ?3";
                connection.execute(sql, params![lease.destination.0, lease.holder.as_bytes(), lease.term])?;
            }
            Ok(())
        })
        .map(drop)
}

/// Releases all destinations of a process.
pub(crate) fn leave(database: &Database, holder: Uuid) -> Result<(), StoreError> {
    database
        .locked(LOCK_WORKERS, |connection: &Connection<'_>| {
            let sql = "UPDATE leases SET ends = '-infinity' WHERE holder = ?1";
            connection.execute(sql, params![holder.as_bytes()])?;
            connection.execute("DELETE FROM workers WHERE holder = ?1", params![holder.as_bytes()])?;
            Ok(())
        })
        .map(drop)
}

/// Returns whether a lease is still valid. In a store of one process, it is.
pub(crate) fn is_valid(connection: &Connection<'_>, lease: &Lease) -> Result<bool, StoreError> {
    if !connection.is_shared() {
        return Ok(true);
    }
    // The row is locked until this transaction ends, so that no process takes over meanwhile.
    let sql = "SELECT 1 FROM leases WHERE destination = ?1 AND holder = ?2 AND term = ?3 FOR UPDATE";
    let key = params![lease.destination.0, lease.holder.as_bytes(), lease.term];
    Ok(connection.first(sql, key, |_| Ok(()))?.is_some())
}

/// Registers a process as active, and returns the number of active processes.
fn join(connection: &Connection<'_>, holder: Uuid, span: i64) -> Result<usize, StoreError> {
    connection.execute("DELETE FROM workers WHERE ends < clock_timestamp()", params![])?;
    let sql = "INSERT INTO workers (holder, ends) VALUES (?1, clock_timestamp() + CAST(?2 AS BIGINT) * interval '1 millisecond')
        ON CONFLICT (holder) DO UPDATE SET ends = excluded.ends";
    connection.execute(sql, params![holder.as_bytes(), span])?;
    let workers: i64 = connection.one("SELECT count(*) FROM workers", params![], |row| row.get(0))?;
    Ok(usize::try_from(workers).unwrap_or(1).max(1))
}

/// Renews the leases of a process, including expired ones that no other process took.
fn renew(connection: &Connection<'_>, holder: Uuid, span: i64) -> Result<Vec<Lease>, StoreError> {
    let sql = "UPDATE leases SET ends = clock_timestamp() + CAST(?2 AS BIGINT) * interval '1 millisecond' WHERE holder = ?1 AND ends > '-infinity'
        RETURNING destination, term";
    let mut leases = connection.all(sql, params![holder.as_bytes(), span], |row| {
        Ok(Lease {
            destination: DestinationId(row.get(0)?),
            holder,
            term: row.get(1)?,
        })
    })?;
    leases.sort_by_key(|lease| lease.destination.0);
    Ok(leases)
}

/// Returns the destinations without a valid lease.
fn free(connection: &Connection<'_>) -> Result<BTreeSet<i64>, StoreError> {
    let sql = "SELECT id FROM destinations
        WHERE NOT EXISTS (SELECT 1 FROM leases WHERE destination = destinations.id AND ends >= clock_timestamp())";
    Ok(connection.all(sql, params![], |row| row.get(0))?.into_iter().collect())
}

fn take(connection: &Connection<'_>, holder: Uuid, destination: DestinationId, span: i64) -> Result<Lease, StoreError> {
    let sql = "INSERT INTO leases (destination, holder, term, ends)
        VALUES (?1, ?2, 1, clock_timestamp() + CAST(?3 AS BIGINT) * interval '1 millisecond')
        ON CONFLICT (destination) DO UPDATE SET holder = excluded.holder, term = leases.term + 1, ends = excluded.ends
        RETURNING term";
    let term = connection.one(sql, params![destination.0, holder.as_bytes(), span], |row| row.get(0))?;
    Ok(Lease {
        destination,
        holder,
        term,
    })
}

//! Destinations that cannot be reached, and the list of all destinations.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::sql::document::instant;
use crate::sql::value::{Row, params};
use crate::sql::{Reader, Transaction};
use crate::{DestinationId, DestinationStatus, Outage, Reachability, StoreError};

impl Reader<'_> {
    pub(crate) fn destinations(&self) -> Result<Vec<DestinationStatus>, StoreError> {
        let sql = "SELECT id, team_id, kind, webhook_id, since, next_attempt, reason
            FROM destinations LEFT JOIN outages ON destination = id ORDER BY team_id, kind, id";
        self.connection.all(sql, params![], status)
    }
}

pub(crate) fn status(row: &Row<'_>) -> Result<DestinationStatus, StoreError> {
    let outage = match row.get::<Option<i64>>(4)? {
        Some(since) => Some(Outage {
            since: DateTime::from_timestamp_nanos(since),
            next_attempt: DateTime::from_timestamp_nanos(row.get(5)?),
            reason: row.get(6)?,
        }),
        None => None,
    };
    Ok(DestinationStatus {
        id: DestinationId(row.get(0)?),
        team_id: Uuid::from_bytes(row.get(1)?),
        kind: row.get(2)?,
        webhook_id: row.get(3)?,
        outage,
    })
}

impl Transaction<'_> {
    /// Records the reachability of a destination. An outage continues since it was recorded first.
    pub(crate) fn put_reachability(
        &self,
        destination: DestinationId,
        reachability: &Reachability,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        match reachability {
            Reachability::Up => {
                let sql = "DELETE FROM outages WHERE destination = ?1";
                self.connection.execute(sql, params![destination.0])?;
            }
            Reachability::Down { reason, next_attempt } => {
                // The destination may have been deleted with its webhook meanwhile.
                let sql = "INSERT INTO outages (destination, since, next_attempt, reason)
                    SELECT id, ?2, ?3, ?4 FROM destinations WHERE id = ?1
                    ON CONFLICT (destination) DO UPDATE SET next_attempt = excluded.next_attempt,
                        reason = excluded.reason";
                self.connection.execute(
                    sql,
                    params![destination.0, instant(now), instant(*next_attempt), reason],
                )?;
            }
        }
        Ok(())
    }
}

//! Orders of lab tests, and their reported results.

use uuid::Uuid;
use wearlab_ingest::orders::ReportedResults;
use wearlab_models::{Encoded, Order};

use crate::seal::Seal;
use crate::sql::connection::{Connection, missing};
use crate::sql::document::{decode, encode, id, instant, rows};
use crate::sql::users::row::UserRow;
use crate::sql::value::params;
use crate::sql::{Reader, Transaction};
use crate::{OrderRecord, StoreError, TeamId};

const KIND: &str = "order";
const RESULTS: &str = "results of an order";
/// Name in errors.
const ORDERS: &str = "orders";

const ONE: &str = "SELECT order_id, document, id FROM orders WHERE team_id = ?1 AND order_id = ?2";
const ONE_RESULTS: &str = "SELECT order_results.document FROM orders
    JOIN order_results ON order_row = orders.id WHERE team_id = ?1 AND order_id = ?2";

impl Reader<'_> {
    /// An order of the team.
    pub(crate) fn order(&self, team: TeamId, order_id: Uuid) -> Result<Option<Encoded<Order>>, StoreError> {
        let key = params![team.as_bytes(), order_id.as_bytes()];
        self.connection.first(ONE, key, |row| {
            let text = self.seal.open(order_id.as_bytes(), row.get(1)?)?;
            Ok::<_, StoreError>(Encoded::from_stored(text))
        })
    }

    /// An order of the team with its reported results, if there are any.
    pub(crate) fn order_with_results(
        &self,
        team: TeamId,
        order_id: Uuid,
    ) -> Result<Option<(Order, Option<ReportedResults>)>, StoreError> {
        let Some(order) = self.order(team, order_id)? else {
            return Ok(None);
        };
        let order = serde_json::from_slice(order.as_bytes()).map_err(|_| StoreError::Document { what: KIND })?;
        Ok(Some((order, results(self.connection, self.seal, team, order_id)?)))
    }
}

impl Transaction<'_> {
    /// Puts an order of a user of the team.
    pub fn put_order(&self, team: TeamId, order: &Order) -> Result<(), StoreError> {
        if order.team_id != team.uuid() {
            let what = "the order names another team";
            return Err(StoreError::Conflict { what });
        }
        let document = self
            .seal
            .close_required(ORDERS, order.id.as_bytes(), encode(KIND, order)?)?;
        let sql = "INSERT INTO orders
                (team_id, order_id, user_row, created_at, updated_at, status, sealed_by, document)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (team_id, order_id) DO UPDATE SET user_row = excluded.user_row,
                created_at = excluded.created_at, updated_at = excluded.updated_at, status = excluded.status,
                sealed_by = excluded.sealed_by, document = excluded.document
            WHERE orders.document IS DISTINCT FROM excluded.document";
        let params = params![
            team.as_bytes(),
            order.id.as_bytes(),
            self.require_user_row(team, order.user_id)?,
            instant(order.created_at),
            instant(order.updated_at),
            order.status.as_str(),
            self.seal.key_name(),
            document,
        ];
        self.connection.execute(sql, params).map_err(missing("user"))?;
        Ok(())
    }

    /// An order of the team.
    pub fn order(&self, team: TeamId, order_id: Uuid) -> Result<Option<Order>, StoreError> {
        let key = params![team.as_bytes(), order_id.as_bytes()];
        self.connection.first(ONE, key, |row| {
            decode(KIND, &self.seal.open(order_id.as_bytes(), row.get(1)?)?)
        })
    }

    /// Reads the reported results of an order.
    pub fn order_results(&self, team: TeamId, order_id: Uuid) -> Result<Option<ReportedResults>, StoreError> {
        results(self.connection, self.seal, team, order_id)
    }

    /// Puts the reported results of an order.
    pub fn put_order_results(&self, team: TeamId, order_id: Uuid, results: &ReportedResults) -> Result<(), StoreError> {
        let key = params![team.as_bytes(), order_id.as_bytes()];
        let row: Option<i64> = self.connection.first(ONE, key, |row| row.get(2))?;
        let row = row.ok_or(StoreError::Missing { what: KIND })?;
        let document = self
            .seal
            .close_required(ORDERS, order_id.as_bytes(), encode(RESULTS, results)?)?;
        let sql = "INSERT INTO order_results (order_row, sealed_by, document) VALUES (?1, ?2, ?3)
            ON CONFLICT (order_row) DO UPDATE SET sealed_by = excluded.sealed_by, document = excluded.document
            WHERE order_results.document IS DISTINCT FROM excluded.document";
        self.connection
            .execute(sql, params![row, self.seal.key_name(), document])?;
        Ok(())
    }

    /// Puts an order with its reported results, from an export. Nothing is logged.
    pub fn put_order_record(&self, team: TeamId, record: &OrderRecord) -> Result<(), StoreError> {
        self.put_order(team, &record.order)?;
        match &record.results {
            Some(results) => self.put_order_results(team, record.order.id, results),
            None => {
                let sql = "DELETE FROM order_results
                    WHERE order_row = (SELECT id FROM orders WHERE team_id = ?1 AND order_id = ?2)";
                let key = params![team.as_bytes(), record.order.id.as_bytes()];
                self.connection.execute(sql, key)?;
                Ok(())
            }
        }
    }
}

fn results(
    connection: &Connection<'_>,
    seal: &Seal,
    team: TeamId,
    order_id: Uuid,
) -> Result<Option<ReportedResults>, StoreError> {
    let key = params![team.as_bytes(), order_id.as_bytes()];
    connection.first(ONE_RESULTS, key, |row| {
        decode(RESULTS, &seal.open(order_id.as_bytes(), row.get(0)?)?)
    })
}

/// The orders of a user, oldest first, each with its reported results.
pub(crate) fn of_user(
    connection: &Connection<'_>,
    seal: &Seal,
    user_row: UserRow,
) -> Result<Vec<OrderRecord>, StoreError> {
    let sql = "SELECT order_id, orders.document, order_results.document FROM orders
        LEFT JOIN order_results ON order_row = orders.id WHERE user_row = ?1 ORDER BY created_at, order_id";
    connection.all(sql, params![user_row], |row| {
        let order_id = id(row)?;
        let open = |text| seal.open(order_id.as_bytes(), text);
        let results: Option<String> = row.get(2)?;
        let results = results.map(|text| decode(RESULTS, &open(text)?)).transpose()?;
        Ok(OrderRecord {
            order: decode(KIND, &open(row.get(1)?)?)?,
            results,
        })
    })
}

/// The documents of a table without current encryption, a part of the table at a time.
struct Sealed {
    /// Reads rows after a number that are encrypted with another key: number, order and document.
    select: &'static str,
    update: &'static str,
    /// Finds a row that is encrypted with another key, by the index: sorted, so that a server without statistics uses
    /// it, too.
    others: [&'static str; 2],
}

const SEALED: [Sealed; 2] = [
    Sealed {
        select: "SELECT order_id, document, id FROM orders WHERE id > ?1 AND sealed_by <> ?2 ORDER BY id LIMIT ?3",
        update: "UPDATE orders SET document = ?2, sealed_by = ?3 WHERE id = ?1",
        others: [
            "SELECT 1 FROM orders WHERE sealed_by < ?1 ORDER BY sealed_by LIMIT 1",
            "SELECT 1 FROM orders WHERE sealed_by > ?1 ORDER BY sealed_by LIMIT 1",
        ],
    },
    Sealed {
        select: "SELECT order_id, order_results.document, order_row FROM order_results
            JOIN orders ON orders.id = order_row
            WHERE order_row > ?1 AND order_results.sealed_by <> ?2 ORDER BY order_row LIMIT ?3",
        update: "UPDATE order_results SET document = ?2, sealed_by = ?3 WHERE order_row = ?1",
        others: [
            "SELECT 1 FROM order_results WHERE sealed_by < ?1 ORDER BY sealed_by LIMIT 1",
            "SELECT 1 FROM order_results WHERE sealed_by > ?1 ORDER BY sealed_by LIMIT 1",
        ],
    },
];

/// Returns whether an order or its results are not encrypted with the first key.
pub(crate) fn is_sealing_due(connection: &Connection<'_>, seal: &Seal) -> Result<bool, StoreError> {
    for statement in SEALED.iter().flat_map(|table| table.others) {
        if connection
            .first(statement, params![seal.key_name()], |_| Ok(()))?
            .is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Encrypts all orders and results with the first key.
pub(crate) fn seal_all(connection: &Connection<'_>, seal: &Seal) -> Result<(), StoreError> {
    /// Maximum number of documents in memory.
    const PART: usize = 200;
    for table in &SEALED {
        let mut after = i64::MIN;
        loop {
            let part = connection.all(table.select, params![after, seal.key_name(), rows(PART)], |row| {
                Ok((id(row)?, row.get::<String>(1)?, row.get::<i64>(2)?))
            })?;
            let Some((.., last)) = part.last() else { break };
            after = *last;
            for (order_id, stored, row) in part {
                let text = seal.open(order_id.as_bytes(), stored)?;
                let sealed = seal.close(order_id.as_bytes(), text)?;
                connection.execute(table.update, params![row, sealed, seal.key_name()])?;
            }
        }
    }
    Ok(())
}

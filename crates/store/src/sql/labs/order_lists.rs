//! Lists of orders, in bounded memory.

use std::collections::HashMap;
use std::iter;
use std::ops::ControlFlow;

use uuid::Uuid;
use wearlab_models::{Encoded, Order};

use crate::sql::Reader;
use crate::sql::document::{id, instant, is_one_of};
use crate::sql::value::Bind;
use crate::{OrderFilter, OrderPage, OrderPlace, OrderRows, StoreError, TeamId};

/// Maximum number of orders that one statement reads.
const MAX_AT_ONCE: usize = 50;

impl Reader<'_> {
    /// A page of the orders of the team that pass a filter, by their time of creation, or their locations if they
    /// exceed a size in bytes. Pages count from 1.
    pub(crate) fn orders(
        &self,
        team: TeamId,
        filter: &OrderFilter,
        page: i64,
        size: i64,
        bytes: usize,
    ) -> Result<OrderPage, StoreError> {
        // Only conditions of the filter, so that their index is used.
        let bounds = [
            ("created_at >=", filter.created_from),
            ("created_at <=", filter.created_to),
            ("updated_at >=", filter.updated_from),
            ("updated_at <=", filter.updated_to),
        ];
        let bounds = bounds.map(|(condition, time)| (condition, time.map(instant)));
        let user_row = match filter.user_id.map(|user_id| self.user_row(team, user_id)).transpose()? {
            None => None,
            Some(Some(row)) => Some(row),
            // The team has no such user, and so no such orders.
            Some(None) => return Ok(OrderPage::default()),
        };
        let team_id = team.as_bytes();
        // A user is of one team.
        let (mut conditions, owner): (String, &dyn Bind) = match &user_row {
            Some(row) => ("user_row = ?1".to_owned(), row),
            None => ("team_id = ?1".to_owned(), &team_id),
        };
        let mut params: Vec<&dyn Bind> = vec![owner];
        for (condition, time) in &bounds {
            if let Some(time) = time {
                params.push(time);
                conditions += &format!(" AND {condition} ?{}", params.len());
            }
        }
        let order_ids: Vec<_> = filter.order_ids.iter().map(Uuid::as_bytes).collect();
        let statuses = filter.statuses.iter().map(|status| status as &dyn Bind).collect();
        let order_ids = order_ids.iter().map(|id| id as &dyn Bind).collect();
        for (column, listed) in [("status", statuses), ("order_id", order_ids)] {
            let listed: Vec<&dyn Bind> = listed;
            if !listed.is_empty() {
                conditions += &format!(" AND {}", is_one_of(column, params.len() + 1, listed.len()));
            }
            params.extend(listed);
        }
        let total = format!("SELECT count(*) FROM orders WHERE {conditions}");
        let total = self.connection.one(&total, &params, |row| row.get(0))?;
        let size = size.max(0);
        let offset = page.saturating_sub(1).max(0).saturating_mul(size);
        params.extend([&size as &dyn Bind, &offset]);
        let direction = if filter.oldest_first { "ASC" } else { "DESC" };
        let page = format!(
            "FROM orders WHERE {conditions}
            ORDER BY created_at {direction}, order_id {direction} LIMIT ?{} OFFSET ?{}",
            params.len() - 1,
            params.len()
        );
        let lengths = format!("SELECT octet_length(document), id, order_id {page}");
        let places = self.connection.all(&lengths, &params, |row| {
            Ok(OrderPlace {
                row: row.get(1)?,
                order_id: Uuid::from_bytes(row.get(2)?),
                bytes: row.get::<i64>(0)?.unsigned_abs(),
            })
        })?;
        if places.iter().map(|place| place.bytes).sum::<u64>() > bytes as u64 {
            return Ok(OrderPage {
                orders: OrderRows::Places(places),
                total,
            });
        }
        let documents = format!("SELECT order_id, document {page}");
        let orders = self.connection.all(&documents, &params, |row| {
            let text = self.seal.open(id(row)?.as_bytes(), row.get(1)?)?;
            Ok::<_, StoreError>(Encoded::from_stored(text))
        })?;
        Ok(OrderPage {
            orders: OrderRows::Whole(orders),
            total,
        })
    }

    /// The orders at the first of some locations, up to a size in bytes, but at least one. None in
    /// place of a deleted order.
    pub(crate) fn some_orders(
        &self,
        team: TeamId,
        places: &[OrderPlace],
        bytes: usize,
    ) -> Result<Vec<Option<Encoded<Order>>>, StoreError> {
        let mut length = 0;
        let fits = |place: &&OrderPlace| {
            length += place.bytes;
            length <= bytes as u64
        };
        let count = places.iter().take(MAX_AT_ONCE).take_while(fits).count();
        let Some(last) = places.get(count.max(1) - 1) else {
            return Ok(Vec::new());
        };
        let places = &places[..count.max(1)];
        // One statement for any number of orders.
        let padded: Vec<_> = places.iter().chain(iter::repeat(last)).take(MAX_AT_ONCE).collect();
        let params: Vec<_> = padded.iter().map(|place| &place.row as &dyn Bind).collect();
        let sql = format!(
            "SELECT id, team_id, order_id, document FROM orders WHERE {}",
            is_one_of("id", 1, MAX_AT_ONCE)
        );
        let mut found = HashMap::new();
        self.connection.each(&sql, &params, |row| {
            if row.get::<[u8; 16]>(1)? == *team.as_bytes() {
                let order_id = row.get::<[u8; 16]>(2)?;
                let text = self.seal.open(&order_id, row.get(3)?)?;
                found.insert(
                    (row.get::<i64>(0)?, Uuid::from_bytes(order_id)),
                    Encoded::from_stored(text),
                );
            }
            Ok::<_, StoreError>(ControlFlow::Continue(()))
        })?;
        Ok(places
            .iter()
            .map(|place| found.remove(&(place.row, place.order_id)))
            .collect())
    }
}

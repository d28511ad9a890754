//! Filters and searches of lists of orders. [`Search`] has the filters that the store has no indexes for.

use std::sync::Arc;

use chrono::{DateTime, Days, NaiveTime, TimeDelta, Utc};
use wearlab_models::{OrderDirection, OrderListKey};
use wearlab_server::{ApiError, ListOrdersInput};
use wearlab_store::{OrderFilter, OrderPage, OrderRows, TeamId};

use super::search::{Search, are_statuses};
use crate::dates::{Date, read as read_date, violation};
use crate::{Service, store_error};

/// Maximum orders that are decrypted for one list.
const MOST_SEARCHED: i64 = 10_000;

impl Service {
    /// Returns a page of the orders that match a search. Reads are bounded in bytes.
    pub(super) async fn search_orders(
        &self,
        team: TeamId,
        filter: &OrderFilter,
        search: Search,
        (page, size): (i64, i64),
    ) -> Result<OrderPage, ApiError> {
        let store = self.store()?.team(team);
        let bytes = self.settings.limits.page_bytes;
        // No order fits into zero bytes.
        let all = store.orders(filter, 1, MOST_SEARCHED, 0).await.map_err(store_error)?;
        if all.total > MOST_SEARCHED {
            return Err(too_many(search.name()));
        }
        let mut left = match &all.orders {
            OrderRows::Whole(_) => &[][..],
            OrderRows::Places(places) => places,
        };
        let search = Arc::new(search);
        let mut found = Vec::new();
        while !left.is_empty() {
            let part = store.some_orders(left, bytes).await.map_err(store_error)?;
            let (these, others) = left.split_at(part.len());
            let search = search.clone();
            let keys = blocking(move || search.keys(&part)).await?;
            found.extend(these.iter().zip(keys).filter_map(|(place, key)| Some((key?, *place))));
            left = others;
        }
        let (places, total) = search.page(found, page, size);
        let is_whole = places.iter().map(|place| place.bytes).sum::<u64>() <= bytes as u64;
        let mut orders = Vec::new();
        while is_whole && orders.len() < places.len() {
            let part = store.some_orders(&places[orders.len()..], bytes).await;
            orders.extend(part.map_err(store_error)?);
        }
        let orders = match is_whole {
            true => OrderRows::Whole(orders.into_iter().flatten().collect()),
            false => OrderRows::Places(places),
        };
        Ok(OrderPage { orders, total })
    }
}

/// Decodes and encodes on a blocking thread: those of the runtime serve all requests.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(ApiError::internal)?
}

/// Returns the filters of the store. Days are those of UTC, and their ends are included.
pub(super) fn filter(input: &ListOrdersInput) -> Result<OrderFilter, ApiError> {
    let mut violations = Vec::new();
    let mut bound = |name: &str, text: &Option<String>, is_end: bool| {
        let date = read_date(text.as_deref()?);
        if date.is_none() {
            let message = "must be a day, YYYY-mm-dd, or a time, such as 2026-05-01T08:00:00Z";
            violations.push(violation(name, "malformed", message));
        }
        date.map(|date| instant(date, is_end))
    };
    let created_from = bound("start_date", &input.start_date, false);
    let created_to = bound("end_date", &input.end_date, true);
    let updated_from = bound("updated_start_date", &input.updated_start_date, false);
    let updated_to = bound("updated_end_date", &input.updated_end_date, true);
    for (name, from, to) in [
        ("end_date", created_from, created_to),
        ("updated_end_date", updated_from, updated_to),
    ] {
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            violations.push(violation(name, "out_of_range", "must not be before the start"));
        }
    }
    if !violations.is_empty() {
        return Err(ApiError::invalid(violations));
    }
    let statuses: Vec<_> = input.status.iter().map(|status| status.as_str().to_owned()).collect();
    let by_step = !are_statuses(&statuses);
    Ok(OrderFilter {
        created_from,
        created_to,
        updated_from,
        updated_to,
        statuses: if by_step { Vec::new() } else { statuses },
        user_id: input.user_id,
        order_ids: input.order_ids.clone(),
        oldest_first: input.order_key == OrderListKey::CreatedAt && input.order_direction == OrderDirection::Asc,
    })
}

fn instant(date: Date, is_end: bool) -> DateTime<Utc> {
    match date {
        Date::Instant(time) => time,
        Date::Local(time) => time.and_utc(),
        Date::Day(day) if is_end => {
            let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
            next.and_time(NaiveTime::MIN).and_utc() - TimeDelta::nanoseconds(1)
        }
        Date::Day(day) => day.and_time(NaiveTime::MIN).and_utc(),
    }
}

fn too_many(name: &'static str) -> ApiError {
    let message = format!(
        "more than {MOST_SEARCHED} orders would have to be searched: narrow them down by start_date and end_date, user_id \
         or order_ids"
    );
    ApiError::invalid(vec![violation(name, "out_of_range", &message)])
}

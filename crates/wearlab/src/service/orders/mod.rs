//! Orders of lab tests.

mod cancel;
mod checks;
mod create;
mod requisition;
mod results;
mod simulate;
mod tests_ordered;

use chrono::{DateTime, Days, NaiveTime, TimeDelta, Utc};
use wearlab_ingest::orders::collection_of;
use wearlab_models::{Encoded, Order, OrderList, OrderResponse, Uuid};
use wearlab_server::{ApiError, ApiResult, ListOrdersInput, Reply};
use wearlab_store::{OrderFilter, TeamId};

use super::dates::{Date, read as read_date, violation};
use super::{Service, encoded, store_error};

pub(crate) use requisition::SignedForm;

impl Service {
    /// One order.
    pub(super) async fn order(&self, team: TeamId, order_id: Uuid) -> ApiResult<Order> {
        let order = self.store()?.team(team).order(order_id).await.map_err(store_error)?;
        presented(order.ok_or_else(no_order)?).map(Reply::Encoded)
    }

    /// A page of the orders that pass all filters.
    pub(super) async fn orders(&self, team: TeamId, input: ListOrdersInput) -> ApiResult<OrderList> {
        let filter = filter(&input)?;
        let (page, size) = (input.page, input.size);
        let orders = self.store()?.team(team).orders(&filter, page, size).await;
        let orders = orders.map_err(store_error)?;
        let envelope = OrderList::builder()
            .orders(Vec::new())
            .total(orders.total)
            .page(page)
            .size(size)
            .build();
        let orders: Vec<_> = orders.orders.into_iter().map(presented).collect::<Result<_, _>>()?;
        encoded(Encoded::page(&envelope, &orders))
    }
}

fn no_order() -> ApiError {
    ApiError::not_found("No such order.")
}

/// An order that is kept as reads have it.
fn presented(order: Encoded<Order>) -> Result<Encoded<Order>, ApiError> {
    let mut order: Order = serde_json::from_slice(order.as_bytes()).map_err(ApiError::internal)?;
    order.details = collection_of(&order);
    Encoded::encode(&order).map_err(ApiError::internal)
}

/// What is said of an order with which something was done.
fn response(mut order: Order, message: &str) -> OrderResponse {
    order.details = collection_of(&order);
    OrderResponse::builder()
        .order(order)
        .status("success")
        .message(message)
        .build()
}

/// The filter of a request. Days are those of UTC, and their ends are included.
fn filter(input: &ListOrdersInput) -> Result<OrderFilter, ApiError> {
    let mut violations = Vec::new();
    let mut bound = |name: &str, text: &Option<String>, is_end: bool| {
        let date = read_date(text.as_deref()?);
        if date.is_none() {
            let message = "must be a day, YYYY-mm-dd, or a time with its offset, such as 2026-05-01T08:00:00Z";
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
    Ok(OrderFilter {
        created_from,
        created_to,
        updated_from,
        updated_to,
        statuses: input.status.iter().map(|status| status.as_str().to_owned()).collect(),
        user_id: input.user_id,
    })
}

fn instant(date: Date, is_end: bool) -> DateTime<Utc> {
    match date {
        Date::Instant(time) => time,
        Date::Day(day) if is_end => {
            let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
            next.and_time(NaiveTime::MIN).and_utc() - TimeDelta::nanoseconds(1)
        }
        Date::Day(day) => day.and_time(NaiveTime::MIN).and_utc(),
    }
}

//! Lists of orders: filters that the store has indexes for, and those that the orders themselves are decrypted for.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use wearlab_models::{Encoded, Order, OrderDirection, OrderList, OrderListKey};
use wearlab_server::{ApiError, ApiResult, ListOrdersInput};
use wearlab_store::{OrderFilter, OrderPage, TeamId};

use super::presented;
use crate::service::dates::{Date, read as read_date, violation};
use crate::service::{Service, encoded, store_error};

/// The most orders that are decrypted for one list.
const MOST_SEARCHED: i64 = 10_000;

/// The statuses of orders, by which the store filters. Any other is the name of a step.
const STATUSES: [&str; 6] = [
    "received",
    "collecting_sample",
    "sample_with_lab",
    "completed",
    "cancelled",
    "failed",
];

impl Service {
    /// A page of the orders that pass all filters.
    pub(in crate::service) async fn orders(&self, team: TeamId, input: ListOrdersInput) -> ApiResult<OrderList> {
        let filter = filter(&input)?;
        let (page, size) = (input.page, input.size);
        let store = self.store()?.team(team);
        let today = (self.now)().date_naive();
        let orders = if input.order_transaction_id.is_some() {
            OrderPage::default()
        } else if let Some(search) = Search::of(input, today) {
            let all = store.orders(&filter, 1, MOST_SEARCHED).await.map_err(store_error)?;
            if all.total > MOST_SEARCHED {
                return Err(too_many(search.name));
            }
            let found = tokio::task::spawn_blocking(move || search.page(all.orders, page, size));
            found.await.map_err(ApiError::internal)??
        } else {
            store.orders(&filter, page, size).await.map_err(store_error)?
        };
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

/// What the store filters by. Days are those of UTC, and their ends are included.
fn filter(input: &ListOrdersInput) -> Result<OrderFilter, ApiError> {
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

/// Whether `completed` and the like are all that is asked for: both a status and a step have some of these names.
fn are_statuses(statuses: &[String]) -> bool {
    statuses.iter().all(|status| STATUSES.contains(&status.as_str()))
}

fn too_many(name: &'static str) -> ApiError {
    let message = format!(
        "more than {MOST_SEARCHED} orders would have to be searched: narrow them down by start_date and end_date, user_id \
         or order_ids"
    );
    ApiError::invalid(vec![violation(name, "out_of_range", &message)])
}

/// Filters and orders that depend on what is encrypted.
struct Search {
    /// The first parameter that asks for it.
    name: &'static str,
    input: ListOrdersInput,
    today: NaiveDate,
}

impl Search {
    /// The search of a list, if it needs one.
    fn of(input: ListOrdersInput, today: NaiveDate) -> Option<Self> {
        let statuses: Vec<_> = input.status.iter().map(|status| status.as_str().to_owned()).collect();
        let asked = [
            ("status", !are_statuses(&statuses)),
            ("order_type", !input.order_type.is_empty()),
            ("interpretation", input.interpretation.is_some()),
            ("is_critical", input.is_critical.is_some()),
            ("order_activation_types", !input.order_activation_types.is_empty()),
            ("patient_name", input.patient_name.is_some()),
            ("shipping_recipient_name", input.shipping_recipient_name.is_some()),
            ("search_input", input.search_input.is_some()),
            ("order_key", input.order_key != OrderListKey::CreatedAt),
        ];
        let (name, _) = asked.into_iter().find(|(_, is_asked)| *is_asked)?;
        Some(Self { name, input, today })
    }

    /// A page of those that pass, of orders with the newest first.
    fn page(&self, orders: Vec<Encoded<Order>>, page: i64, size: i64) -> Result<OrderPage, ApiError> {
        let mut found = Vec::new();
        for text in orders {
            let order: Order = serde_json::from_slice(text.as_bytes()).map_err(ApiError::internal)?;
            if self.passes(&order) {
                found.push((self.key(&order), text));
            }
        }
        // Stable: what has one key stays as it is, the newest first.
        match self.input.order_direction == OrderDirection::Asc {
            true => found.sort_by(|(a, _), (b, _)| a.cmp(b)),
            false => found.sort_by(|(a, _), (b, _)| b.cmp(a)),
        }
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let skipped = usize::try_from(page.saturating_sub(1).saturating_mul(size)).unwrap_or(usize::MAX);
        let wanted = usize::try_from(size).unwrap_or_default();
        let orders = found.into_iter().skip(skipped).take(wanted).map(|(_, text)| text);
        Ok(OrderPage {
            orders: orders.collect(),
            total,
        })
    }

    /// What the list is ordered by. The store orders by the time of creation.
    fn key(&self, order: &Order) -> String {
        match self.input.order_key {
            OrderListKey::PatientName => patient_name(order),
            OrderListKey::LastStatus => order.last_event.status.clone(),
            _ => String::new(),
        }
    }

    fn passes(&self, order: &Order) -> bool {
        let input = &self.input;
        let step = order.last_event.status.rsplit('.').next().unwrap_or_default();
        let by_status = input.status.is_empty()
            || (input.status.iter()).any(|status| *status == order.status || status.as_str() == step);
        let by_type = input.order_type.is_empty()
            || (input.order_type.iter()).any(|method| method.as_str() == order.details.type_.as_str());
        let interpretation = order.interpretation.as_ref();
        let by_interpretation = (input.interpretation.as_ref()).is_none_or(|wanted| interpretation == Some(wanted));
        let is_critical = interpretation.is_some_and(|found| found.as_str() == "critical");
        let activation = match order.activate_by.is_some_and(|day| day > self.today) {
            true => "scheduled",
            false => "current",
        };
        let by_activation = input.order_activation_types.is_empty()
            || (input.order_activation_types.iter()).any(|wanted| wanted.as_str() == activation);
        let has_text = |wanted: &Option<String>, text: &str| {
            wanted
                .as_ref()
                .is_none_or(|wanted| text.contains(&wanted.to_lowercase()))
        };
        by_status
            && by_type
            && by_interpretation
            && input.is_critical.is_none_or(|wanted| wanted == is_critical)
            && by_activation
            && has_text(&input.patient_name, &patient_name(order))
            && has_text(&input.shipping_recipient_name, &recipient(order))
            && (input.search_input.as_ref()).is_none_or(|wanted| is_found(order, &wanted.to_lowercase()))
    }
}

/// Whether a text, in lower case, is what an order is looked for by.
fn is_found(order: &Order, text: &str) -> bool {
    let dob = order.patient_details.as_ref().map(|patient| patient.dob.to_string());
    order.id.to_string() == text
        || order.user_id.to_string() == text
        || dob.as_deref() == Some(text)
        || patient_name(order).contains(text)
        || recipient(order).contains(text)
}

/// First and last name of the patient, in lower case.
fn patient_name(order: &Order) -> String {
    let name = |patient: &wearlab_models::PatientDetails| format!("{} {}", patient.first_name, patient.last_name);
    order
        .patient_details
        .as_ref()
        .map(name)
        .unwrap_or_default()
        .to_lowercase()
}

/// Who receives what is sent, in lower case: the patient, unless the address names somebody else.
fn recipient(order: &Order) -> String {
    let named = order
        .patient_address
        .as_ref()
        .and_then(|address| address.receiver_name.as_ref());
    named.map_or_else(|| patient_name(order), |name| name.to_lowercase())
}

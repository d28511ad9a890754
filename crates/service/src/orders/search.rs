//! Filters and sort orders of orders that need their decryption.

use chrono::NaiveDate;
use wearlab_models::{Encoded, Order, OrderDirection, OrderListKey};
use wearlab_server::{ApiError, ListOrdersInput};
use wearlab_store::OrderPlace;

/// Statuses of orders, by which the store filters. Any other is the name of a step.
const STATUSES: [&str; 6] = [
    "received",
    "collecting_sample",
    "sample_with_lab",
    "completed",
    "cancelled",
    "failed",
];

/// Returns true if all of these are statuses. Some of their names are also those of steps.
pub(super) fn are_statuses(statuses: &[String]) -> bool {
    statuses.iter().all(|status| STATUSES.contains(&status.as_str()))
}

/// Filters and sort orders that depend on encrypted fields.
pub(super) struct Search {
    /// Name of the first parameter that requires it.
    name: &'static str,
    input: ListOrdersInput,
    today: NaiveDate,
}

impl Search {
    /// Creates the search of a list, if it needs one.
    pub(super) fn of(input: ListOrdersInput, today: NaiveDate) -> Option<Self> {
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

    /// Returns the first parameter that requires it.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the sort keys of some orders. None for orders that do not match, or were deleted.
    pub(super) fn keys(&self, orders: &[Option<Encoded<Order>>]) -> Result<Vec<Option<String>>, ApiError> {
        let key = |order: &Option<Encoded<Order>>| {
            let Some(order) = order else { return Ok(None) };
            let order: Order = serde_json::from_slice(order.as_bytes()).map_err(ApiError::internal)?;
            Ok(self.passes(&order).then(|| self.key(&order)))
        };
        orders.iter().map(key).collect()
    }

    /// Returns a page of the orders that match, newest first, and their total number.
    pub(super) fn page(&self, mut found: Vec<(String, OrderPlace)>, page: i64, size: i64) -> (Vec<OrderPlace>, i64) {
        // Stable: orders with the same key stay newest first.
        match self.input.order_direction == OrderDirection::Asc {
            true => found.sort_by(|(a, _), (b, _)| a.cmp(b)),
            false => found.sort_by(|(a, _), (b, _)| b.cmp(a)),
        }
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let skipped = usize::try_from(page.saturating_sub(1).saturating_mul(size)).unwrap_or(usize::MAX);
        let wanted = usize::try_from(size).unwrap_or_default();
        let places = found.into_iter().skip(skipped).take(wanted).map(|(_, place)| place);
        (places.collect(), total)
    }

    /// Returns the sort key of an order. The store sorts by the time of creation.
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

/// Returns true if an order contains a search text in lower case.
fn is_found(order: &Order, text: &str) -> bool {
    let dob = order.patient_details.as_ref().map(|patient| patient.dob.to_string());
    order.id.to_string() == text
        || order.user_id.to_string() == text
        || dob.as_deref() == Some(text)
        || patient_name(order).contains(text)
        || recipient(order).contains(text)
}

/// Returns the first and last name of the patient, in lower case.
fn patient_name(order: &Order) -> String {
    let name = |patient: &wearlab_models::PatientDetails| format!("{} {}", patient.first_name, patient.last_name);
    order
        .patient_details
        .as_ref()
        .map(name)
        .unwrap_or_default()
        .to_lowercase()
}

/// Returns the recipient of shipments, in lower case: the patient, unless the address names somebody else.
fn recipient(order: &Order) -> String {
    let named = order
        .patient_address
        .as_ref()
        .and_then(|address| address.receiver_name.as_ref());
    named.map_or_else(|| patient_name(order), |name| name.to_lowercase())
}

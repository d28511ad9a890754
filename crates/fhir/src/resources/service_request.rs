//! ServiceRequest: the order.

use serde_json::{Value, json};
use wearlab_models::OrderStatus;

use crate::concepts::diagnosis;
use crate::dates::{day, instant};
use crate::links::{identifier, reference};
use crate::prune::is_blank;
use crate::source::Source;

pub(crate) fn resource(source: &Source<'_>) -> Value {
    let (order, links) = (source.order, &source.links);
    let name = [&order.lab_test.name, &order.lab_test.slug]
        .into_iter()
        .find(|text| !is_blank(text));
    let tests = order
        .order_set
        .as_ref()
        .and_then(|set| set.lab_test_ids.as_deref())
        .unwrap_or_default();
    // The code names the first of them.
    let details =
        (name.is_some() && tests.len() > 1).then(|| tests.iter().map(|id| json!({"text": id})).collect::<Vec<_>>());
    let diagnoses = order.icd_codes.iter().flatten().map(|code| diagnosis(code));
    let end = order.activate_by.and_then(day);
    json!({
        "resourceType": "ServiceRequest",
        "identifier": [identifier(order.id)],
        "status": status(&order.status),
        "intent": "order",
        "priority": (order.priority == Some(true)).then_some("stat"),
        "code": {"text": name},
        "orderDetail": details,
        "subject": reference(links.patient),
        "occurrencePeriod": {"end": end},
        "authoredOn": instant(order.created_at),
        "requester": reference(links.physician),
        "performer": [reference(links.lab)],
        "reasonCode": diagnoses.collect::<Vec<_>>(),
        "specimen": [reference(links.specimen)],
        "note": [{"text": order.clinical_notes}],
    })
}

/// Returns the status. A failed order ended before completion, like a cancelled one.
fn status(status: &OrderStatus) -> &'static str {
    match status {
        OrderStatus::Received | OrderStatus::CollectingSample | OrderStatus::SampleWithLab => "active",
        OrderStatus::Completed => "completed",
        OrderStatus::Cancelled | OrderStatus::Failed => "revoked",
        _ => "unknown",
    }
}

//! New orders: all violations are reported together.

use chrono::{DateTime, FixedOffset};
use wearlab_labs::status::{CollectionMethod as Method, Step};
use wearlab_models::{
    CollectionDetails, CollectionMethod, CreateOrderHeaders, LabTest, NewOrder, Order, OrderDetails, OrderEvent,
    OrderResponse, OrderSet, OrderStatus, Uuid, Violation,
};
use wearlab_server::{ApiError, Reply};
use wearlab_store::TeamId;

use super::checks;
use super::tests_ordered::{TestsOrdered, at_location};
use crate::{Service, store_error};

/// Number of codes that a message suggests in place of an unknown one.
const NEAREST: usize = 3;

impl Service {
    /// Creates the order of a body, or returns all violations.
    pub(super) async fn new_order(
        &self,
        team: TeamId,
        mut body: NewOrder,
        now: DateTime<FixedOffset>,
    ) -> Result<Order, ApiError> {
        let mut violations = Vec::new();
        let (set, is_deprecated) = order_set(&body, &mut violations);
        let at = |index: usize| match is_deprecated {
            true => "/body/lab_test_id".to_owned(),
            false => format!("/body/order_set/lab_test_ids/{index}"),
        };
        let store = self.store()?.team(team);
        let account = account(&body, &set, &mut violations);
        let ordered = TestsOrdered::read(store, &set, account).await;
        let ordered = ordered.map_err(store_error)?;
        ordered.check(&set, at, &mut violations);
        let test = ordered.tests().next();
        let method = test.and_then(|test| method(&body, test, &mut violations));
        let icd_codes = body.icd_codes.as_deref().map(|codes| icd_codes(codes, &mut violations));
        checks::people(&body, now.date_naive(), &mut violations);
        match (test, method) {
            (Some(test), Some(method)) if violations.is_empty() => {
                body.lab_account_id = account;
                Ok(order(team, body, set, icd_codes, (test.clone(), method), now))
            }
            _ => Err(ApiError::invalid(violations)),
        }
    }
}

/// Creates the response for a new order.
pub(super) fn created(done: OrderResponse) -> (Reply<OrderResponse>, CreateOrderHeaders) {
    let location = format!("/v3/order/{}", done.order.id);
    let headers = CreateOrderHeaders::builder().location(location).build();
    (done.into(), headers)
}

/// Returns the ordered tests, and true if the deprecated field names them.
fn order_set(body: &NewOrder, violations: &mut Vec<Violation>) -> (OrderSet, bool) {
    #[expect(deprecated, reason = "it is taken for as long as clients send it")]
    let id = body.lab_test_id.clone();
    let none = || OrderSet::builder().build();
    match (&body.order_set, id) {
        (Some(_), Some(_)) => {
            let message = "must not be sent together with order_set";
            violations.push(at_location("/body/lab_test_id", "exclusive", message));
            (none(), false)
        }
        (None, None) => {
            let message = "must be sent: it says which tests are ordered";
            violations.push(at_location("/body/order_set", "required", message));
            (none(), false)
        }
        (None, Some(id)) => (OrderSet::builder().lab_test_ids(vec![id]).build(), true),
        (Some(set), None) => {
            if set.lab_test_ids.as_ref().is_none_or(Vec::is_empty) {
                let message = "must name a lab test: it says how the sample is taken";
                violations.push(at_location("/body/order_set/lab_test_ids", "required", message));
            }
            (set.clone(), false)
        }
    }
}

/// Returns the lab account of the order, which the order or its set names.
fn account(body: &NewOrder, set: &OrderSet, violations: &mut Vec<Violation>) -> Option<Uuid> {
    if body
        .lab_account_id
        .zip(set.lab_account_id)
        .is_some_and(|(own, other)| own != other)
    {
        let message = "must be the lab_account_id of the order, if both are sent";
        let location = "/body/order_set/lab_account_id";
        violations.push(at_location(location, "conflicting", message));
    }
    body.lab_account_id.or(set.lab_account_id)
}

/// Returns the collection method: that of the body, if the lab offers it, or else that of the test.
fn method(body: &NewOrder, test: &LabTest, violations: &mut Vec<Violation>) -> Option<Method> {
    let asked = body.collection_method.as_ref().filter(|asked| **asked != test.method);
    let offered: &[CollectionMethod] = test.lab.as_ref().map_or(&[], |lab| &lab.collection_methods);
    let method = match asked {
        None => Method::from_name(test.method.as_str()),
        Some(asked) if offered.contains(asked) => Method::from_name(asked.as_str()),
        Some(_) => None,
    };
    if method.is_none() {
        let message = "must be a collection method that the lab offers";
        violations.push(at_location("/body/collection_method", "unsupported", message));
    }
    method
}

/// Returns the codes as the list writes them.
fn icd_codes(codes: &[String], violations: &mut Vec<Violation>) -> Vec<String> {
    let mut known = Vec::new();
    for (index, code) in codes.iter().enumerate() {
        if let Some(diagnosis) = wearlab_diagnoses::find(code) {
            known.push(diagnosis.diagnosis_code);
            continue;
        }
        let nearest = wearlab_diagnoses::nearest(code, NEAREST);
        let nearest: Vec<_> = nearest
            .into_iter()
            .map(|diagnosis| format!("{} ({})", diagnosis.diagnosis_code, diagnosis.description))
            .collect();
        let message = match nearest.is_empty() {
            true => "must be a billable ICD-10-CM code".to_owned(),
            false => format!(
                "must be a billable ICD-10-CM code; the nearest are {}",
                nearest.join(", ")
            ),
        };
        violations.push(at_location(format!("/body/icd_codes/{index}"), "unknown", &message));
    }
    known
}

fn order(
    team: TeamId,
    body: NewOrder,
    set: OrderSet,
    icd_codes: Option<Vec<String>>,
    (mut test, method): (LabTest, Method),
    now: DateTime<FixedOffset>,
) -> Order {
    test.markers = None;
    let first = Step::initial(method);
    let event = OrderEvent::builder()
        .id(1)
        .created_at(now)
        .status(first.to_string())
        .build();
    let has_abn = body
        .consents
        .iter()
        .flatten()
        .any(|consent| consent.consent_type == "abn");
    Order::builder()
        .id(wearlab_clock::fresh_id())
        .user_id(body.user_id)
        .team_id(team.uuid())
        .patient_details(body.patient_details)
        .patient_address(body.patient_address)
        .lab_test(test)
        .details(
            OrderDetails::builder()
                .type_(method.as_str().into())
                .data(CollectionDetails::builder().build())
                .build(),
        )
        .created_at(now)
        .updated_at(now)
        .events(vec![event.clone()])
        .status(OrderStatus::Received)
        .last_event(event)
        .maybe_physician(body.physician)
        .maybe_health_insurance(body.health_insurance)
        .maybe_priority(body.priority)
        .maybe_billing_type(body.billing_type)
        .maybe_icd_codes(icd_codes)
        .has_abn(has_abn)
        .order_set(set)
        .maybe_activate_by(body.activate_by)
        .maybe_clinical_notes(body.clinical_notes)
        .maybe_passthrough(body.passthrough)
        .maybe_lab_account_id(body.lab_account_id)
        .maybe_consents(body.consents)
        .maybe_aoe_answers(body.aoe_answers)
        .maybe_creator_member_id(body.creator_member_id)
        .build()
}

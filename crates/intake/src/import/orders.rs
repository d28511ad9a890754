//! Validation of orders beyond their schema.

use chrono::{DateTime, Utc};
use wearlab_ingest::orders::{LabReport, ReportedResults};
use wearlab_ingest::{Arrival, ValidArrival, filled, years};
use wearlab_labs::status::{CollectionMethod, Step};
use wearlab_models::Order;
use wearlab_store::OrderRecord;

use crate::LineError;

/// Maximum id of a step, with room for later ones.
const MAX_ID: i64 = i32::MAX as i64;

/// Checks an order as if it had been created here and labs had reported its steps and results.
///
/// The order of steps is not checked, nor the details of the patient: an order may come from another service.
pub(super) fn check(record: &OrderRecord) -> Result<(), LineError> {
    let order = &record.order;
    filled("order.order.lab_test.id", &order.lab_test.id)?;
    if order.patient_details.is_none() {
        return Err(LineError::new(
            "order.order.patient_details",
            "an order names its patient",
        ));
    }
    times(order)?;
    steps(order)?;
    match &record.results {
        Some(results) => self::results(order, results),
        None => Ok(()),
    }
}

/// Checks the years of an order's dates and times.
fn times(order: &Order) -> Result<(), LineError> {
    years::time("order.order.created_at", &order.created_at)?;
    years::time("order.order.updated_at", &order.updated_at)?;
    let insured = order
        .health_insurance
        .as_ref()
        .and_then(|insurance| insurance.insured.as_ref());
    for (field, day) in [
        (
            "patient_details.dob",
            order.patient_details.as_ref().map(|patient| patient.dob),
        ),
        ("health_insurance.insured.dob", insured.and_then(|insured| insured.dob)),
        ("activate_by", order.activate_by),
    ] {
        day.map_or(Ok(()), |day| years::date(&format!("order.order.{field}"), day))?;
    }
    for (index, consent) in order.consents.iter().flatten().enumerate() {
        let path = format!("order.order.consents[{index}].time_of_consent");
        consent
            .time_of_consent
            .iter()
            .try_for_each(|time| years::time(&path, time))?;
    }
    Ok(())
}

/// Checks the steps of an order, and that its status is that of the last one.
fn steps(order: &Order) -> Result<(), LineError> {
    let method = CollectionMethod::from_name(order.details.type_.as_str()).ok_or_else(|| {
        let known = CollectionMethod::ALL.map(CollectionMethod::as_str).join(", ");
        LineError::new("order.order.details.type", format!("expected one of {known}"))
    })?;
    let mut before: Option<(DateTime<Utc>, Step)> = None;
    for (index, event) in order.events.iter().enumerate() {
        let refused =
            |field: &str, reason: String| Err(LineError::new(format!("order.order.events[{index}].{field}"), reason));
        years::time(&format!("order.order.events[{index}].created_at"), &event.created_at)?;
        let step = match event.status.parse::<Step>() {
            Ok(step) => step,
            Err(error) => return refused("status", error.to_string()),
        };
        if step.method() != method {
            return refused(
                "status",
                format!("is a step of another method: the order is of `{method}`"),
            );
        }
        if !(1..=MAX_ID).contains(&event.id) {
            return refused("id", format!("expected a number from 1 to {MAX_ID}"));
        }
        if order.events[..index].iter().any(|other| other.id == event.id) {
            return refused("id", "another step has the same id".to_owned());
        }
        let key = (event.created_at.to_utc(), step);
        if before.is_some_and(|before| before >= key) {
            let reason = "the steps are not in the order of their times, and at the same time of the table of steps";
            return refused("created_at", reason.to_owned());
        }
        before = Some(key);
    }
    let (Some((_, step)), Some(last)) = (before, order.events.last()) else {
        return Err(LineError::new("order.order.events", "an order has a step at least"));
    };
    if order.status.as_str() != step.status().as_str() {
        let reason = format!("is not that of the last step, `{}`", step.status());
        return Err(LineError::new("order.order.status", reason));
    }
    if order.last_event != *last {
        return Err(LineError::new("order.order.last_event", "is not the last of the steps"));
    }
    Ok(())
}

/// Checks results like those that a lab reports.
fn results(order: &Order, reported: &ReportedResults) -> Result<(), LineError> {
    for (index, kept) in reported.results.iter().enumerate() {
        let path = format!("order.results.results[{index}].date_reported");
        years::time(&path, &kept.date_reported)?;
    }
    let report = LabReport {
        team_id: order.team_id,
        user_id: order.user_id,
        order_id: order.id,
        metadata: reported.metadata.clone(),
        results: reported.results.iter().map(|kept| kept.result.clone()).collect(),
        missing_results: reported.missing_results.clone(),
        arrival_id: None,
    };
    match ValidArrival::try_from(Arrival::LabResult(report)) {
        Ok(_) => Ok(()),
        Err(error) => Err(LineError::new(path_of_record(&error.path), error.reason)),
    }
}

/// Converts the path of a field in a report to that in a record, where each result has the time of its report beside
/// it.
fn path_of_record(path: &str) -> String {
    let path = path.strip_prefix("lab_result").unwrap_or(path);
    match path.strip_prefix(".results[").and_then(|path| path.split_once(']')) {
        Some((index, field)) => format!("order.results.results[{index}].result{field}"),
        None => format!("order.results{path}"),
    }
}

#[cfg(test)]
mod tests;

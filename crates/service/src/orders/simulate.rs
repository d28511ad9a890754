//! Simulated steps and results of orders of a demo.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_ingest::orders::{LabReport, ReportMetadata, ReportedResult};
use wearlab_labs::status::Step;
use wearlab_models::{LabReportStatus, Marker, MissingResult, Order, OrderSimulation, Uuid};
use wearlab_server::{ApiError, SimulateOrderInput};
use wearlab_store::{Ingestion, TeamId, Transaction};

use super::cancel::conflict;
use super::response::no_order;
use super::tests_ordered::TestsOrdered;
use crate::write::{WriteError, invalid};
use crate::{Service, store_error};

impl Service {
    /// Returns the markers of an order's tests, and the additional ones.
    pub(super) async fn markers_ordered(&self, team: TeamId, order_id: Uuid) -> Result<Vec<Marker>, ApiError> {
        let store = self.store()?.team(team);
        let order = store.order_with_results(order_id).await.map_err(store_error)?;
        let (order, _) = order.ok_or_else(no_order)?;
        let ordered = TestsOrdered::of(store, &order).await.map_err(store_error)?;
        Ok(ordered.markers().into_iter().cloned().collect())
    }
}

/// Returns the requested step or status, which both body and query may name.
pub(super) fn destination(input: &SimulateOrderInput) -> Result<Option<&str>, ApiError> {
    let of_body = input.body.as_ref().and_then(|body| body.to.as_deref());
    match (of_body, input.final_status.as_deref()) {
        (Some(to), Some(other)) if to != other => {
            let message = "must be the same as `to` of the body";
            Err(invalid("/query/final_status", "conflict", message))
        }
        (to, other) => Ok(to.or(other)),
    }
}

/// Returns the steps from the current one of an order to the requested one.
pub(super) fn steps(order: &Order, to: Option<&str>) -> Result<Vec<Step>, WriteError> {
    let last: Step = order.last_event.status.parse().map_err(ApiError::internal)?;
    let walk: Vec<Step> = std::iter::successors(last.simulated_next(), |step| step.simulated_next()).collect();
    let Some(to) = to else {
        return match walk.first() {
            Some(next) => Ok(vec![*next]),
            None => Err(conflict(format!("An order at {last} goes no further."), order).into()),
        };
    };
    let is_there = |step: &Step| step.to_string() == to || step.status().as_str() == to;
    if let Some(end) = walk.iter().position(is_there) {
        return Ok(walk[..=end].to_vec());
    }
    // A step outside of the usual sequence is a single step.
    let of_status = |step: &Step| step.status().as_str() == to;
    let direct = last.next().find(of_status);
    match to.parse::<Step>().ok().or(direct) {
        Some(step) => Ok(vec![step]),
        None => {
            let message = "must be a status that comes after that of the order, or a step of its method";
            Err(invalid("/body/to", "unknown", message).into())
        }
    }
}

/// Returns the times of steps: consecutive, up to now, some seconds apart, and not before the last step of the order.
pub(super) fn times(order: &Order, now: DateTime<Utc>, count: usize, delay: Option<i64>) -> Vec<DateTime<Utc>> {
    let last = order.last_event.created_at.to_utc().min(now);
    let count = i32::try_from(count).unwrap_or(i32::MAX).max(1);
    let most = (now - last) / count;
    let apart = delay.map_or(most, |seconds| TimeDelta::seconds(seconds).min(most));
    (1..=count).map(|nth| now - apart * (count - nth)).collect()
}

/// Creates results: the same ones for the same order. The first half of them is a partial report.
pub(super) fn report_results(
    transaction: &Transaction<'_>,
    team: TeamId,
    order: &Order,
    markers: &[Marker],
    flags: &OrderSimulation,
    (status, at): (LabReportStatus, DateTime<Utc>),
    ingestion: &Ingestion,
) -> Result<(), WriteError> {
    let reported = match status {
        LabReportStatus::Partial => &markers[..markers.len().div_ceil(2)],
        _ => markers,
    };
    // The last report lists a marker as missing if no earlier one has a result of it.
    let says_missing = status == LabReportStatus::Final && flags.has_missing_results == Some(true);
    let last = reported
        .split_last()
        .filter(|(_, others)| says_missing && !others.is_empty());
    let (missing, reported) = last.map_or((None, reported), |(last, others)| (Some(last), others));
    let results = reported
        .iter()
        .map(|marker| wearlab_sample::lab_result(order.id, marker));
    let is_wanted = |result: &ReportedResult| {
        let types = flags.result_types.as_deref().unwrap_or_default();
        types.is_empty() || types.contains(&result.type_)
    };
    let results: Vec<_> = results.filter(is_wanted).collect();
    if results.is_empty() && missing.is_none() {
        return Ok(());
    }
    let missing = missing.map(|marker| {
        MissingResult::builder()
            .name(marker.name.clone())
            .slug(marker.slug.clone())
            .inferred_failure_type("quantity_not_sufficient_failure")
            .build()
    });
    let lab = order.lab_test.lab.as_ref();
    let report = LabReport {
        team_id: order.team_id,
        user_id: order.user_id,
        order_id: order.id,
        metadata: ReportMetadata {
            laboratory: lab.map(|lab| lab.name.clone()),
            provider: order
                .physician
                .as_ref()
                .map(|physician| format!("{} {}", physician.first_name, physician.last_name)),
            date_reported: at.fixed_offset(),
            date_collected: Some(order.created_at),
            date_received: None,
            specimen_number: format!("S-{}", &order.id.simple().to_string()[..8]),
            status: Some(status),
            interpretation: flags.interpretation.clone(),
        },
        results,
        missing_results: missing.into_iter().collect(),
        arrival_id: None,
    };
    transaction.report_order_results(team, &report, ingestion)?;
    Ok(())
}

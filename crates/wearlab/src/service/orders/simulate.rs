//! Moves orders of a demo as a lab would.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_ingest::orders::{LabReport, ReportMetadata, ReportedResult, StepReport};
use wearlab_labs::status::Step;
use wearlab_models::{LabReportStatus, Marker, MissingResult, Order, OrderResponse, OrderSimulation, Uuid};
use wearlab_server::operations::SIMULATE_ORDER;
use wearlab_server::{ApiError, ApiResult, SimulateOrderInput};
use wearlab_store::{Ingestion, TeamId, Transaction};

use super::cancel::{conflict, refused};
use super::tests_ordered::TestsOrdered;
use super::{Service, no_order, response, store_error};
use crate::sample;
use crate::service::auth::Caller;
use crate::service::write::{Subject, Write, WriteError, invalid};

impl Service {
    /// Moves an order to its next step, or to a step or status with all steps on the way.
    pub(in crate::service) async fn simulate_order_of(
        &self,
        caller: Caller<TeamId>,
        input: SimulateOrderInput,
    ) -> ApiResult<OrderResponse> {
        if !self.is_demo {
            return Err(ApiError::not_found("Orders are only moved like this on a demo."));
        }
        let to = destination(&input)?;
        let SimulateOrderInput { body, delay, .. } = &input;
        let flags = body.clone().unwrap_or_else(|| OrderSimulation::builder().build());
        let asked = (input.order_id, body, &input.final_status, delay);
        let write = Write::new(&SIMULATE_ORDER, &caller).repeatable(input.idempotency_key.as_deref(), &asked)?;
        let team = caller.owner();
        let ingestion = self.ingestion();
        let markers = self.markers_ordered(team, input.order_id).await?;
        let done = self.write(write, |transaction| {
            let mut order = transaction.order(team, input.order_id)?.ok_or_else(no_order)?;
            let steps = steps(&order, to)?;
            let times = times(&order, ingestion.now, steps.len(), *delay);
            for (step, at) in steps.iter().zip(times) {
                let report = StepReport::at(*step, at.fixed_offset());
                transaction
                    .advance_order(team, &mut order, &report, &ingestion)
                    .map_err(|error| refused(error, &order))?;
                // A step that says where results are has them.
                for status in [LabReportStatus::Partial, LabReportStatus::Final] {
                    let is_partial = status == LabReportStatus::Partial;
                    if *step == Step::of_results(step.method(), is_partial) {
                        report_results(transaction, team, &order, &markers, &flags, (status, at), &ingestion)?;
                    }
                }
            }
            let order = transaction.order(team, order.id)?.ok_or_else(no_order)?;
            let (subject, user_id) = (Subject::order(team, order.id), order.user_id);
            let written = subject.wrote(response(order, "The order was moved."));
            Ok(written.about(team, user_id))
        });
        done.await.map(Into::into)
    }

    /// The markers of an order's tests, and those in addition.
    async fn markers_ordered(&self, team: TeamId, order_id: Uuid) -> Result<Vec<Marker>, ApiError> {
        let store = self.store()?.team(team);
        let order = store.order_with_results(order_id).await.map_err(store_error)?;
        let (order, _) = order.ok_or_else(no_order)?;
        let ordered = TestsOrdered::of(store, &order).await.map_err(store_error)?;
        Ok(ordered.markers().into_iter().cloned().collect())
    }
}

/// Where an order is to go, which the body and the query may both say.
fn destination(input: &SimulateOrderInput) -> Result<Option<&str>, ApiError> {
    let of_body = input.body.as_ref().and_then(|body| body.to.as_deref());
    match (of_body, input.final_status.as_deref()) {
        (Some(to), Some(other)) if to != other => {
            let message = "must be the same as `to` of the body";
            Err(invalid("/query/final_status", "conflict", message))
        }
        (to, other) => Ok(to.or(other)),
    }
}

/// The steps from where an order is to where it is to go.
fn steps(order: &Order, to: Option<&str>) -> Result<Vec<Step>, WriteError> {
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
    // Off the usual walk, it is one step.
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

/// When steps happened: one after the other, up to now; some seconds apart, but not before the last one of the order.
fn times(order: &Order, now: DateTime<Utc>, count: usize, delay: Option<i64>) -> Vec<DateTime<Utc>> {
    let last = order.last_event.created_at.to_utc().min(now);
    let count = i32::try_from(count).unwrap_or(i32::MAX).max(1);
    let most = (now - last) / count;
    let apart = delay.map_or(most, |seconds| TimeDelta::seconds(seconds).min(most));
    (1..=count).map(|nth| now - apart * (count - nth)).collect()
}

/// Made-up results: the same ones for the same order. The first half of them is a partial report.
fn report_results(
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
    // The lab says so with its last report, of a marker that no earlier one has a result of.
    let says_missing = status == LabReportStatus::Final && flags.has_missing_results == Some(true);
    let last = reported
        .split_last()
        .filter(|(_, others)| says_missing && !others.is_empty());
    let (missing, reported) = last.map_or((None, reported), |(last, others)| (Some(last), others));
    let results = reported.iter().map(|marker| sample::lab_result(order.id, marker));
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

//! Arrivals of labs: steps and results of orders, with the events that follow.

use chrono::{DateTime, FixedOffset};
use wearlab_ingest::orders::{LabReport, ReportedResults, StepReport, advance, advance_by_results, is_ahead};
use wearlab_ingest::payload;
use wearlab_models::{Order, User};

use crate::sql::Transaction;
use crate::{Ingested, Ingestion, LabOrderUpdated, StoreError, TeamId};

const MISSING: StoreError = StoreError::Missing {
    what: "order of the user",
};

impl Transaction<'_> {
    /// Creates an order, and logs it.
    pub fn create_order(&self, team: TeamId, order: &Order, ingestion: &Ingestion) -> Result<(), StoreError> {
        let user = self.require_user(team, order.user_id)?;
        self.put_order(team, order)?;
        self.emit(team, &user, ingestion, |envelope| {
            Ok(payload::order_created(envelope, order).into())
        })
    }

    /// Advances an order by a step, and logs it. `order` is updated. A repeated step is a duplicate.
    ///
    /// # Errors
    ///
    /// [`StoreError::Refused`] if the order cannot advance by that step.
    pub fn advance_order(
        &self,
        team: TeamId,
        order: &mut Order,
        step: &StepReport<'_>,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let user = self.require_user(team, order.user_id)?;
        self.go_step(team, &user, order, step, ingestion)
    }

    pub(crate) fn order_updated(
        &self,
        team: TeamId,
        user: &User,
        arrival: &LabOrderUpdated,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        check_time("created_at", arrival.created_at, ingestion)?;
        let order = self.order(team, arrival.order_id)?;
        let mut order = order.filter(|order| order.user_id == user.user_id).ok_or(MISSING)?;
        self.go_step(team, user, &mut order, &StepReport::from(arrival), ingestion)
    }

    fn go_step(
        &self,
        team: TeamId,
        user: &User,
        order: &mut Order,
        step: &StepReport<'_>,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let refused = |reason| StoreError::Refused {
            field: "status".into(),
            reason,
        };
        if !advance(order, step, ingestion.now).map_err(refused)?.is_changed() {
            return Ok(Ingested::Duplicate);
        }
        self.order_changed(team, user, order, ingestion)?;
        Ok(Ingested::Taken)
    }

    fn order_changed(&self, team: TeamId, user: &User, order: &Order, ingestion: &Ingestion) -> Result<(), StoreError> {
        self.put_order(team, order)?;
        self.emit(team, user, ingestion, |envelope| {
            Ok(payload::order_updated(envelope, order).into())
        })
    }

    /// Stores and logs the results that a lab reports, and advances the order to their status.
    pub fn report_order_results(
        &self,
        team: TeamId,
        report: &LabReport,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let user = self.require_user(team, report.user_id)?;
        self.report_results(team, &user, report, ingestion)
    }

    pub(crate) fn report_results(
        &self,
        team: TeamId,
        user: &User,
        report: &LabReport,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        check_time("metadata.date_reported", report.metadata.date_reported, ingestion)?;
        let order = self.order(team, report.order_id)?;
        let mut order = order.filter(|order| order.user_id == user.user_id).ok_or(MISSING)?;
        let known = self.order_results(team, order.id)?;
        let results = match known.clone() {
            Some(mut results) => {
                results.add(report);
                results
            }
            None => ReportedResults::of(report),
        };
        if known.as_ref() == Some(&results) {
            return Ok(Ingested::Duplicate);
        }
        let refused = |reason| StoreError::Refused {
            field: "metadata.status".into(),
            reason,
        };
        let advanced = advance_by_results(&mut order, &report.metadata, ingestion.now).map_err(refused)?;
        let is_news = advanced.is_changed();
        let interpretation = results.interpretation();
        let is_reinterpreted = order.interpretation != interpretation;
        order.interpretation = interpretation;
        order.updated_at = ingestion.now.fixed_offset();
        self.put_order_results(team, order.id, &results)?;
        match is_news || is_reinterpreted {
            true => self.order_changed(team, user, &order, ingestion)?,
            false => self.put_order(team, &order)?,
        }
        self.emit(team, user, ingestion, |envelope| {
            Ok(payload::result_created(envelope, order.id, &results.metadata).into())
        })?;
        Ok(Ingested::Taken)
    }
}

/// Rejects a time in the future: later real steps could not precede it.
fn check_time(field: &'static str, time: DateTime<FixedOffset>, ingestion: &Ingestion) -> Result<(), StoreError> {
    match is_ahead(time, ingestion.now) {
        true => Err(StoreError::Refused {
            field: field.into(),
            reason: "the time is more than a day ahead".to_owned(),
        }),
        false => Ok(()),
    }
}

//! Ends an order at the wish of the team.

use wearlab_ingest::orders::StepReport;
use wearlab_labs::status::Step;
use wearlab_models::{Order, OrderResponse};
use wearlab_server::operations::CANCEL_ORDER;
use wearlab_server::{ApiError, ApiResult, CancelOrderInput};
use wearlab_store::{StoreError, TeamId};

use super::{Service, no_order, response};
use crate::service::auth::Caller;
use crate::service::write::{Subject, Write, WriteError};

impl Service {
    /// Cancels an order whose sample is not with the lab yet.
    pub(in crate::service) async fn cancel_order_of(
        &self,
        caller: Caller<TeamId>,
        input: CancelOrderInput,
    ) -> ApiResult<OrderResponse> {
        let write = Write::new(&CANCEL_ORDER, &caller).repeatable(input.idempotency_key.as_deref(), &input.order_id)?;
        let team = caller.owner();
        let ingestion = self.ingestion();
        let done = self.write(write, |transaction| {
            let mut order = transaction.order(team, input.order_id)?.ok_or_else(no_order)?;
            let step = cancelled(&order)?;
            // The clock of the lab may be ahead.
            let at = order.last_event.created_at.max(ingestion.now.fixed_offset());
            let report = StepReport::at(step, at);
            transaction
                .advance_order(team, &mut order, &report, &ingestion)
                .map_err(|error| refused(error, &order))?;
            let (subject, user_id) = (Subject::order(team, order.id), order.user_id);
            let written = subject.wrote(response(order, "The order was cancelled."));
            Ok(written.about(team, user_id))
        });
        done.await.map(Into::into)
    }
}

/// The step that cancels an order, unless it is too late for that.
fn cancelled(order: &Order) -> Result<Step, WriteError> {
    let last = order.last_event.status.parse::<Step>().map_err(ApiError::internal)?;
    match last.can_cancel() {
        true => Ok(Step::cancelled(last.method())),
        false => Err(conflict(format!("An order at {last} can no longer be cancelled."), order).into()),
    }
}

/// A step that the order does not go from where it is is a conflict.
pub(super) fn refused(error: StoreError, order: &Order) -> WriteError {
    match error {
        StoreError::Refused { reason, .. } => conflict(reason, order).into(),
        other => other.into(),
    }
}

pub(super) fn conflict(detail: String, order: &Order) -> ApiError {
    ApiError::conflict(detail, "order", Some(order.id.to_string()))
}

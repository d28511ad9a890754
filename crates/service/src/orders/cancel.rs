//! Steps that cancel an order, and refusals of steps.

use wearlab_labs::status::Step;
use wearlab_models::Order;
use wearlab_server::ApiError;
use wearlab_store::StoreError;

use crate::write::WriteError;

/// Returns the step that cancels an order, unless it is too late.
pub(super) fn cancelled(order: &Order) -> Result<Step, WriteError> {
    let last = order.last_event.status.parse::<Step>().map_err(ApiError::internal)?;
    match last.can_cancel() {
        true => Ok(Step::cancelled(last.method())),
        false => Err(conflict(format!("An order at {last} can no longer be cancelled."), order).into()),
    }
}

/// Converts the refusal of a step, which is a conflict if the order's current step does not allow it.
pub(super) fn refused(error: StoreError, order: &Order) -> WriteError {
    match error {
        StoreError::Refused { reason, .. } => conflict(reason, order).into(),
        other => other.into(),
    }
}

pub(super) fn conflict(detail: String, order: &Order) -> ApiError {
    ApiError::conflict(detail, "order", Some(order.id.to_string()))
}

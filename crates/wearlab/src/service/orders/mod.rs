//! Orders of lab tests.

mod cancel;
mod checks;
mod create;
mod list;
mod requisition;
mod results;
mod search;
mod simulate;
mod tests_ordered;

use wearlab_ingest::orders::collection_of;
use wearlab_models::{Encoded, Order, OrderResponse, Uuid};
use wearlab_server::{ApiError, ApiResult, Reply};
use wearlab_store::TeamId;

use super::{Service, store_error};

pub(crate) use requisition::SignedForm;

impl Service {
    /// One order.
    pub(super) async fn order(&self, team: TeamId, order_id: Uuid) -> ApiResult<Order> {
        let order = self.store()?.team(team).order(order_id).await.map_err(store_error)?;
        presented(order.ok_or_else(no_order)?).map(Reply::Encoded)
    }
}

fn no_order() -> ApiError {
    ApiError::not_found("No such order.")
}

/// An order that is kept as reads have it.
fn presented(order: Encoded<Order>) -> Result<Encoded<Order>, ApiError> {
    let mut order: Order = serde_json::from_slice(order.as_bytes()).map_err(ApiError::internal)?;
    order.details = collection_of(&order);
    Encoded::encode(&order).map_err(ApiError::internal)
}

/// What is said of an order with which something was done.
fn response(mut order: Order, message: &str) -> OrderResponse {
    order.details = collection_of(&order);
    OrderResponse::builder()
        .order(order)
        .status("success")
        .message(message)
        .build()
}

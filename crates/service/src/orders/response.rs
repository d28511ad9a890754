//! Orders in responses.

use wearlab_ingest::orders::collection_of;
use wearlab_models::{Encoded, Order, OrderResponse};
use wearlab_server::ApiError;

pub(super) fn no_order() -> ApiError {
    ApiError::not_found("No such order.")
}

/// Converts a stored order for a response.
pub(super) fn presented(order: Encoded<Order>) -> Result<Encoded<Order>, ApiError> {
    let mut order: Order = serde_json::from_slice(order.as_bytes()).map_err(ApiError::internal)?;
    order.details = collection_of(&order);
    Encoded::encode(&order).map_err(ApiError::internal)
}

/// Creates the response to a write of an order.
pub(super) fn response(mut order: Order, message: &str) -> OrderResponse {
    order.details = collection_of(&order);
    OrderResponse::builder()
        .order(order)
        .status("success")
        .message(message)
        .build()
}

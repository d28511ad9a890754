//! Collection of an order's sample, in reads and events.

use wearlab_models::{Order, OrderDetails};

/// Returns the collection method of an order's sample, with values that follow from the order.
pub fn collection_of(order: &Order) -> OrderDetails {
    let mut details = order.details.clone();
    let data = &mut details.data;
    data.id = Some(order.id);
    data.created_at = Some(order.created_at);
    data.updated_at = Some(order.updated_at);
    details
}

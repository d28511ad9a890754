//! What reads and events say of the collection of an order's sample.

use wearlab_models::{Order, OrderDetails};

/// How the sample of an order is taken, with what follows from the order.
pub fn collection_of(order: &Order) -> OrderDetails {
    let mut details = order.details.clone();
    let data = &mut details.data;
    data.id = Some(order.id);
    data.created_at = Some(order.created_at);
    data.updated_at = Some(order.updated_at);
    details
}

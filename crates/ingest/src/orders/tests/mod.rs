//! Tests of lines of labs, and of their effect on orders.

mod lines;
mod reports;
mod walks;

use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::json;
use wearlab_labs::status::{CollectionMethod, Step};
use wearlab_models::Order;

/// Returns a time, by its seconds after an order was created.
fn at(seconds: u32) -> DateTime<FixedOffset> {
    let made: DateTime<FixedOffset> = "2026-05-01T10:00:00+02:00".parse().expect("a time");
    made + TimeDelta::seconds(i64::from(seconds))
}

/// Returns a new order.
fn order(method: CollectionMethod) -> Order {
    let id = "00000000-0000-0000-0000-000000000001";
    let event = json!({"id": 1, "created_at": at(0), "status": Step::initial(method)});
    let order = json!({
        "id": id, "user_id": id, "team_id": id,
        "lab_test": {
            "id": "t", "slug": "t", "name": "T", "sample_type": "serum", "method": method.as_str(), "price": 20.0,
            "is_active": true, "status": "active",
        },
        "details": {"type": method.as_str(), "data": {}}, "created_at": at(0), "updated_at": at(0), "has_abn": false,
        "events": [event], "status": "received", "last_event": event,
    });
    serde_json::from_value(order).expect("an order")
}

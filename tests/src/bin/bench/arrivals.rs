//! Arrivals of daily data, each with an event of 1 KiB.

use serde_json::json;

use crate::population::{TEAM, user_id};

/// Day of the data. Users want it.
pub(crate) const DAY: &str = "2026-02-02";
/// Step between users. It is prime, so that users are spread over the store.
const STEP: u64 = 7919;
/// Length of the text that makes an event 1 KiB long.
const TEXT_LENGTH: usize = 480;

/// Returns `count` arrivals as lines to ingest, each of another one of `users` users.
pub(crate) fn lines(users: u32, count: u32) -> impl Iterator<Item = String> {
    let user = move |arrival: u32| u32::try_from(u64::from(arrival) * STEP % u64::from(users)).unwrap_or_default();
    (0..count).map(move |arrival| line(user(arrival), arrival))
}

fn line(user: u32, arrival: u32) -> String {
    let data = json!({"team_id": TEAM, "user_id": user_id(user), "provider": "stridewell", "resource": "activity",
        "date": DAY, "source": {"type": "watch"}, "arrival_id": format!("arrival-{arrival}"),
        "data": [{"steps": 4000 + arrival % 9000, "calories_active": 311.5, "note": "x".repeat(TEXT_LENGTH)}]});
    json!({ "data": data }).to_string()
}

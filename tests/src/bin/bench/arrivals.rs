//! What arrives: data of a day, whose event is 1 KiB long.

use serde_json::json;

use crate::population::{TEAM, user_id};

/// The day. Users want it.
pub(crate) const DAY: &str = "2026-02-02";
/// Users follow each other in steps of this, which is prime, so that they are all over the store.
const STEP: u64 = 7919;
/// How long the text is that makes an event as long as it is to be.
const FILLING: usize = 480;

/// So many arrivals, each of another one of so many users, as lines to ingest.
pub(crate) fn lines(users: u32, count: u32) -> impl Iterator<Item = String> {
    let user = move |arrival: u32| u32::try_from(u64::from(arrival) * STEP % u64::from(users)).unwrap_or_default();
    (0..count).map(move |arrival| line(user(arrival), arrival))
}

fn line(user: u32, arrival: u32) -> String {
    let data = json!({"team_id": TEAM, "user_id": user_id(user), "provider": "stridewell", "resource": "activity",
        "date": DAY, "source": {"type": "watch"}, "arrival_id": format!("arrival-{arrival}"),
        "data": [{"steps": 4000 + arrival % 9000, "calories_active": 311.5, "note": "x".repeat(FILLING)}]});
    json!({ "data": data }).to_string()
}

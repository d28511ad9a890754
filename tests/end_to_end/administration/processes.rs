//! Changes in one process apply to all of them within a second.

use std::time::{Duration, Instant};

use serde_json::json;
use wearlab_tests::Running;

use super::{Admin, read_as};

/// Time limit until a change applies everywhere.
const SECOND: Duration = Duration::from_secs(1);

/// Waits until a condition holds, for at most a second.
pub(super) async fn within_a_second(what: &str, mut seen: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !seen().await {
        assert!(begun.elapsed() < SECOND, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub(super) async fn keys_hold_in_both(one: &Running, other: &Running) {
    for (here, there) in [(one, other), (other, one)] {
        let admin = Admin::of(here);
        let made = admin
            .post("/keys", &json!({"team_id": here.sample.team_id}))
            .await
            .ok(201);
        let key = made["key"].as_str().expect("the key");
        // Lookups are cached for a moment.
        within_a_second("a new key", async || read_as(there, key).await == 200).await;
        assert_eq!(read_as(here, key).await, 200);
        let path = format!("/keys/{}", made["key_id"].as_str().expect("an id"));
        admin.delete(&path).await.ok(204);
        assert_eq!(read_as(here, key).await, 401);
        within_a_second("a revoked key", async || read_as(there, key).await == 401).await;

        let made = admin.post("/keys", &json!({})).await.ok(201);
        let there = Admin::of(there).with(made["key"].as_str().expect("the key"));
        within_a_second("a new management key", async || there.get("/teams").await.status == 200).await;
        let path = format!("/keys/{}", made["key_id"].as_str().expect("an id"));
        admin.delete(&path).await.ok(204);
        within_a_second("a revoked one", async || there.get("/teams").await.status == 401).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_hold_in_all_processes_within_a_second() {
    let one = Running::start(5).await;
    let other = one.beside().await;
    keys_hold_in_both(&one, &other).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_at_another_process_has_the_same_response() {
    let one = Running::start(5).await;
    let other = one.beside().await;
    let first = Admin::of(&one).repeatable("/keys", "once", &json!({})).await.ok(201);
    let again = Admin::of(&other).repeatable("/keys", "once", &json!({})).await.ok(201);
    assert_eq!(first, again);
}

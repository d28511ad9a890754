//! Administration with PostgreSQL, which several services share.

use serde_json::json;
use wearlab_tests::Running;

use super::Admin;
use super::deliveries::hold_in_both;
use super::processes::keys_hold_in_both;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn on_postgres_keys_hold_in_all_processes_within_a_second() {
    let one = Running::start_on_database(5).await;
    let other = one.beside().await;
    keys_hold_in_both(&one, &other).await;
    let log = Admin::of(&other).get("/audit_log").await.ok(200);
    assert_eq!(log["entries"].as_array().map(Vec::len), Some(8), "{log}");
    let first = Admin::of(&one)
        .repeatable("/teams", "once", &json!({"environment": "sandbox", "region": "eu"}))
        .await;
    let again = Admin::of(&other)
        .repeatable("/teams", "once", &json!({"environment": "sandbox", "region": "eu"}))
        .await;
    assert_eq!(first.ok(201), again.ok(201));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn on_postgres_where_events_go_holds_in_all_processes() {
    let one = Running::start_on_database(5).await;
    let other = one.beside().await;
    hold_in_both(&one, &other).await;
}

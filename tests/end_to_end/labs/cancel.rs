//! Cancellation of orders by their team: possible until a lab has the sample.

use serde_json::{Value, json};
use wearlab_labs::status::{CollectionMethod, OrderStatus, Step};
use wearlab_tests::Running;

use super::{Team, events, text};

#[tokio::test]
async fn an_order_is_cancelled_once() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let path = order.path("/cancel");
    let cancel = async || {
        team.send(reqwest::Method::POST, &path, &[("idempotency-key", "stop")], None)
            .await
    };
    let first = cancel().await.ok(200);
    assert_eq!(first["status"], "success");
    assert_eq!(first["order"], order.get().await);
    assert_eq!(first["order"]["status"], "cancelled");
    assert_eq!(
        first["order"]["last_event"]["status"],
        "cancelled.walk_in_test.cancelled"
    );
    assert_eq!(cancel().await.ok(200), first, "a repeat");
    let again = team.act(&path).await;
    assert_eq!(again.status, 409);
    assert_eq!(again.body["conflict"], json!({"resource": "order", "id": order.id}));
    assert!(
        text(&again.body, "detail").contains("cancelled.walk_in_test.cancelled"),
        "{}",
        again.body
    );
    let events = events(&running, &order.id, "labtest.order.updated").await;
    let statuses: Vec<_> = events.iter().map(|event| text(event, "status")).collect();
    assert_eq!(statuses, ["cancelled"]);
}

#[tokio::test]
async fn each_step_says_whether_it_is_too_late() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let mut seen = std::collections::BTreeSet::new();
    // The lab test of each method. On-site collection uses any.
    for (method, test) in [
        (CollectionMethod::WalkInTest, team.test.as_str()),
        (CollectionMethod::AtHomePhlebotomy, "metabolic"),
        (CollectionMethod::Testkit, "hormones"),
    ] {
        for step in Step::all(method) {
            let order = team.order_of(test).await;
            if step != Step::initial(method) {
                order.takes(order.step(&step.to_string(), 0)).await;
            }
            let cancelled = team.act(&order.path("/cancel")).await;
            let allowed = [OrderStatus::Received, OrderStatus::CollectingSample].contains(&step.status());
            assert_eq!(
                cancelled.status,
                if allowed { 200 } else { 409 },
                "{step}: {}",
                cancelled.body
            );
            let updated = events(&running, &order.id, "labtest.order.updated").await.len();
            assert_eq!(
                updated,
                usize::from(step != Step::initial(method)) + usize::from(allowed),
                "{step}"
            );
            seen.insert((step.status(), allowed));
        }
    }
    assert_eq!(seen.len(), OrderStatus::ALL.len(), "one way each");
}

#[tokio::test]
async fn after_a_cancellation_a_lab_reports_nothing_more() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    team.act(&order.path("/cancel")).await.ok(200);
    let (field, reason) = order
        .refuses(order.step("collecting_sample.walk_in_test.draw_completed", 1))
        .await;
    assert_eq!(field, "lab_order_updated.status");
    assert!(
        reason.contains("`cancelled.walk_in_test.cancelled`, which is final"),
        "{reason}"
    );
    let result = json!([{"name": "Glucose", "result": "90", "type": "numeric"}]);
    let (field, _) = order.refuses(order.results("final", 1, &result)).await;
    assert_eq!(field, "lab_result.metadata.status");
    assert_eq!(team.get(&order.path("/result")).await.status, 404);
    assert_eq!(events(&running, &order.id, "labtest.result").await, Vec::<Value>::new());
}

//! Steps of orders, as labs report them over HTTP.

use serde_json::{Value, json};
use wearlab_labs::status::{CollectionMethod, Step};
use wearlab_models::Uuid;
use wearlab_tests::Running;

use super::{Team, events, in_hours, text};

#[tokio::test]
async fn the_usual_walk_of_each_method_is_taken_step_by_step() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    for (method, test) in [
        (CollectionMethod::WalkInTest, team.test.as_str()),
        (CollectionMethod::AtHomePhlebotomy, "metabolic"),
        (CollectionMethod::Testkit, "hormones"),
    ] {
        let order = team.order_of(test).await;
        let walk = Step::happy_path(method);
        for (hours, step) in (1..).zip(&walk[1..]) {
            assert_eq!(
                order.takes(order.step(&step.to_string(), hours)).await,
                "lab_order_updated"
            );
            let shown = order.get().await;
            assert_eq!(text(&shown["last_event"], "status"), step.to_string());
            assert_eq!(text(&shown, "status"), step.status().as_str());
        }
        let shown = order.get().await;
        let steps: Vec<_> = shown["events"]
            .as_array()
            .expect("steps")
            .iter()
            .map(|step| text(step, "status"))
            .collect();
        assert_eq!(steps, walk.iter().map(Step::to_string).collect::<Vec<_>>());
        let updated = events(&running, &order.id, "labtest.order.updated").await;
        assert_eq!(updated.len(), walk.len() - 1, "{method}");
        for (event, step) in updated.iter().zip(&walk[1..]) {
            assert_eq!(text(&event["last_event"], "status"), step.to_string());
        }
    }
}

#[tokio::test]
async fn steps_come_late_twice_and_corrected() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order_of("hormones").await;
    let (sent, there) = (
        "collecting_sample.testkit.transit_customer",
        "collecting_sample.testkit.with_customer",
    );
    order.takes(order.step(there, 5)).await;
    // An earlier step is inserted in order, and the status of the order does not change.
    let late = order.step(sent, 2);
    assert_eq!(order.takes(late.clone()).await, "lab_order_updated");
    assert_eq!(order.at().await, there);
    assert_eq!(order.takes(late.clone()).await, "known");
    let mut corrected = late.clone();
    corrected["lab_order_updated"]["status_detail"] = json!("The parcel was weighed.");
    corrected["lab_order_updated"]["sample_id"] = json!("SMP-4");
    corrected["lab_order_updated"]["notes"] = json!("A note of the lab.");
    assert_eq!(order.takes(corrected.clone()).await, "lab_order_updated");
    assert_eq!(order.takes(corrected).await, "known");
    let shown = order.get().await;
    assert_eq!(shown["events"].as_array().expect("steps").len(), 3);
    assert_eq!(shown["events"][1]["status_detail"], "The parcel was weighed.");
    assert_eq!(
        (&shown["sample_id"], &shown["notes"]),
        (&json!("SMP-4"), &json!("A note of the lab."))
    );
    let ids: std::collections::BTreeSet<_> = shown["events"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| step["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 3, "each has an id of its own: {ids:?}");
    // An arrival with an id is taken once, whatever its content.
    let mut once = order.step("collecting_sample.testkit.transit_lab", 8);
    once["lab_order_updated"]["arrival_id"] = json!("a-1");
    assert_eq!(order.takes(once.clone()).await, "lab_order_updated");
    assert_eq!(order.takes(once).await, "known");
    assert_eq!(events(&running, &order.id, "labtest.order.updated").await.len(), 4);
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_what_could() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order_of("hormones").await;
    order
        .takes(order.step("sample_with_lab.testkit.delivered_to_lab", 5))
        .await;
    for (status, hours, expected) in [
        (
            "received.testkit.requisition_created",
            6,
            &[
                "`sample_with_lab.testkit.delivered_to_lab`; allowed here: ",
                "`completed.testkit.completed`",
            ][..],
        ),
        (
            "completed.testkit.completed",
            3,
            &[
                "cannot stand between",
                "allowed here: ",
                "`collecting_sample.testkit.transit_lab`",
            ],
        ),
        (
            "received.testkit.ordered",
            -400,
            &["cannot precede", "allowed here: none"],
        ),
        (
            "received.walk_in_test.requisition_created",
            6,
            &["step of another method", "`testkit`"],
        ),
        (
            "sample_with_lab.testkit.delivered_to_lap",
            6,
            &["third part of three", "delivered_to_lab"],
        ),
        (
            "received.testkit.delivered_to_lab",
            6,
            &["did you mean `sample_with_lab.testkit.delivered_to_lab`?"],
        ),
        ("completed", 6, &["three parts"]),
        ("", 6, &["empty"]),
        ("quokka.testkit.completed", 6, &["first part of three"]),
    ] {
        let (field, reason) = order.refuses(order.step(status, hours)).await;
        assert_eq!(field, "lab_order_updated.status", "{status}: {reason}");
        for part in expected {
            assert!(reason.contains(part), "{status}: {reason}");
        }
        assert!(!reason.contains("quokka") && !reason.contains("to_lap"), "{reason}");
    }
    order.takes(order.step("completed.testkit.completed", 9)).await;
    let (_, reason) = order
        .refuses(order.step("sample_with_lab.testkit.partial_results", 10))
        .await;
    assert!(reason.ends_with("which is final"), "{reason}");
}

#[tokio::test]
async fn a_lab_speaks_of_orders_of_the_user_alone() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let order = team.order().await;
    let good = order.step("received.walk_in_test.requisition_created", 1);
    let with = |name: &str, value: Value| {
        let mut line = good.clone();
        line["lab_order_updated"][name] = value;
        line
    };
    for line in [
        with("order_id", json!(Uuid::nil())),
        with("user_id", json!(running.sample.other_team.user_id)),
        with("user_id", json!(Uuid::nil())),
        with("team_id", json!(running.sample.other_team.team_id)),
        with("status", Value::Null),
        with("created_at", json!("yesterday")),
        with("created_at", json!(in_hours(1).replace("20", "00"))),
        with("colour", json!("red")),
        json!({"lab_order_updated": {}}),
    ] {
        let before = order.get().await;
        let acknowledged = team.report(std::slice::from_ref(&line)).await;
        assert!(
            acknowledged[0]["accepted"].is_null() && acknowledged[0]["reason"].is_string(),
            "{line}"
        );
        assert_eq!(order.get().await, before, "{line}");
    }
    // Another user of the team has no such order.
    let owners = wearlab_tests::owners::owners(&running).await;
    let other = wearlab_tests::write_requests::new_user(&running, &owners[0]).await;
    let acknowledged = team.report(&[with("user_id", json!(other))]).await;
    assert!(
        text(&acknowledged[0], "reason").contains("order of the user"),
        "{acknowledged:?}"
    );
    order.takes(good).await;
}

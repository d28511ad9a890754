//! Arrivals of labs for orders: duplicates, any order, corrections and refusals.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::{Ingested, StoreError, ValidArrival};

use super::{order, read, read_results, report, world};
use crate::arriving::{NO_FORMS, USER, arrival, ingest, ingestion, try_ingest};
use crate::place::dump;
use crate::world::World;

/// Returns a step of an order of the user, at an hour of 2 May 2026.
pub(super) fn step(order: u128, step: &str, hour: u32, more: Value) -> ValidArrival {
    let mut fields = json!({
        "order_id": Uuid::from_u128(order), "status": step, "created_at": format!("2026-05-02T{hour:02}:00:00Z"),
    });
    let (Value::Object(fields_of), Value::Object(more)) = (&mut fields, more) else {
        panic!("objects")
    };
    fields_of.extend(more);
    arrival("lab_order_updated", fields)
}

const TRANSIT: &str = "collecting_sample.testkit.transit_lab";
const DELIVERED: &str = "sample_with_lab.testkit.delivered_to_lab";
const COMPLETED: &str = "completed.testkit.completed";

async fn with_order() -> World {
    let world = world().await;
    world
        .write(|write| write.put_order(world.team, &order(world.team, USER, 1, json!({}))))
        .await;
    world
}

async fn steps(world: &World) -> Vec<String> {
    let order = read(&world.store, world.team, 1).await.expect("the order");
    assert_eq!(Some(&order.last_event), order.events.last());
    order.events.into_iter().map(|event| event.status).collect()
}

#[tokio::test]
async fn steps_come_in_any_order_and_each_once() {
    let world = with_order().await;
    let arrivals = [
        step(1, COMPLETED, 9, json!({})),
        step(1, TRANSIT, 5, json!({"status_detail": "left", "sample_id": "S1"})),
        step(1, DELIVERED, 7, json!({"notes": "secret-note"})),
    ];
    assert_eq!(ingest(&world, &arrivals).await, [Ingested::Taken; 3]);
    assert_eq!(
        steps(&world).await,
        ["received.testkit.ordered", TRANSIT, DELIVERED, COMPLETED]
    );
    let before = dump(world.directory.path()).await;
    assert_eq!(ingest(&world, &arrivals).await, [Ingested::Duplicate; 3]);
    assert_eq!(dump(world.directory.path()).await, before);
    let order = read(&world.store, world.team, 1).await.expect("the order");
    assert_eq!(
        (order.status.as_str(), order.sample_id.as_deref()),
        ("completed", Some("S1"))
    );
    assert_eq!(
        (order.notes.as_deref(), order.updated_at),
        (Some("secret-note"), ingestion(NO_FORMS).now.fixed_offset())
    );
    // Steps are numbered in the order of their arrival.
    assert_eq!(
        order.events.iter().map(|event| event.id).collect::<Vec<_>>(),
        [1, 3, 4, 2]
    );
}

#[tokio::test]
async fn an_arrival_is_taken_once_by_its_id_and_corrected_by_another() {
    let world = with_order().await;
    let said = |id: &str, detail: &str| step(1, TRANSIT, 5, json!({"arrival_id": id, "status_detail": detail}));
    let [first, corrected] = [said("a", "at noon"), said("b", "at one")];
    let outcomes = ingest(&world, &[first.clone(), corrected.clone(), first, corrected]).await;
    assert_eq!(
        outcomes,
        [
            Ingested::Taken,
            Ingested::Taken,
            Ingested::Duplicate,
            Ingested::Duplicate
        ]
    );
    let order = read(&world.store, world.team, 1).await.expect("the order");
    let details: Vec<_> = order
        .events
        .iter()
        .map(|event| event.status_detail.as_deref())
        .collect();
    assert_eq!(details, [None, Some("at one")]);

    let reported = |id: &str, result: &str| {
        let mut report = serde_json::to_value(report(1, 10, "partial", &[("1-1", result)])).expect("JSON");
        report["lab_result"]["arrival_id"] = json!(id);
        serde_json::from_value::<ValidArrival>(report).expect("a report")
    };
    let [first, corrected] = [reported("c", "5"), reported("d", "6")];
    let outcomes = ingest(&world, &[first.clone(), corrected, first]).await;
    assert_eq!(outcomes, [Ingested::Taken, Ingested::Taken, Ingested::Duplicate]);
    let kept = read_results(&world.store, world.team, 1).await.expect("results");
    assert_eq!(
        kept.results
            .iter()
            .map(|kept| kept.result.result.as_str())
            .collect::<Vec<_>>(),
        ["6"]
    );
}

#[tokio::test]
async fn results_are_kept_corrected_and_merged() {
    let world = with_order().await;
    let results = async || {
        let kept = read_results(&world.store, world.team, 1).await.expect("results");
        let of = |kept: &wearlab_ingest::orders::KeptResult| {
            (kept.result.loinc.clone().expect("a code"), kept.result.result.clone())
        };
        kept.results.iter().map(of).collect::<Vec<_>>()
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(code, value)| ((*code).to_owned(), (*value).to_owned()))
            .collect()
    };
    let partial = report(1, 10, "partial", &[("1-1", "5"), ("2-2", "5")]);
    ingest(&world, std::slice::from_ref(&partial)).await;
    assert_eq!(results().await, pairs(&[("1-1", "5"), ("2-2", "5")]));
    let status = async || read(&world.store, world.team, 1).await.expect("the order").status;
    assert_eq!(status().await.as_str(), "sample_with_lab");
    // A later report, one before both, and the first again.
    let last = report(1, 12, "final", &[("2-2", "17.0625"), ("3-3", "4")]);
    let earlier = report(1, 9, "partial", &[("1-1", "1"), ("4-4", "4")]);
    let outcomes = ingest(&world, &[last.clone(), earlier.clone(), partial, last, earlier]).await;
    let [taken, known] = [Ingested::Taken, Ingested::Duplicate];
    assert_eq!(outcomes, [taken, taken, known, known, known]);
    assert_eq!(
        results().await,
        pairs(&[("4-4", "4"), ("1-1", "5"), ("2-2", "17.0625"), ("3-3", "4")])
    );
    assert_eq!(status().await.as_str(), "completed");
    let order = read(&world.store, world.team, 1).await.expect("the order");
    assert_eq!(order.interpretation.expect("one").as_str(), "abnormal");
    let partial = "sample_with_lab.testkit.partial_results";
    assert_eq!(
        steps(&world).await,
        ["received.testkit.ordered", partial, partial, COMPLETED]
    );
    // A correction does not change the status of the order.
    let corrected = report(1, 15, "corrected", &[("2-2", "5")]);
    assert_eq!(ingest(&world, &[corrected]).await, [Ingested::Taken]);
    assert_eq!(steps(&world).await.len(), 4);
    let order = read(&world.store, world.team, 1).await.expect("the order");
    assert_eq!(order.interpretation.expect("one").as_str(), "normal");
}

#[tokio::test]
async fn what_is_refused_leaves_no_trace() {
    let world = with_order().await;
    ingest(&world, &[step(1, DELIVERED, 7, json!({}))]).await;
    let before = dump(world.directory.path()).await;
    let refused = async |arrival: &ValidArrival| {
        let error = try_ingest(&world.store, arrival, &ingestion(NO_FORMS))
            .await
            .expect_err("is refused");
        assert_eq!(dump(world.directory.path()).await, before, "nothing is written");
        error
    };
    let id = json!({"arrival_id": "refused"});
    for (arrival, expected, part) in [
        (
            step(1, TRANSIT, 8, id.clone()),
            "status",
            "`collecting_sample.testkit.transit_lab` cannot follow",
        ),
        (
            step(1, COMPLETED, 6, id.clone()),
            "status",
            "cannot stand between `received.testkit.ordered`",
        ),
        (
            step(1, "received.walk_in_test.ordered", 8, id),
            "status",
            "a step of another method",
        ),
    ] {
        match refused(&arrival).await {
            StoreError::Refused { field, reason } => {
                assert_eq!(field, expected);
                assert!(reason.contains(part), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    // Results of an order that ended without any.
    let cancelled = step(1, "cancelled.testkit.cancelled", 9, json!({}));
    assert_eq!(ingest(&world, &[cancelled]).await, [Ingested::Taken]);
    let before = dump(world.directory.path()).await;
    let late = report(1, 10, "final", &[("1-1", "5")]);
    let error = try_ingest(&world.store, &late, &ingestion(NO_FORMS))
        .await
        .expect_err("is refused");
    assert!(
        matches!(&error, StoreError::Refused { field, .. } if field == "metadata.status"),
        "{error:?}"
    );
    assert_eq!(dump(world.directory.path()).await, before, "nothing is written");
}

#[tokio::test]
async fn orders_of_others_are_missing() {
    let world = with_order().await;
    world
        .write(|write| {
            write.put_order(world.team, &order(world.team, 8, 2, json!({})))?;
            write.put_order(world.sister, &order(world.sister, USER, 3, json!({})))
        })
        .await;
    let before = dump(world.directory.path()).await;
    // Orders of another user and of another team, and a missing one.
    for order in [2, 3, 4] {
        for arrival in [
            step(order, TRANSIT, 5, json!({})),
            report(order, 10, "final", &[("1-1", "5")]),
        ] {
            let error = try_ingest(&world.store, &arrival, &ingestion(NO_FORMS))
                .await
                .expect_err("is missing");
            assert!(
                matches!(
                    error,
                    StoreError::Missing {
                        what: "order of the user"
                    }
                ),
                "{error:?}"
            );
        }
    }
    assert_eq!(dump(world.directory.path()).await, before);
}

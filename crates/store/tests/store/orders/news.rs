//! Events of orders: one for each change, without patient data.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::Event;
use wearlab_store::{Ingested, Record, StoreError};

use super::arrivals::step;
use super::{SECRETS, order, report, world};
use crate::arriving::{NO_FORMS, USER, ingest, ingestion, log};
use crate::world::{World, decoded};

const CREATED: &str = "labtest.order.created";
const UPDATED: &str = "labtest.order.updated";
const RESULT: &str = "labtest.result.created";

/// Returns the types of the events since the last call.
async fn news(world: &World, seen: &mut usize) -> Vec<String> {
    let types: Vec<_> = log(&world.store)
        .await
        .into_iter()
        .map(|event| event.event_type)
        .collect();
    let new = types[*seen..].to_vec();
    *seen = types.len();
    new
}

#[tokio::test]
async fn each_piece_of_news_is_an_event_without_the_patient() {
    let world = world().await;
    let mut seen = 0;
    let new = order(world.team, USER, 1, json!({}));
    world
        .write(|write| write.create_order(world.team, &new, &ingestion(NO_FORMS)))
        .await;
    assert_eq!(news(&world, &mut seen).await, [CREATED]);

    let delivered = "sample_with_lab.testkit.delivered_to_lab";
    let with_notes = json!({"notes": "secret-note", "sample_id": "S1", "status_detail": "on a desk"});
    let partial = report(1, 10, "partial", &[("1-1", "17.0625")]);
    let more = report(1, 11, "partial", &[("2-2", "17.0625")]);
    let last = report(1, 12, "final", &[("3-3", "5")]);
    let corrected = report(1, 13, "corrected", &[("1-1", "5"), ("2-2", "5")]);
    let again = report(1, 14, "corrected", &[("1-1", "5.5")]);
    for (arrival, expected) in [
        (step(1, delivered, 7, with_notes.clone()), &[UPDATED][..]),
        (step(1, delivered, 7, with_notes), &[]),
        (
            step(1, delivered, 7, json!({"status_detail": "on a table"})),
            &[UPDATED],
        ),
        (partial.clone(), &[UPDATED, RESULT]),
        (partial, &[]),
        (more, &[UPDATED, RESULT]),
        (last, &[UPDATED, RESULT]),
        // The interpretation has changed.
        (corrected, &[UPDATED, RESULT]),
        (again.clone(), &[RESULT]),
        (again, &[]),
    ] {
        let outcome = ingest(&world, &[arrival]).await;
        let is_news = outcome == [Ingested::Taken];
        assert_eq!(is_news, !expected.is_empty());
        assert_eq!(news(&world, &mut seen).await, expected);
    }
    for event in log(&world.store).await {
        let text = String::from_utf8(event.payload.as_bytes().to_vec()).expect("UTF-8");
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        let read: Event = decoded(&event.payload);
        assert_eq!(read.event_type(), event.event_type);
        let payload: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(payload["user_id"], json!(Uuid::from_u128(USER)));
        assert_eq!(
            (payload["team_id"].clone(), event.user_id),
            (json!(world.team.uuid()), Uuid::from_u128(USER))
        );
        for name in [
            "patient_details",
            "notes",
            "icd_codes",
            "physician",
            "interpretation",
            "results",
        ] {
            assert!(!text.contains(&format!("\"{name}\"")), "{name} in {text}");
        }
    }
    let last = log(&world.store).await.pop().expect("an event");
    let payload: Value = serde_json::from_slice(last.payload.as_bytes()).expect("JSON");
    assert_eq!(payload["data"]["order_id"], json!(Uuid::from_u128(1)));
    assert_eq!(payload["data"]["date_reported"], "2026-05-03T14:00:00Z");
}

/// Imported records cause no event. An order without a user is not created.
#[tokio::test]
async fn what_is_put_back_is_no_news() {
    let world = world().await;
    let record = json!({"order": {"order": order(world.team, USER, 1, json!({})),
        "results": super::results(&report(1, 10, "final", &[("1-1", "5")]))}});
    let record: Record = serde_json::from_value(record).expect("a record");
    world.write(|write| write.put(&record)).await;
    let nobody = order(world.team, 99, 2, json!({}));
    let created = world
        .store
        .write(|write| write.create_order(world.team, &nobody, &ingestion(NO_FORMS)))
        .await;
    assert!(matches!(created, Err(StoreError::Missing { .. })), "{created:?}");
    assert!(log(&world.store).await.is_empty());
}

//! Delivery attempts: fields, order and retention.

use std::time::Duration;

use chrono::TimeDelta;
use uuid::Uuid;
use wearlab_store::{
    Advance, AttemptOutcome, DeliveryAttempt, DestinationId, EventRetention, LoggedAttempt, OrganisationId, Progress,
    WebhookEndpoint,
};

use crate::arriving::{USER, at, day, ingest, log, world};
use crate::place::count;
use crate::world::World;

const NOW: &str = "2026-06-01T12:00:00Z";

fn failed(attempt: u32) -> DeliveryAttempt {
    DeliveryAttempt {
        attempt,
        attempted_on: at(NOW) + TimeDelta::seconds(attempt.into()),
        duration: Duration::from_millis(17),
        outcome: AttemptOutcome::Failed,
        status: Some(503),
        reason: Some("responded 503".to_owned()),
        content_type: Some("text/plain".to_owned()),
        content_length: Some(4),
    }
}

fn delivered(attempt: u32) -> DeliveryAttempt {
    DeliveryAttempt {
        outcome: AttemptOutcome::Delivered,
        status: Some(204),
        reason: None,
        content_type: None,
        content_length: None,
        ..failed(attempt)
    }
}

async fn save(
    world: &World,
    destination: DestinationId,
    results: Vec<(i64, Progress)>,
    attempts: Vec<(i64, DeliveryAttempt)>,
) {
    let cursor = attempts.iter().map(|(number, _)| *number).max().unwrap_or_default();
    let advance = Advance {
        results,
        cursor,
        attempts,
        ..Advance::default()
    };
    world.write(|write| write.advance(destination, &advance, at(NOW))).await;
}

fn waiting(attempts: u32) -> Progress {
    Progress::Waiting {
        attempts,
        due: at(NOW),
        reason: "responded 503".to_owned(),
    }
}

/// Creates an endpoint of the first team, as a destination.
async fn endpoint(world: &World, id: &str) -> DestinationId {
    let endpoint = WebhookEndpoint {
        webhook_id: id.to_owned(),
        team_id: world.team.uuid(),
        url: "https://receiver.example".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: Vec::new(),
        created_on: at(NOW),
        disabled: None,
    };
    world
        .write(|write| {
            write.put_webhook(&endpoint)?;
            write.destination(world.team, "webhook", Some(id))
        })
        .await
}

async fn attempts(world: &World, organisation: &OrganisationId, event_id: &str) -> Option<Vec<LoggedAttempt>> {
    let reads = world.store.organisation(organisation);
    reads.attempts(event_id).await.expect("reads")
}

/// Writes events of some days, and returns their numbers and ids.
async fn events(world: &World, days: u64) -> Vec<(i64, String)> {
    let days: Vec<_> = (0..days).map(|at| day(&format!("2026-05-{:02}", at + 1), at)).collect();
    ingest(world, &days).await;
    let log = log(&world.store).await;
    log.iter().map(|event| (event.number, event.event_id.clone())).collect()
}

#[tokio::test]
async fn attempts_are_read_in_their_order_and_of_the_own_organisation_alone() {
    let world = world().await;
    let (first, second) = (endpoint(&world, "wh_1").await, endpoint(&world, "wh_2").await);
    let events = events(&world, 2).await;
    let (number, id) = &events[0];
    assert_eq!(attempts(&world, &world.ours, id).await, Some(vec![]));
    save(&world, first, vec![(*number, waiting(1))], vec![(*number, failed(1))]).await;
    save(
        &world,
        second,
        vec![],
        vec![(*number, delivered(1)), (events[1].0, delivered(1))],
    )
    .await;
    save(
        &world,
        first,
        vec![(*number, Progress::Done)],
        vec![(*number, delivered(2))],
    )
    .await;
    let of = |webhook: &str, attempt| LoggedAttempt {
        kind: "webhook".to_owned(),
        webhook_id: Some(webhook.to_owned()),
        attempt,
    };
    let expected = vec![
        of("wh_1", failed(1)),
        of("wh_2", delivered(1)),
        of("wh_1", delivered(2)),
    ];
    assert_eq!(attempts(&world, &world.ours, id).await, Some(expected.clone()));
    let other = attempts(&world, &world.ours, &events[1].1).await;
    assert_eq!(other, Some(vec![of("wh_2", delivered(1))]));
    assert_eq!(attempts(&world, &world.theirs, id).await, None);
    assert_eq!(attempts(&world, &world.ours, "evt_unknown").await, None);
    // Attempts outlive the endpoint.
    world.write(|write| write.delete_webhook("wh_1")).await;
    assert_eq!(attempts(&world, &world.ours, id).await, Some(expected));
}

#[tokio::test]
async fn the_last_twenty_of_each_destination_are_kept() {
    let world = world().await;
    let (first, second) = (endpoint(&world, "wh_1").await, endpoint(&world, "wh_2").await);
    let events = events(&world, 1).await;
    let (number, id) = &events[0];
    for attempt in 1..=25 {
        for destination in [first, second] {
            let results = vec![(*number, waiting(attempt))];
            save(&world, destination, results, vec![(*number, failed(attempt))]).await;
            if attempt > 22 {
                break;
            }
        }
    }
    let kept = attempts(&world, &world.ours, id).await.expect("the event");
    let of = |webhook: &str| -> Vec<u32> {
        let of = kept.iter().filter(|kept| kept.webhook_id.as_deref() == Some(webhook));
        of.map(|kept| kept.attempt.attempt).collect()
    };
    assert_eq!(of("wh_1"), (6..=25).collect::<Vec<_>>());
    assert_eq!(of("wh_2"), (3..=22).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_batch_of_any_size_is_kept_whole() {
    let world = world().await;
    let queue = endpoint(&world, "wh_1").await;
    let days: Vec<_> = (0..231)
        .map(|at| {
            let date = chrono::NaiveDate::from_ymd_opt(2026, 1, 1).expect("a day") + TimeDelta::days(at);
            day(&date.to_string(), at.unsigned_abs())
        })
        .collect();
    ingest(&world, &days).await;
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    let mut batch: Vec<_> = numbers.iter().map(|number| (*number, delivered(1))).collect();
    assert_eq!(batch.len(), 231);
    // An event that was deleted meanwhile.
    batch.insert(7, (numbers[230] + 1_000, delivered(1)));
    save(&world, queue, vec![], batch).await;
    assert_eq!(count(world.directory.path(), "attempts").await, 231);
    // The oldest attempts of each event are deleted.
    for attempt in 2..=22 {
        let results = numbers.iter().map(|number| (*number, waiting(attempt))).collect();
        let batch = numbers.iter().map(|number| (*number, failed(attempt))).collect();
        save(&world, queue, results, batch).await;
    }
    assert_eq!(count(world.directory.path(), "attempts").await, 231 * 20);
}

#[tokio::test]
async fn attempts_go_with_their_event_and_with_their_user() {
    let world = world().await;
    let queue = endpoint(&world, "wh_1").await;
    let events = events(&world, 3).await;
    let batch = events.iter().map(|(number, _)| (*number, delivered(1))).collect();
    save(&world, queue, vec![(events[1].0, waiting(1))], batch).await;
    let rows = async || count(world.directory.path(), "attempts").await;
    assert_eq!(rows().await, 3);
    let retention = EventRetention {
        now: at(NOW),
        delivered: at(NOW) + TimeDelta::days(1),
        undelivered: at(NOW) - TimeDelta::days(1),
    };
    world.write(|write| write.prune(&retention, 0, 10)).await;
    assert_eq!(log(&world.store).await.len(), 1);
    assert_eq!(rows().await, 1);
    assert_eq!(attempts(&world, &world.ours, &events[0].1).await, None);
    world
        .write(|write| write.delete_user(world.team, Uuid::from_u128(USER)))
        .await;
    assert_eq!(rows().await, 0);
    // Attempts of a batch in flight are not kept for deleted events.
    save(&world, queue, vec![], vec![(events[1].0, delivered(2))]).await;
    assert_eq!(rows().await, 0);
}

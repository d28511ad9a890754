//! Undelivered events of destinations, and their retention.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_models::DeliveryKind;
use wearlab_store::{
    Advance, DeliveryState, DestinationId, EventRetention, Ingested, Ingestion, Outage, Progress, Reachability,
    ReplayFilter, ReplayPosition, ReplayRead,
};

use crate::arriving::{NO_FORMS, at, day, ingest, ingestion, log, try_ingest, world};
use crate::pipelines::pipeline;
use crate::world::World;

async fn destination(world: &World, kind: &str) -> DestinationId {
    world.write(|write| write.destination(world.team, kind, None)).await
}

async fn advance(world: &World, destination: DestinationId, results: Vec<(i64, Progress)>, cursor: i64) {
    let advance = Advance {
        results,
        cursor,
        ordered: true,
        ..Advance::default()
    };
    world.write(|write| write.advance(destination, &advance, at(NOW))).await;
}

const NOW: &str = "2026-06-01T12:00:00Z";

fn parked() -> Progress {
    Progress::Parked {
        attempts: 3,
        reason: "refused".to_owned(),
    }
}

fn waiting(due: DateTime<Utc>) -> Progress {
    Progress::Waiting {
        attempts: 1,
        due,
        reason: "failed".to_owned(),
    }
}

/// Returns the numbers of the due events, and the states of all undelivered ones.
async fn states(world: &World, destination: DestinationId) -> (Vec<i64>, Vec<&'static str>) {
    let due = world.store.due_events(destination, at(NOW), 100).await.expect("reads");
    let undelivered = world.store.undelivered(100).await.expect("reads");
    let states = undelivered.iter().map(|event| match event.state {
        DeliveryState::Waiting(_) => "waiting",
        DeliveryState::Held => "held",
        DeliveryState::Parked => "parked",
    });
    (due.iter().map(|event| event.event.number).collect(), states.collect())
}

#[tokio::test]
async fn what_a_pipeline_enables_gets_the_events_from_then_on() {
    let world = world().await;
    let mut pipeline = pipeline(world.team.uuid());
    pipeline.preferences.enabled.push(DeliveryKind::Svix);
    ingest(&world, &[day("2026-05-01", 1)]).await;
    world.write(|write| write.put_pipeline(world.team, &pipeline)).await;
    ingest(&world, &[day("2026-05-02", 2)]).await;
    // No dispatcher has read the pipeline before.
    for (kind, fresh) in [("rabbitmq", 1), ("svix", 0)] {
        let destination = destination(&world, kind).await;
        let events = world.store.fresh_events(destination, 10).await.expect("reads");
        assert_eq!(events.len(), fresh, "{kind}");
    }
}

/// Writes events of three days, and returns their numbers.
async fn three_events(world: &World) -> Vec<i64> {
    let days = [day("2026-05-01", 1), day("2026-05-02", 2), day("2026-05-03", 3)];
    ingest(world, &days).await;
    log(&world.store).await.iter().map(|event| event.number).collect()
}

#[tokio::test]
async fn an_outage_goes_on_until_it_is_over() {
    let world = world().await;
    let queue = destination(&world, "rabbitmq").await;
    let note = async |reachability, now| {
        let advance = Advance {
            reachability: Some(reachability),
            ..Advance::default()
        };
        world.write(|write| write.advance(queue, &advance, now)).await;
        let mut destinations = world.store.destinations().await.expect("reads");
        assert_eq!(destinations.len(), 1);
        let found = destinations.remove(0);
        assert_eq!(
            (found.id, found.team_id, found.kind.as_str()),
            (queue, world.team.uuid(), "rabbitmq")
        );
        found.outage
    };
    let (first, second) = (at(NOW), at(NOW) + TimeDelta::minutes(1));
    let down = |reason: &str, now| Reachability::Down {
        reason: reason.to_owned(),
        next_attempt: now + TimeDelta::seconds(5),
    };
    assert_eq!(note(Reachability::Up, first).await, None);
    for (reason, now) in [("refused", first), ("no such host", second)] {
        let outage = Outage {
            since: first,
            next_attempt: now + TimeDelta::seconds(5),
            reason: reason.to_owned(),
        };
        assert_eq!(note(down(reason, now), now).await, Some(outage));
    }
    assert_eq!(note(Reachability::Up, second).await, None);
}

#[tokio::test]
async fn what_is_under_way_is_not_read_again() {
    let world = world().await;
    let queue = destination(&world, "rabbitmq").await;
    let numbers = three_events(&world).await;
    let after = async |number, limit| {
        let events = world
            .store
            .fresh_events_after(queue, number, limit)
            .await
            .expect("reads");
        events.iter().map(|event| event.event.number).collect::<Vec<_>>()
    };
    assert_eq!(after(numbers[0], 1).await, numbers[1..2]);
    advance(&world, queue, Vec::new(), numbers[1]).await;
    assert_eq!(after(numbers[0], 10).await, numbers[2..], "nothing before the cursor");
    assert!(after(numbers[2], 10).await.is_empty());
}

#[tokio::test]
async fn what_is_behind_a_failed_event_is_held_until_that_is_delivered_or_parked() {
    for last in [Progress::Done, parked()] {
        let world = world().await;
        let queue = destination(&world, "rabbitmq").await;
        let numbers = three_events(&world).await;
        let [first, second, third] = numbers[..] else {
            panic!("three events")
        };
        let later = at(NOW) + TimeDelta::minutes(1);
        advance(
            &world,
            queue,
            vec![(first, waiting(later)), (second, Progress::Held)],
            second,
        )
        .await;
        assert_eq!(states(&world, queue).await, (vec![], vec!["waiting", "held"]));
        let fresh = world.store.fresh_events(queue, 10).await.expect("reads");
        assert_eq!(
            fresh
                .iter()
                .map(|event| (event.event.number, event.behind))
                .collect::<Vec<_>>(),
            [(third, true)]
        );
        assert_eq!(world.store.backlog(queue).await.expect("reads").waiting, 3);
        advance(
            &world,
            queue,
            vec![(first, last.clone()), (third, Progress::Held)],
            third,
        )
        .await;
        let (due, _) = states(&world, queue).await;
        assert_eq!(due, [second, third]);
        // The failed event holds the other one again, although that is due.
        advance(&world, queue, vec![(second, waiting(later))], 0).await;
        let (due, all) = states(&world, queue).await;
        assert!(due.is_empty());
        assert_eq!(all[all.len() - 2..], ["waiting", "held"]);
    }
}

#[tokio::test]
async fn what_is_parked_is_sent_again_at_once_and_of_one_team_alone() {
    let world = world().await;
    let queue = destination(&world, "rabbitmq").await;
    ingest(&world, &[day("2026-05-01", 1), day("2026-05-02", 2)]).await;
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    let results = numbers.iter().map(|number| (*number, parked())).collect();
    advance(&world, queue, results, numbers[1]).await;
    let before = world.store.changes().await.expect("reads");
    let replayed = async |team_id| {
        let filter = ReplayFilter {
            team_id,
            parked: true,
            ..ReplayFilter::default()
        };
        let read = world.store.replay_part(&filter, ReplayPosition::default(), 100).await;
        let ReplayRead::Part(part) = read.expect("reads") else {
            panic!("a part")
        };
        assert_eq!(part.next, None);
        world.write(|write| write.replay_all(&part, at(NOW))).await
    };
    assert_eq!(replayed(Some(world.sister.uuid())).await, 0);
    assert_eq!(replayed(None).await, 2);
    assert_eq!(states(&world, queue).await.0, numbers);
    assert_ne!(world.store.changes().await.expect("reads").replays, before.replays);
}

/// Prunes the whole log, three events at a time. Returns the number of deleted events, and of those that no destination
/// had.
async fn prune(world: &World, delivered: &str, undelivered: &str) -> (usize, usize) {
    let retention = EventRetention {
        now: at(NOW),
        delivered: at(delivered),
        undelivered: at(undelivered),
    };
    let (mut deleted, mut lost, mut next) = (0, 0, Some(0));
    while let Some(after) = next {
        let before = log(&world.store).await;
        let pruned = world.write(|write| write.prune(&retention, after, 3)).await;
        deleted += pruned.deleted;
        lost += pruned.undelivered.len();
        for id in pruned.undelivered {
            assert!(before.iter().any(|event| event.event_id == id), "{id}");
            assert!(world.store.event(&id).await.expect("reads").is_none(), "{id}");
        }
        next = pruned.next;
    }
    (deleted, lost)
}

#[tokio::test]
async fn events_are_deleted_when_they_are_old_and_delivered_or_older() {
    const LATER: &str = "2026-06-02T00:00:00Z";
    const BEFORE: &str = "2026-05-01T00:00:00Z";
    let world = world().await;
    let (queue, topic) = (
        destination(&world, "rabbitmq").await,
        destination(&world, "cloud_pubsub").await,
    );
    let days: Vec<_> = (1..=8)
        .map(|number| day(&format!("2026-05-0{number}"), number))
        .collect();
    // All are written at noon of the first of June.
    ingest(&world, &days).await;
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    assert_eq!(prune(&world, BEFORE, BEFORE).await, (0, 0), "they are young");
    assert_eq!(prune(&world, LATER, BEFORE).await, (0, 0), "nobody has them");
    advance(&world, queue, vec![(numbers[1], parked())], numbers[7]).await;
    advance(&world, topic, vec![], numbers[5]).await;
    assert_eq!(
        prune(&world, LATER, BEFORE).await,
        (5, 0),
        "one is parked, two are not read"
    );
    let left: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    assert_eq!(left, [numbers[1], numbers[6], numbers[7]]);
    assert_eq!(
        prune(&world, LATER, LATER).await,
        (3, 3),
        "they are too old for anything"
    );
    assert!(world.store.undelivered(10).await.expect("reads").is_empty());
}

#[tokio::test]
async fn what_an_event_held_that_is_kept_no_longer_is_let_go() {
    let world = world().await;
    let queue = destination(&world, "rabbitmq").await;
    ingest(&world, &[day("2026-05-01", 1)]).await;
    let (later, last) = (at(NOW) + TimeDelta::days(1), at(NOW) + TimeDelta::days(2));
    let second = Ingestion {
        now: last,
        ..ingestion(NO_FORMS)
    };
    let taken = try_ingest(&world.store, &day("2026-05-02", 2), &second).await;
    assert_eq!(taken.expect("is taken"), Ingested::Taken);
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    advance(
        &world,
        queue,
        vec![(numbers[0], waiting(later)), (numbers[1], Progress::Held)],
        numbers[1],
    )
    .await;
    let retention = EventRetention {
        now: at(NOW),
        delivered: later,
        undelivered: later,
    };
    assert_eq!(world.write(|write| write.prune(&retention, 0, 10)).await.deleted, 1);
    assert_eq!(states(&world, queue).await, (vec![numbers[1]], vec!["waiting"]));
}

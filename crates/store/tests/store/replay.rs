//! Replays of selected events, in parts.

use chrono::TimeDelta;
use uuid::Uuid;
use wearlab_store::{
    Advance, DeliveryState, DestinationId, Ingestion, OrganisationId, Progress, ReplayFilter, ReplayPosition,
    ReplayRead, ReplayTarget,
};

use crate::arriving::{NO_FORMS, USER, at, day, ingest, ingestion, log, try_ingest, world};
use crate::world::World;

const NOW: &str = "2026-06-01T12:00:00Z";

/// Creates a world with events of four days, the last one written a day later, and two destinations. One has all events
/// except the second and the third, which are parked. The other was not sent the last one yet.
async fn sent() -> (World, [DestinationId; 2], Vec<i64>) {
    let world = world().await;
    let destinations = world
        .write(|write| {
            Ok([
                write.destination(world.team, "rabbitmq", None)?,
                write.destination(world.team, "cloud_pubsub", None)?,
            ])
        })
        .await;
    ingest(
        &world,
        &[day("2026-05-01", 1), day("2026-05-02", 2), day("2026-05-03", 3)],
    )
    .await;
    let later = Ingestion {
        now: at(NOW) + TimeDelta::days(1),
        ..ingestion(NO_FORMS)
    };
    try_ingest(&world.store, &day("2026-05-04", 4), &later)
        .await
        .expect("is taken");
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    let parked = || Progress::Parked {
        attempts: 3,
        reason: "refused".to_owned(),
    };
    let of = |results, cursor| Advance {
        results,
        cursor,
        ..Advance::default()
    };
    let first = of(vec![(numbers[1], parked()), (numbers[2], parked())], numbers[3]);
    let second = of(Vec::new(), numbers[2]);
    world
        .write(|write| {
            write.advance(destinations[0], &first, at(NOW))?;
            write.advance(destinations[1], &second, at(NOW))
        })
        .await;
    (world, destinations, numbers)
}

/// Replays a selection in parts of `limit` deliveries. Returns the number of deliveries.
async fn replay(world: &World, organisation: &OrganisationId, filter: &ReplayFilter, limit: usize) -> usize {
    let (mut position, mut replayed) = (ReplayPosition::default(), 0);
    for _ in 0..20 {
        let reads = world.store.organisation(organisation);
        let read = reads.replay_part(filter, position, limit).await.expect("reads");
        let ReplayRead::Part(part) = read else {
            panic!("{read:?}")
        };
        replayed += world.write(|write| write.replay_all(&part, at(NOW))).await;
        match part.next {
            Some(next) => position = next,
            None => return replayed,
        }
    }
    panic!("it does not end");
}

/// Returns the waiting deliveries, and the parked events.
async fn waiting(world: &World) -> (Vec<(String, i64)>, Vec<i64>) {
    let undelivered = world.store.undelivered(100).await.expect("reads");
    let is_waiting = |state| matches!(state, DeliveryState::Waiting(_));
    let waiting = undelivered.iter().filter(|event| is_waiting(event.state));
    let waiting = waiting.map(|event| (event.kind.clone(), event.number)).collect();
    let parked = undelivered.iter().filter(|event| !is_waiting(event.state));
    (waiting, parked.map(|event| event.number).collect())
}

#[tokio::test]
async fn each_condition_selects_what_was_sent_before() {
    let only = ReplayFilter::default;
    let kind = |kind: &str| ReplayTarget {
        kind: Some(kind.to_owned()),
        webhook_id: None,
    };
    type Make = Box<dyn Fn(&[i64]) -> ReplayFilter>;
    // Destinations by the first letter of their kind, with indices of events.
    type Case = (&'static str, Make, &'static [(char, usize)]);
    let cases: [Case; 9] = [
        (
            "parked",
            Box::new(move |_| ReplayFilter { parked: true, ..only() }),
            &[('r', 1), ('r', 2)],
        ),
        (
            "parked behind a position",
            Box::new(move |numbers| ReplayFilter {
                parked: true,
                after: numbers[1],
                ..only()
            }),
            &[('r', 2)],
        ),
        (
            "positions",
            Box::new(move |numbers| ReplayFilter {
                after: numbers[0],
                up_to: Some(numbers[1]),
                ..only()
            }),
            &[('r', 1), ('c', 1)],
        ),
        (
            "later ones",
            Box::new(move |_| ReplayFilter {
                from: Some(at(NOW) + TimeDelta::hours(1)),
                ..only()
            }),
            &[('r', 3)],
        ),
        (
            "earlier ones at one kind",
            Box::new(move |_| ReplayFilter {
                to: Some(at(NOW) + TimeDelta::hours(1)),
                target: kind("cloud_pubsub"),
                ..only()
            }),
            &[('c', 0), ('c', 1), ('c', 2)],
        ),
        (
            "parked of another kind",
            Box::new(move |_| ReplayFilter {
                parked: true,
                target: kind("cloud_pubsub"),
                ..only()
            }),
            &[],
        ),
        (
            "of the user",
            Box::new(move |numbers| ReplayFilter {
                user_id: Some(Uuid::from_u128(USER)),
                up_to: Some(numbers[0]),
                ..only()
            }),
            &[('r', 0), ('c', 0)],
        ),
        (
            "of a type",
            Box::new(move |_| ReplayFilter {
                event_type_prefix: Some("provider.".to_owned()),
                ..only()
            }),
            &[],
        ),
        (
            "all of the team",
            Box::new(move |_| ReplayFilter {
                team_id: Some(Uuid::from_u128(1)),
                ..only()
            }),
            &[('r', 0), ('r', 1), ('r', 2), ('r', 3), ('c', 0), ('c', 1), ('c', 2)],
        ),
    ];
    for (what, filter, expected) in cases {
        for limit in [1, 2, 1000] {
            let (world, _, numbers) = sent().await;
            let replayed = replay(&world, &world.ours, &filter(&numbers), limit).await;
            assert_eq!(replayed, expected.len(), "{what}, {limit} at a time");
            let (mut found, parked) = waiting(&world).await;
            found.sort();
            let mut expected: Vec<_> = expected
                .iter()
                .map(|(kind, at)| {
                    let kind = if *kind == 'r' { "rabbitmq" } else { "cloud_pubsub" };
                    (kind.to_owned(), numbers[*at])
                })
                .collect();
            expected.sort();
            assert_eq!(found, expected, "{what}");
            let left = [numbers[1], numbers[2]];
            let left = left
                .into_iter()
                .filter(|number| !found.contains(&("rabbitmq".to_owned(), *number)));
            assert_eq!(parked, left.collect::<Vec<_>>(), "{what}");
        }
    }
}

#[tokio::test]
async fn another_organisation_has_nothing_of_it() {
    let (world, ..) = sent().await;
    for parked in [true, false] {
        let filter = ReplayFilter {
            parked,
            up_to: Some(i64::MAX),
            ..ReplayFilter::default()
        };
        assert_eq!(replay(&world, &world.theirs, &filter, 10).await, 0);
    }
    let read = async |filter: ReplayFilter| {
        let theirs = world.store.organisation(&world.theirs);
        theirs
            .replay_part(&filter, ReplayPosition::default(), 10)
            .await
            .expect("reads")
    };
    let of_team = ReplayFilter {
        team_id: Some(world.team.uuid()),
        ..ReplayFilter::default()
    };
    assert_eq!(read(of_team).await, ReplayRead::NoTeam);
    let of_user = ReplayFilter {
        user_id: Some(Uuid::from_u128(USER)),
        ..ReplayFilter::default()
    };
    assert_eq!(read(of_user).await, ReplayRead::NoUser);
    assert!(waiting(&world).await.0.is_empty());
}

#[tokio::test]
async fn what_changed_since_it_was_read_is_left() {
    let (world, destinations, numbers) = sent().await;
    let filter = ReplayFilter {
        parked: true,
        ..ReplayFilter::default()
    };
    let read = world.store.replay_part(&filter, ReplayPosition::default(), 10).await;
    let ReplayRead::Part(part) = read.expect("reads") else {
        panic!("a part")
    };
    let done = Advance {
        results: vec![(numbers[1], Progress::Done)],
        ..Advance::default()
    };
    world
        .write(|write| write.advance(destinations[0], &done, at(NOW)))
        .await;
    assert_eq!(world.write(|write| write.replay_all(&part, at(NOW))).await, 1);
    assert_eq!(waiting(&world).await.0, [("rabbitmq".to_owned(), numbers[2])]);
    // Waiting events are not replayed with the parked ones.
    assert_eq!(replay(&world, &world.ours, &filter, 10).await, 0);
    // All events of a deleted user are gone.
    let read = world
        .store
        .replay_part(&ReplayFilter::default(), ReplayPosition::default(), 10)
        .await;
    let ReplayRead::Part(part) = read.expect("reads") else {
        panic!("a part")
    };
    world
        .write(|write| write.delete_user(world.team, Uuid::from_u128(USER)))
        .await;
    assert_eq!(world.write(|write| write.replay_all(&part, at(NOW))).await, 0);
}

#[tokio::test]
async fn one_event_is_sent_again_to_one_destination() {
    let (world, _, numbers) = sent().await;
    let id = log(&world.store).await.remove(0).event_id;
    let target = |kind: Option<&str>, webhook: Option<&str>| ReplayTarget {
        kind: kind.map(str::to_owned),
        webhook_id: webhook.map(str::to_owned),
    };
    for (to, expected) in [
        (target(None, Some("wh_none")), 0),
        (target(Some("azure_amqp"), None), 0),
        (target(Some("rabbitmq"), None), 1),
        (target(None, None), 2),
    ] {
        let replayed = world.write(|write| write.replay(&id, &to, at(NOW))).await;
        assert_eq!(replayed, Some(expected), "{to:?}");
        if expected == 1 {
            assert_eq!(waiting(&world).await.0, [("rabbitmq".to_owned(), numbers[0])]);
        }
    }
    assert_eq!(
        world
            .write(|write| write.replay("evt_none", &target(None, None), at(NOW)))
            .await,
        None
    );
}

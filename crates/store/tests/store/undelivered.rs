//! Pages of undelivered events of an organisation's destinations.

use wearlab_store::{Advance, DeliveryState, DestinationId, Progress, TeamId, Undelivered, UndeliveredFilter};

use crate::arriving::{at, day, ingest, log, world};
use crate::world::{World, user};

const NOW: &str = "2026-06-01T12:00:00Z";

/// Creates a world with events of some days of the first team, and two of its destinations. Their last events are
/// parked, held and waiting in turn.
async fn behind(events: u64) -> (World, Vec<i64>, [DestinationId; 2]) {
    let world = world().await;
    let days: Vec<_> = (0..events)
        .map(|at| day(&format!("2026-05-{:02}", at + 1), at))
        .collect();
    ingest(&world, &days).await;
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    let [first, second] = [
        destination(&world, world.team, "rabbitmq").await,
        destination(&world, world.team, "cloud_pubsub").await,
    ];
    for destination in [first, second] {
        let results = numbers.iter().enumerate().map(|(at, number)| (*number, progress(at)));
        advance(&world, destination, results.collect()).await;
    }
    (world, numbers, [first, second])
}

fn progress(nth: usize) -> Progress {
    let reason = "refused".to_owned();
    match nth % 3 {
        0 => Progress::Parked { attempts: 3, reason },
        1 => Progress::Held,
        _ => Progress::Waiting {
            attempts: 1,
            due: at(NOW),
            reason,
        },
    }
}

async fn destination(world: &World, team: TeamId, kind: &str) -> DestinationId {
    world.write(|write| write.destination(team, kind, None)).await
}

async fn advance(world: &World, destination: DestinationId, results: Vec<(i64, Progress)>) {
    let advance = Advance {
        results,
        ..Advance::default()
    };
    world.write(|write| write.advance(destination, &advance, at(NOW))).await;
}

/// Reads all pages, each of at most `limit` events.
async fn pages(world: &World, filter: UndeliveredFilter<'_>, limit: usize) -> Vec<Vec<Undelivered>> {
    let reads = world.store.organisation(&world.ours);
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let filter = UndeliveredFilter {
            after,
            ..filter.clone()
        };
        let page = reads
            .undelivered(&filter, limit)
            .await
            .expect("reads")
            .expect("the team");
        assert!(page.events.len() <= limit);
        pages.push(page.events);
        after = page.next;
        if after.is_none() {
            return pages;
        }
        assert!(pages.len() < 1000, "it does not end");
    }
}

fn of_state(state: &str) -> UndeliveredFilter<'_> {
    UndeliveredFilter {
        state: Some(state),
        ..UndeliveredFilter::default()
    }
}

#[tokio::test]
async fn pages_of_any_length_are_the_whole_list() {
    let (world, numbers, _) = behind(7).await;
    let [all] = &pages(&world, UndeliveredFilter::default(), 100).await[..] else {
        panic!("one page")
    };
    let listed: Vec<_> = all.iter().map(|event| (event.kind.as_str(), event.number)).collect();
    let expected: Vec<_> = ["rabbitmq", "cloud_pubsub"]
        .into_iter()
        .flat_map(|kind| numbers.iter().map(move |number| (kind, *number)))
        .collect();
    assert_eq!(listed, expected, "by destination, and in each by number");
    assert_eq!(
        (all[0].state, all[1].state, all[2].state),
        (
            DeliveryState::Parked,
            DeliveryState::Held,
            DeliveryState::Waiting(at(NOW))
        )
    );
    assert_eq!((all[0].attempts, all[0].reason.as_str()), (3, "refused"));
    for limit in [1, 2, 3, 7, 13, 14] {
        let parts = pages(&world, UndeliveredFilter::default(), limit).await;
        assert_eq!(parts.len(), 14_usize.div_ceil(limit), "no page is empty");
        assert_eq!(parts.concat(), *all);
    }
    for state in ["waiting", "held", "parked", "brand_new"] {
        let expected: Vec<_> = (all.iter())
            .filter(|event| match event.state {
                DeliveryState::Waiting(_) => state == "waiting",
                DeliveryState::Held => state == "held",
                DeliveryState::Parked => state == "parked",
            })
            .cloned()
            .collect();
        for limit in [1, 2, 3, 100] {
            assert_eq!(
                pages(&world, of_state(state), limit).await.concat(),
                expected,
                "{state}"
            );
        }
    }
}

#[tokio::test]
async fn only_the_own_organisation_and_the_named_team_are_listed() {
    let (world, numbers, _) = behind(3).await;
    world
        .write(|write| {
            write.put_user(world.sister, &user(world.sister, 8, NOW))?;
            write.put_user(world.stranger, &user(world.stranger, 9, NOW))
        })
        .await;
    // Their ids are between those of the own organisation.
    let strange = destination(&world, world.stranger, "rabbitmq").await;
    let sister = destination(&world, world.sister, "rabbitmq").await;
    for destination in [strange, sister] {
        advance(&world, destination, vec![(numbers[0], progress(0))]).await;
    }
    let kinds = |events: &[Undelivered]| events.iter().map(|event| event.team_id).collect::<Vec<_>>();
    let all = pages(&world, UndeliveredFilter::default(), 2).await.concat();
    let (ours, theirs) = (world.team.uuid(), world.sister.uuid());
    assert_eq!(kinds(&all), [ours, ours, ours, ours, ours, ours, theirs]);
    let of = |team: TeamId| UndeliveredFilter {
        team_id: Some(team.uuid()),
        ..UndeliveredFilter::default()
    };
    assert_eq!(kinds(&pages(&world, of(world.sister), 2).await.concat()), [theirs]);
    let reads = world.store.organisation(&world.ours);
    assert_eq!(reads.undelivered(&of(world.stranger), 2).await.expect("reads"), None);
    assert_eq!(
        reads.destinations(Some(world.stranger.uuid())).await.expect("reads"),
        None
    );
}

//! Log of an organisation: complete and in order, only of its own teams, with the position of deleted events.

use chrono::{DateTime, TimeDelta};
use serde_json::json;
use uuid::Uuid;
use wearlab_store::{
    EventRetention, Ingestion, LogFilter, LogPage, LogRead, OrganisationId, TeamId, Transaction, ValidArrival,
};

use crate::arriving::{AT, NO_FORMS, arrival, at, ingestion, log};
use crate::world::{World, connection, user};

const USERS: u128 = 3;

/// Creates a world in which each team has users with a connection.
async fn world() -> World {
    let world = World::new().await;
    let teams = [world.team, world.sister, world.stranger];
    world
        .write(|write| {
            for team in teams {
                for id in 0..USERS {
                    write.put_user(team, &user(team, of(team, id).as_u128(), AT))?;
                    write.put_connection(team, of(team, id), &connection("stridewell", AT))?;
                }
            }
            Ok(())
        })
        .await;
    world
}

/// Returns a user of a team.
fn of(team: TeamId, id: u128) -> Uuid {
    Uuid::from_u128(team.uuid().as_u128() * 100 + id)
}

fn data(team: TeamId, id: u128, resource: &str, value: u32) -> ValidArrival {
    let sample = json!({"timestamp": "2026-05-01T10:00:00Z", "value": value});
    let fields = json!({"team_id": team.uuid(), "user_id": of(team, id), "resource": resource, "data": [sample]});
    arrival("data", fields)
}

async fn written(world: &World, arrivals: &[ValidArrival]) {
    let each = |write: &mut Transaction<'_>| {
        arrivals
            .iter()
            .try_for_each(|arrival| write.ingest(arrival, &ingestion(NO_FORMS)).map(drop))
    };
    world.write(each).await;
}

async fn read(world: &World, organisation: &OrganisationId, filter: &LogFilter, limit: usize) -> LogRead {
    let store = world.store.organisation(organisation);
    store.events(filter, limit).await.expect("reads")
}

async fn page(world: &World, organisation: &OrganisationId, filter: &LogFilter, limit: usize) -> LogPage {
    match read(world, organisation, filter, limit).await {
        LogRead::Page(page) => page,
        other => panic!("{other:?}"),
    }
}

/// Reads all numbers in pages of a size, and the last position.
async fn walk(world: &World, organisation: &OrganisationId, filter: &LogFilter, limit: usize) -> (Vec<i64>, i64) {
    let (mut numbers, mut filter) = (Vec::new(), filter.clone());
    loop {
        let page = page(world, organisation, &filter, limit).await;
        assert!(page.events.len() <= limit && page.last >= filter.after);
        numbers.extend(page.events.iter().map(|event| event.number));
        assert!(page.events.iter().all(|event| event.number <= page.last));
        filter.after = page.last;
        if !page.more {
            return (numbers, page.last);
        }
    }
}

/// Reads all numbers in pages of a size, backwards from the end.
async fn walk_back(world: &World, organisation: &OrganisationId, filter: &LogFilter, limit: usize) -> Vec<i64> {
    let (mut numbers, mut filter) = (Vec::new(), filter.clone());
    filter.before = Some(i64::MAX);
    loop {
        let page = page(world, organisation, &filter, limit).await;
        assert!(page.events.len() <= limit && filter.before > Some(page.last));
        numbers.extend(page.events.iter().map(|event| event.number));
        assert!(page.events.iter().all(|event| event.number >= page.last));
        filter.before = Some(page.last);
        if !page.more {
            return numbers;
        }
    }
}

#[tokio::test]
async fn each_organisation_reads_its_own_events_in_order_by_any_filter() {
    let world = world().await;
    let mut arrivals = Vec::new();
    for value in 0..30 {
        let team = [world.team, world.stranger, world.sister][value as usize % 3];
        let resource = if value % 2 == 0 { "steps" } else { "heartrate" };
        arrivals.push(data(team, u128::from(value) / 3 % USERS, resource, value));
    }
    written(&world, &arrivals).await;
    let all = log(&world.store).await;
    let head = all.last().expect("events").number;
    let teams = [world.team.uuid(), world.sister.uuid()];
    for (organisation, teams) in [(&world.ours, &teams[..]), (&world.theirs, &[world.stranger.uuid()][..])] {
        let users: Vec<Uuid> = (0..USERS)
            .flat_map(|id| teams.iter().map(move |team| Uuid::from_u128(team.as_u128() * 100 + id)))
            .collect();
        for team in [None].into_iter().chain(teams.iter().copied().map(Some)) {
            for user in [None].into_iter().chain(users.iter().copied().map(Some)) {
                for prefix in [None, Some("daily.data.heart"), Some("weekly")] {
                    let filter = LogFilter {
                        after: 0,
                        before: None,
                        team_id: team,
                        user_id: user,
                        event_type_prefix: prefix.map(str::to_owned),
                    };
                    let expected: Vec<i64> = all
                        .iter()
                        .filter(|event| teams.contains(&event.team_id))
                        .filter(|event| team.is_none_or(|team| event.team_id == team))
                        .filter(|event| user.is_none_or(|user| event.user_id == user))
                        .filter(|event| prefix.is_none_or(|prefix| event.event_type.starts_with(prefix)))
                        .map(|event| event.number)
                        .collect();
                    if expected.is_empty() && user.is_some() && prefix.is_none() {
                        let read = read(&world, organisation, &filter, 10).await;
                        assert!(matches!(read, LogRead::NoUser), "{filter:?} {read:?}");
                        continue;
                    }
                    if user.is_some_and(|user| team.is_some_and(|team| user.as_u128() / 100 != team.as_u128())) {
                        continue;
                    }
                    for limit in [1, 3, 100] {
                        let (numbers, last) = walk(&world, organisation, &filter, limit).await;
                        assert_eq!(numbers, expected, "{filter:?} by {limit}");
                        assert_eq!(last, head, "it advances whatever the filters leave out");
                        let mut newest_first = expected.clone();
                        newest_first.reverse();
                        assert_eq!(walk_back(&world, organisation, &filter, limit).await, newest_first);
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_anothers_is_not_there() {
    let world = world().await;
    let stranger = world.stranger;
    written(
        &world,
        &[data(world.team, 0, "steps", 1), data(stranger, 0, "steps", 1)],
    )
    .await;
    let filter = LogFilter::default;
    for team_id in [stranger.uuid(), Uuid::nil()] {
        let team = LogFilter {
            team_id: Some(team_id),
            ..filter()
        };
        assert!(matches!(read(&world, &world.ours, &team, 1).await, LogRead::NoTeam));
    }
    for user_id in [of(stranger, 0), Uuid::nil()] {
        let user = LogFilter {
            user_id: Some(user_id),
            ..filter()
        };
        assert!(matches!(read(&world, &world.ours, &user, 1).await, LogRead::NoUser));
        let both = LogFilter {
            team_id: Some(world.team.uuid()),
            ..user
        };
        assert!(matches!(read(&world, &world.ours, &both, 1).await, LogRead::NoUser));
    }
    for event in log(&world.store).await {
        for (organisation, team) in [(&world.ours, world.team), (&world.theirs, stranger)] {
            let found = world.store.organisation(organisation).event(&event.event_id).await;
            let found = found.expect("reads").map(|event| event.number);
            assert_eq!(found, (event.team_id == team.uuid()).then_some(event.number));
        }
    }
    let last = world.store.last_event().await.expect("reads");
    let ahead = LogFilter {
        after: last + 1,
        ..filter()
    };
    assert!(matches!(
        read(&world, &world.ours, &ahead, 1).await,
        LogRead::AheadOfLog
    ));
    let woken = world.store.organisations_with_events(0).await.expect("reads");
    let all = log(&world.store).await;
    let mut expected: Vec<_> = [("org_ours", world.team), ("org_theirs", stranger)]
        .map(|(organisation, team)| {
            let mut events = all.iter().rev();
            let event = events.find(|event| event.team_id == team.uuid()).expect("an event");
            (organisation.to_owned(), event.number)
        })
        .into();
    let mut woken = woken;
    woken.sort();
    expected.sort();
    assert_eq!(woken, expected);
    assert_eq!(world.store.organisations_with_events(last).await.expect("reads"), []);
}

#[tokio::test]
async fn a_user_id_that_two_teams_have_is_read_of_both() {
    let world = world().await;
    let shared = of(world.team, 0);
    let sister = world.sister;
    world
        .write(|write| {
            write.put_user(sister, &user(sister, shared.as_u128(), AT))?;
            write.put_connection(sister, shared, &connection("stridewell", AT))
        })
        .await;
    let of_sister = json!({"team_id": sister.uuid(), "user_id": shared});
    written(&world, &[data(world.team, 0, "steps", 1), arrival("data", of_sister)]).await;
    let filter = LogFilter {
        user_id: Some(shared),
        ..LogFilter::default()
    };
    let all: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    assert_eq!(walk(&world, &world.ours, &filter, 1).await.0, all);
}

#[tokio::test]
async fn a_log_that_is_long_is_looked_through_a_part_at_a_time() {
    let world = world().await;
    let stranger = world.stranger;
    world
        .write(|write| {
            (0..17_000).try_for_each(|_| {
                write.log(stranger, of(stranger, 0), &ingestion(NO_FORMS), |envelope| {
                    let event = json!({"event_type": "e", "user_id": envelope.user_id, "event_id": envelope.event_id});
                    Ok(serde_json::from_value(event).expect("an event"))
                })
            })
        })
        .await;
    written(&world, &[data(world.team, 0, "steps", 1)]).await;
    let first = page(&world, &world.ours, &LogFilter::default(), 100).await;
    assert!(first.events.is_empty() && first.more, "not all at once");
    assert!((10_000..30_000).contains(&first.last), "{}", first.last);
    let head = world.store.last_event().await.expect("reads");
    assert_eq!(
        walk(&world, &world.ours, &LogFilter::default(), 100).await,
        (vec![head], head)
    );
    let team = LogFilter {
        team_id: Some(world.team.uuid()),
        ..LogFilter::default()
    };
    let by_index = page(&world, &world.ours, &team, 100).await;
    assert_eq!(
        (by_index.events.len(), by_index.more),
        (1, false),
        "an index leads there"
    );
}

#[tokio::test]
async fn whoever_was_away_for_long_sees_what_is_missing() {
    let world = world().await;
    let first = page(&world, &world.ours, &LogFilter::default(), 10).await;
    assert_eq!((first.last, first.more, first.complete_after), (0, false, 0));
    let now = at("2026-06-10T12:00:00Z");
    for ago in (0..10).rev() {
        let ingestion = Ingestion {
            now: now - TimeDelta::days(ago),
            ..ingestion(NO_FORMS)
        };
        let value = data(world.team, 0, "steps", u32::try_from(ago).expect("few"));
        world.write(|write| write.ingest(&value, &ingestion)).await;
    }
    let numbers: Vec<i64> = log(&world.store).await.iter().map(|event| event.number).collect();
    let prune = |days: i64| {
        let before = now - TimeDelta::days(days) - TimeDelta::hours(1);
        let retention = EventRetention {
            now,
            delivered: before,
            undelivered: DateTime::UNIX_EPOCH,
        };
        world.store.write(move |write| write.prune(&retention, 0, 1000))
    };
    for kept in [6, 6, 3] {
        prune(kept - 1).await.expect("prunes");
        let kept = usize::try_from(kept).expect("few");
        let oldest = numbers[numbers.len() - kept];
        let page = page(&world, &world.ours, &LogFilter::default(), 100).await;
        assert_eq!((page.events.len(), page.complete_after), (kept, oldest - 1));
    }
    // Nothing is left, and the position stays valid.
    prune(-1).await.expect("prunes");
    let head = numbers[numbers.len() - 1];
    for after in [0, head] {
        let filter = LogFilter {
            after,
            ..LogFilter::default()
        };
        let page = page(&world, &world.ours, &filter, 100).await;
        assert_eq!((page.last, page.complete_after), (after, head), "{page:?}");
        assert!(page.events.is_empty() && !page.more);
    }
    written(&world, &[data(world.team, 0, "steps", 99)]).await;
    let filter = LogFilter {
        after: head,
        ..LogFilter::default()
    };
    let next = page(&world, &world.ours, &filter, 100).await;
    assert_eq!((next.events.len(), next.complete_after), (1, head));
}

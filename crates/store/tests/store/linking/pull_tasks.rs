//! Tasks of connectors: which a connection has, and when they are due.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use wearlab_store::{LeasedPullTask, NewPullTask, PullTask, PullTaskUpdate, StoreError};

use super::{link, linking, now, user_id};
use crate::world::World;

pub(super) fn minutes(minutes: i64) -> DateTime<Utc> {
    now() + TimeDelta::minutes(minutes)
}

/// Leases tasks of `stridewell` for ten minutes.
pub(super) async fn lease(world: &World, now: DateTime<Utc>, limit: usize) -> Vec<LeasedPullTask> {
    let until = now + TimeDelta::minutes(10);
    world
        .write(|write| write.lease_pull_tasks(&["stridewell"], now, until, limit, Uuid::new_v4))
        .await
}

pub(super) fn new(name: &str, priority: u8, due: DateTime<Utc>) -> NewPullTask {
    NewPullTask {
        name: name.to_owned(),
        priority,
        due,
        state: format!(r#"{{"of":"{name}"}}"#),
    }
}

pub(super) fn next(due: Option<DateTime<Utc>>) -> PullTaskUpdate {
    PullTaskUpdate {
        due,
        state: r#"{"page":2}"#.to_owned(),
        failures: 0,
        reason: None,
    }
}

pub(super) async fn finish(world: &World, task: &LeasedPullTask, update: &PullTaskUpdate, now: DateTime<Utc>) -> bool {
    world.write(|write| write.finish_pull_task(task, update, now)).await
}

/// Returns the tasks of the user.
pub(super) async fn tasks(world: &World) -> Vec<PullTask> {
    let tasks = world.store.pull_tasks(world.team, user_id()).await;
    tasks.expect("reads")
}

pub(super) async fn task(world: &World, name: &str) -> PullTask {
    let tasks = tasks(world).await;
    tasks.into_iter().find(|task| task.name == name).expect("the task")
}

async fn next_due(world: &World) -> Option<DateTime<Utc>> {
    let next = world.store.next_pull_task_due(&["pulsely", "stridewell"]).await;
    next.expect("reads")
}

/// Minimum interval between a success and a request.
const INTERVAL: TimeDelta = TimeDelta::minutes(2);

async fn hasten(world: &World, now: DateTime<Utc>) -> bool {
    world
        .write(|write| write.hasten_pull_tasks(world.team, user_id(), "stridewell", INTERVAL, now))
        .await
}

/// Links the user, and adds tasks to the connection, whose first one has nothing more to do then.
pub(super) async fn with_tasks(new: &[NewPullTask]) -> World {
    let world = linking().await;
    link(&world, 1).await;
    let leased = lease(&world, minutes(2), 9).await;
    let finished = world
        .write(|write| {
            write.add_pull_tasks(&leased[0], new)?;
            write.finish_pull_task(&leased[0], &next(None), minutes(3))
        })
        .await;
    assert!(finished);
    world
}

#[tokio::test]
async fn a_link_starts_with_one_task() {
    let world = linking().await;
    assert!(tasks(&world).await.is_empty());
    assert_eq!(next_due(&world).await, None);
    link(&world, 1).await;
    let link = PullTask {
        provider: "stridewell".to_owned(),
        name: "link".to_owned(),
        due: Some(minutes(1)),
        leased_until: None,
        failures: 0,
        reason: None,
        attempted_on: None,
        state: "{}".to_owned(),
    };
    assert_eq!(tasks(&world).await, std::slice::from_ref(&link));
    assert_eq!(next_due(&world).await, Some(minutes(1)));
    assert!(lease(&world, now(), 9).await.is_empty(), "it is too early");

    let leased = lease(&world, minutes(2), 9).await;
    assert_eq!(leased.len(), 1);
    let task = &leased[0];
    assert_eq!(
        (&task.organisation, task.team, task.user_id),
        (&world.ours, world.team, user_id())
    );
    assert_eq!((task.provider.as_str(), task.name.as_str()), ("stridewell", "link"));
    assert_eq!(
        (task.created_on, task.failures, task.state.as_str()),
        (minutes(1), 0, "{}")
    );
    let held = PullTask {
        due: None,
        leased_until: Some(minutes(12)),
        ..link.clone()
    };
    assert_eq!(tasks(&world).await, [held]);
    assert_eq!(next_due(&world).await, Some(minutes(12)));

    let failed = PullTaskUpdate {
        due: Some(minutes(30)),
        state: r#"{"page":2}"#.to_owned(),
        failures: 3,
        reason: Some("unavailable".to_owned()),
    };
    assert!(finish(&world, task, &failed, minutes(4)).await);
    let expected = PullTask {
        due: failed.due,
        failures: failed.failures,
        reason: failed.reason,
        state: failed.state,
        attempted_on: Some(minutes(4)),
        ..link
    };
    assert_eq!(tasks(&world).await, [expected]);
    assert_eq!(next_due(&world).await, Some(minutes(30)));
    assert_eq!(lease(&world, minutes(30), 9).await[0].failures, 3);
}

#[tokio::test]
async fn an_interrupted_task_is_due_and_keeps_its_last_failure() {
    let world = linking().await;
    link(&world, 1).await;
    let failed = PullTaskUpdate {
        failures: 3,
        reason: Some("unavailable".to_owned()),
        ..next(Some(minutes(30)))
    };
    let first = lease(&world, minutes(2), 1).await;
    assert!(finish(&world, &first[0], &failed, minutes(4)).await);
    let before = task(&world, "link").await;
    let second = lease(&world, minutes(30), 1).await;
    for (lease, held) in [(&first[0], Some(minutes(40))), (&second[0], None)] {
        world.write(|write| write.release_pull_task(lease, minutes(31))).await;
        assert_eq!(task(&world, "link").await.leased_until, held);
    }
    let due = Some(minutes(31));
    assert_eq!(task(&world, "link").await, PullTask { due, ..before });
    assert_eq!(next_due(&world).await, due);
}

#[tokio::test]
async fn a_second_link_restarts_all_tasks() {
    let world = with_tasks(&[new("recent:sleep", 1, minutes(3)), new("history:sleep", 2, minutes(3))]).await;
    let leased = lease(&world, minutes(3), 9).await;
    assert_eq!(leased.len(), 2);
    link(&world, 5).await;
    let restarted = tasks(&world).await;
    assert_eq!(restarted.len(), 1);
    assert_eq!((restarted[0].name.as_str(), restarted[0].attempted_on), ("link", None));
    assert_eq!(restarted[0].leased_until, None);
    for task in &leased {
        assert!(!finish(&world, task, &next(None), minutes(4)).await);
        let renewed = world.write(|write| write.renew_pull_task(task, minutes(30))).await;
        assert!(!renewed);
    }
    assert_eq!(tasks(&world).await, restarted);
    assert_eq!(lease(&world, minutes(6), 9).await.len(), 1);
}

#[tokio::test]
async fn an_existing_task_keeps_its_state_and_is_due_at_the_earlier_time() {
    let world = with_tasks(&[
        new("recent:sleep", 1, minutes(60)),
        new("recent:workouts", 1, minutes(5)),
    ])
    .await;
    let leased = lease(&world, minutes(5), 9).await;
    assert_eq!(leased.len(), 1);
    let add = async |due| {
        let new = ["recent:sleep", "recent:workouts", "link"].map(|name| NewPullTask {
            state: r#"{"other":1}"#.to_owned(),
            ..new(name, 0, due)
        });
        world.write(|write| write.add_pull_tasks(&leased[0], &new)).await;
    };
    for (added, expected) in [(90, [60, 90, 90]), (20, [20, 20, 20]), (40, [20, 20, 20])] {
        add(minutes(added)).await;
        let mut found = Vec::new();
        for name in ["recent:sleep", "recent:workouts", "link"] {
            found.push(task(&world, name).await.due);
        }
        assert_eq!(found, expected.map(|due| Some(minutes(due))), "{added}");
    }
    let sleep = task(&world, "recent:sleep").await;
    assert_eq!(sleep.state, r#"{"of":"recent:sleep"}"#);
    assert_eq!(task(&world, "link").await.state, r#"{"page":2}"#);
    // The leased one stays leased, and is due again afterwards.
    assert_eq!(task(&world, "recent:workouts").await.leased_until, Some(minutes(15)));
    assert!(lease(&world, minutes(14), 9).await.is_empty());
    assert!(finish(&world, &leased[0], &next(Some(minutes(50))), minutes(14)).await);
    assert_eq!(task(&world, "recent:workouts").await.due, Some(minutes(20)));
    let names: Vec<_> = lease(&world, minutes(20), 9)
        .await
        .into_iter()
        .map(|task| task.name)
        .collect();
    assert_eq!(
        names,
        ["link", "recent:sleep", "recent:workouts"],
        "the priority stays, too"
    );
}

#[tokio::test]
async fn tasks_of_the_last_days_are_hastened() {
    let world = with_tasks(&[
        new("recent:sleep", 1, minutes(60)),
        new("recent:workouts", 1, minutes(4)),
        new("recently_%", 1, minutes(60)),
        new("history:sleep", 2, minutes(60)),
    ])
    .await;
    let leased = lease(&world, minutes(5), 9).await;
    assert_eq!(leased.len(), 1);
    assert!(hasten(&world, minutes(10)).await);
    for (name, due) in [
        ("recent:sleep", Some(minutes(10))),
        ("recent:workouts", Some(minutes(10))),
        ("recently_%", Some(minutes(60))),
        ("history:sleep", Some(minutes(60))),
        ("link", None),
    ] {
        assert_eq!(task(&world, name).await.due, due, "{name}");
    }
    assert_eq!(next_due(&world).await, Some(minutes(10)));
    // It may have read before there was anything: it is repeated, even if it has nothing more to do.
    assert!(finish(&world, &leased[0], &next(None), minutes(11)).await);
    assert_eq!(task(&world, "recent:workouts").await.due, Some(minutes(10)));

    let (team, stranger) = (world.team, world.stranger);
    for (team, user_id, slug) in [
        (team, user_id(), "pulsely"),
        (team, Uuid::from_u128(99), "stridewell"),
        (stranger, user_id(), "stridewell"),
    ] {
        let hastened = world
            .write(|write| write.hasten_pull_tasks(team, user_id, slug, INTERVAL, minutes(12)))
            .await;
        assert!(!hastened, "{slug}");
    }
}

#[tokio::test]
async fn a_task_that_succeeded_a_moment_ago_is_not_hastened() {
    let world = with_tasks(&[new("recent:sleep", 1, minutes(3)), new("recent:heart", 1, minutes(3))]).await;
    for task in lease(&world, minutes(3), 9).await {
        let update = PullTaskUpdate {
            reason: (task.name == "recent:heart").then(|| "forbidden".to_owned()),
            ..next(Some(minutes(60)))
        };
        assert!(finish(&world, &task, &update, minutes(4)).await);
    }
    assert!(hasten(&world, minutes(5)).await);
    assert_eq!(task(&world, "recent:sleep").await.due, Some(minutes(60)));
    assert_eq!(task(&world, "recent:heart").await.due, Some(minutes(5)), "it failed");
    assert!(hasten(&world, minutes(6)).await);
    assert_eq!(task(&world, "recent:sleep").await.due, Some(minutes(6)));
}

#[tokio::test]
async fn tasks_end_with_their_connection_and_their_user() {
    let world = with_tasks(&[new("recent:sleep", 1, minutes(3))]).await;
    let leased = lease(&world, minutes(3), 9).await;
    world
        .write(|write| write.delete_connection(world.team, user_id(), "stridewell"))
        .await;
    assert!(tasks(&world).await.is_empty());
    assert!(!finish(&world, &leased[0], &next(None), minutes(4)).await);
    // Nothing is added to it, either.
    world
        .write(|write| write.add_pull_tasks(&leased[0], &[new("recent:naps", 1, minutes(4))]))
        .await;
    // The queues are still due, until the next lease.
    assert!(next_due(&world).await.is_some());
    assert!(lease(&world, minutes(60), 9).await.is_empty());
    assert_eq!(next_due(&world).await, None);

    link(&world, 5).await;
    assert_eq!(lease(&world, minutes(6), 9).await.len(), 1);
    assert!(world.store.forget(world.team, user_id()).await.expect("forgets"));
    assert_eq!(crate::place::count(world.directory.path(), "pull_tasks").await, 0);
    assert!(lease(&world, minutes(60), 9).await.is_empty());
    assert_eq!(next_due(&world).await, None);
}

#[tokio::test]
async fn names_that_are_empty_or_too_long_are_refused() {
    let world = linking().await;
    link(&world, 1).await;
    let leased = lease(&world, minutes(2), 9).await;
    for (name, fits) in [
        (String::new(), false),
        ("ü".repeat(100), true),
        ("u".repeat(101), false),
    ] {
        let added = world
            .store
            .write(|write| write.add_pull_tasks(&leased[0], &[new(&name, 1, minutes(3))]))
            .await;
        match added {
            Ok(()) => assert!(fits, "{name}"),
            Err(error) => assert!(
                !fits && matches!(error, StoreError::Refused { .. }),
                "{name}: {error:?}"
            ),
        }
    }
    assert_eq!(tasks(&world).await.len(), 2);
}

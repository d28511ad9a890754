//! Leases of the tasks of connectors.

use std::collections::BTreeSet;
use std::thread;

use chrono::TimeDelta;
use uuid::Uuid;
use wearlab_store::{LeasedPullTask, StoreError, TeamId, Transaction};

use super::pull_tasks::{finish, lease, minutes, new, next, tasks};
use super::{NOW, ingestion, link, linking, now, tokens};
use crate::arriving;
use crate::place::open;
use crate::world::{World, connection, user};

/// Links users of a team, from a number on.
fn put(
    write: &Transaction<'_>,
    team: TeamId,
    slug: &str,
    users: impl IntoIterator<Item = u128>,
) -> Result<(), StoreError> {
    for id in users {
        let user_id = Uuid::from_u128(id);
        write.put_user(team, &user(team, id, NOW))?;
        // Those of later users are due later.
        let due = now() + TimeDelta::milliseconds(i64::try_from(id).expect("fits"));
        write.put_connection(team, user_id, &connection(slug, &due.to_rfc3339()))?;
        write.put_tokens(team, user_id, slug, &tokens(1), None, Uuid::new_v4())?;
    }
    Ok(())
}

fn users(tasks: &[LeasedPullTask]) -> Vec<u128> {
    tasks.iter().map(|task| task.user_id.as_u128()).collect()
}

#[tokio::test]
async fn one_process_at_a_time_has_a_task() {
    let world = linking().await;
    link(&world, 1).await;
    let first = lease(&world, minutes(2), 9).await;
    assert_eq!(first.len(), 1);
    assert!(lease(&world, minutes(11), 9).await.is_empty(), "somebody has it");
    assert!(world.write(|write| write.renew_pull_task(&first[0], minutes(14))).await);
    assert!(lease(&world, minutes(13), 9).await.is_empty(), "its lease is longer");

    // The process has died, or so it seems.
    let second = lease(&world, minutes(14), 9).await;
    assert_eq!(
        (second.len(), &second[0].name, second[0].failures),
        (1, &first[0].name, 0)
    );
    assert!(!finish(&world, &first[0], &next(None), minutes(15)).await);
    assert!(!world.write(|write| write.renew_pull_task(&first[0], minutes(60))).await);
    let held = tasks(&world).await;
    assert_eq!(
        (held[0].leased_until, held[0].state.as_str()),
        (Some(minutes(24)), "{}")
    );
    // A lease that nobody took over is finished late.
    assert!(finish(&world, &second[0], &next(Some(minutes(40))), minutes(30)).await);
    assert!(
        !finish(&world, &second[0], &next(None), minutes(30)).await,
        "it has ended"
    );
    let done = tasks(&world).await;
    assert_eq!((done[0].due, done[0].leased_until), (Some(minutes(40)), None));
}

#[tokio::test]
async fn the_first_priority_and_the_longest_due_go_first() {
    let world = linking().await;
    link(&world, 1).await;
    let first = lease(&world, minutes(2), 9).await;
    let more = [
        new("history", 2, minutes(3)),
        new("late", 1, minutes(5)),
        new("early", 1, minutes(4)),
        new("to come", 1, minutes(60)),
    ];
    world.write(|write| write.add_pull_tasks(&first[0], &more)).await;
    assert!(finish(&world, &first[0], &next(Some(minutes(6))), minutes(3)).await);
    let mut names = Vec::new();
    for limit in [0, 1, 2, 9] {
        let leased = lease(&world, minutes(10), limit).await;
        assert!(leased.len() <= limit);
        names.push(leased.into_iter().map(|task| task.name).collect::<Vec<_>>());
    }
    assert_eq!(names, [vec![], vec!["link"], vec!["early", "late"], vec!["history"]]);
    let due = world.store.next_pull_task_due(&["stridewell"]).await.expect("reads");
    assert_eq!(due, Some(minutes(20)), "leases end before the next task is due");
}

#[tokio::test]
async fn teams_take_turns() {
    let world = linking().await;
    world
        .write(|write| {
            put(write, world.team, "stridewell", 1000..1040)?;
            put(write, world.sister, "stridewell", [2000, 2001])?;
            put(write, world.stranger, "stridewell", [3000])?;
            // Providers without a connector.
            put(write, world.stranger, "pulsely", [3000, 3001])
        })
        .await;
    let due = minutes(1);
    // Those of the first team are due longest.
    assert_eq!(users(&lease(&world, due, 2).await), [1000, 2000]);
    assert_eq!(users(&lease(&world, due, 1).await), [3000]);
    let leased = lease(&world, minutes(2), 7).await;
    let expected: Vec<_> = (1001..1004).chain([2001]).chain(1004..1007).collect();
    assert_eq!(users(&leased), expected, "shares that are not used are those of others");
    assert_eq!(users(&lease(&world, due, 100).await), (1007..1040).collect::<Vec<_>>());
    assert!(lease(&world, due, 100).await.is_empty());

    // A team that has just had its turn is behind those that wait.
    world
        .write(|write| {
            put(write, world.team, "stridewell", 1040..1060)?;
            put(write, world.sister, "stridewell", 2040..2060)
        })
        .await;
    let mut turns = Vec::new();
    for second in 0..20 {
        let leased = lease(&world, minutes(3) + TimeDelta::seconds(second), 1).await;
        turns.push(leased[0].team);
    }
    turns.dedup();
    assert_eq!(turns.len(), 20);
    // One lease is of several providers.
    let slugs = ["stridewell", "pulsely", "tidalbeat"];
    let leased = world
        .write(|write| write.lease_pull_tasks(&slugs, minutes(4), minutes(6), 100, Uuid::new_v4))
        .await;
    assert_eq!(leased.len(), 22);
    assert_eq!(leased.iter().filter(|task| task.provider == "pulsely").count(), 2);
    let nothing = world
        .write(|write| write.lease_pull_tasks(&[], minutes(4), minutes(6), 100, Uuid::new_v4))
        .await;
    assert!(nothing.is_empty());
    assert_eq!(world.store.next_pull_task_due(&[]).await.expect("reads"), None);
}

#[tokio::test]
async fn values_and_the_end_of_a_lease_commit_together() {
    let world = linking().await;
    world
        .write(|write| put(write, world.team, "stridewell", [arriving::USER]))
        .await;
    let pull = async |task: &LeasedPullTask, value| {
        let pulled = world.store.write(|write| {
            let arrival = arriving::day("2026-04-30", value);
            write.ingest(&arrival, &ingestion(minutes(3)))?;
            write.add_pull_tasks(task, &[new("recent:steps", 1, minutes(30))])?;
            match write.finish_pull_task(task, &next(None), minutes(3))? {
                true => Ok(()),
                false => Err(StoreError::Conflict {
                    what: "the lease was lost",
                }),
            }
        });
        pulled.await
    };
    let count = async || {
        let tasks = world
            .store
            .pull_tasks(world.team, Uuid::from_u128(arriving::USER))
            .await;
        (arriving::log(&world.store).await.len(), tasks.expect("reads").len())
    };
    let lost = lease(&world, minutes(2), 9).await;
    let held = lease(&world, minutes(12), 9).await;
    assert_eq!((lost.len(), held.len()), (1, 1));
    assert!(pull(&lost[0], 1).await.is_err());
    assert_eq!(count().await, (0, 1));
    pull(&held[0], 2).await.expect("writes");
    assert_eq!(count().await, (1, 2));
}

#[tokio::test]
async fn a_lease_that_is_not_committed_is_none() {
    let world = linking().await;
    link(&world, 1).await;
    let failed = world.store.write(|write| {
        let leased = write.lease_pull_tasks(&["stridewell"], minutes(2), minutes(12), 9, Uuid::new_v4)?;
        assert_eq!(leased.len(), 1);
        Err::<(), _>(StoreError::Conflict {
            what: "the process was killed",
        })
    });
    assert!(failed.await.is_err());
    assert_eq!(lease(&world, minutes(2), 9).await.len(), 1);
}

#[test]
fn several_processes_never_have_the_same_task() {
    const TASKS: u128 = 120;
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().expect("a runtime")
    };
    let world = runtime().block_on(linking());
    runtime().block_on(world.write(|write| {
        put(write, world.team, "stridewell", 100..100 + TASKS / 2)?;
        put(write, world.sister, "stridewell", 500..500 + TASKS / 2)
    }));
    let work = || {
        let runtime = runtime();
        let store = runtime.block_on(open(world.directory.path()));
        let mut leased = Vec::new();
        loop {
            let some =
                store.write(|write| write.lease_pull_tasks(&["stridewell"], minutes(5), minutes(15), 7, Uuid::new_v4));
            match runtime.block_on(some) {
                Ok(some) if some.is_empty() => return leased,
                Ok(some) => leased.extend(users(&some)),
                Err(error) => assert!(error.is_transient(), "{error:?}"),
            }
        }
    };
    let all: Vec<u128> = thread::scope(|scope| {
        let workers: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
        let workers = workers.into_iter().map(|worker| worker.join().expect("ends"));
        workers.flatten().collect()
    });
    assert_eq!(all.len(), usize::try_from(TASKS).expect("fits"));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

#[tokio::test]
async fn debug_texts_have_no_lease() {
    fn fixed() -> Uuid {
        Uuid::from_u128(0xfeed_beef)
    }
    let world: World = linking().await;
    link(&world, 1).await;
    let leased = world
        .write(|write| write.lease_pull_tasks(&["stridewell"], minutes(2), minutes(5), 1, fixed))
        .await;
    let text = format!("{leased:?}");
    assert!(text.contains("lease: PullLease(..)"), "{text}");
}

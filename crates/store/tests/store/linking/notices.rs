//! Notices of providers: the connections of an account, and tasks that become due.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::{AccountConnection, Ingested, PullTaskUpdate};

use super::pull_tasks::{finish, lease, minutes, new, next, tasks};
use super::{NOW, link, linking, user_id};
use crate::arriving;
use crate::world::{World, connection, user};

async fn connections(world: &World, slug: &str, account: &str) -> Vec<AccountConnection> {
    world.write(|write| write.connections_of_account(slug, account)).await
}

/// Links the user, whose account is `theirs`, with a task that is due in an hour.
async fn linked() -> (World, AccountConnection) {
    let world = linking().await;
    link(&world, 1).await;
    let leased = lease(&world, minutes(2), 1).await;
    world
        .write(|write| {
            write.put_provider_user(world.team, user_id(), "stridewell", Some("theirs"))?;
            write.add_pull_tasks(&leased[0], &[new("recent:steps", 1, minutes(60))])?;
            write.finish_pull_task(&leased[0], &next(None), minutes(2))
        })
        .await;
    let connection = connections(&world, "stridewell", "theirs").await.remove(0);
    (world, connection)
}

#[tokio::test]
async fn an_account_may_have_several_connections() {
    let (world, first) = linked().await;
    world
        .write(|write| {
            let other = Uuid::from_u128(12);
            write.put_user(world.team, &user(world.team, 12, NOW))?;
            for (slug, account) in [("stridewell", "theirs"), ("pulsely", "theirs")] {
                write.put_connection(world.team, other, &connection(slug, NOW))?;
                write.put_provider_user(world.team, other, slug, Some(account))?;
            }
            Ok(())
        })
        .await;
    let found = connections(&world, "stridewell", "theirs").await;
    assert_eq!(found[0], first);
    assert_eq!((first.team, first.user_id), (world.team, user_id()));
    assert_eq!(first.organisation, world.ours);
    let users: Vec<_> = found.iter().map(|one| one.user_id.as_u128()).collect();
    assert_eq!(users, [first.user_id.as_u128(), 12]);
    assert_eq!(connections(&world, "pulsely", "theirs").await.len(), 1);
    assert_eq!(connections(&world, "stridewell", "others").await, []);
    world
        .write(|write| write.delete_user(world.team, Uuid::from_u128(12)))
        .await;
    assert_eq!(connections(&world, "stridewell", "theirs").await, [first]);
}

#[tokio::test]
async fn a_requested_task_is_due_then_and_again_after_its_lease() {
    let (world, of) = linked().await;
    for (at, due) in [(20, 20), (10, 10), (30, 10)] {
        world
            .write(|write| write.request_pull_task(&of, "recent:steps", minutes(at)))
            .await;
        assert_eq!(tasks(&world).await[1].due, Some(minutes(due)));
    }
    let leased = lease(&world, minutes(10), 1).await;
    world
        .write(|write| write.request_pull_task(&of, "recent:steps", minutes(11)))
        .await;
    assert!(finish(&world, &leased[0], &next(Some(minutes(70))), minutes(12)).await);
    assert_eq!(tasks(&world).await[1].due, Some(minutes(11)));
    // One that does not exist yet.
    world
        .write(|write| write.request_pull_task(&of, "recent:naps", minutes(1)))
        .await;
    assert_eq!(tasks(&world).await.len(), 2);
}

#[tokio::test]
async fn a_notice_does_not_make_the_time_that_the_provider_named_earlier() {
    let (world, of) = linked().await;
    for (code, at, named, due) in [
        ("rate_limited", 60, 200, 200),
        ("retry_after", 200, 300, 300),
        ("failed", 300, 400, 301),
    ] {
        let leased = lease(&world, minutes(at), 1).await;
        let refused = PullTaskUpdate {
            failures: 1,
            reason: Some(code.to_owned()),
            ..next(Some(minutes(named)))
        };
        assert!(finish(&world, &leased[0], &refused, minutes(at)).await);
        world
            .write(|write| {
                write.request_pull_task(&of, "recent:steps", minutes(at + 1))?;
                write.replace_pull_task_state(&of, "recent:steps", code, minutes(at + 1))
            })
            .await;
        let task = &tasks(&world).await[1];
        assert_eq!((task.due, task.state.as_str()), (Some(minutes(due)), code));
    }
}

#[tokio::test]
async fn a_replaced_state_ends_the_lease_that_began_from_the_state_before() {
    let (world, of) = linked().await;
    let state = |name: &'static str| world.write(|write| write.pull_task_state(&of, name));
    assert_eq!(state("recent:naps").await, None);
    let leased = lease(&world, minutes(60), 1).await;
    assert_eq!(state("recent:steps").await.as_ref(), Some(&leased[0].state));
    world
        .write(|write| write.replace_pull_task_state(&of, "recent:steps", r#"{"days":2}"#, minutes(61)))
        .await;
    assert!(!finish(&world, &leased[0], &next(None), minutes(62)).await);
    let task = &tasks(&world).await[1];
    assert_eq!((task.due, task.leased_until), (Some(minutes(61)), None));
    assert_eq!(task.state, r#"{"days":2}"#);
    world
        .write(|write| write.replace_pull_task_state(&of, "recent:steps", "{}", minutes(90)))
        .await;
    assert_eq!(tasks(&world).await[1].due, Some(minutes(61)), "it is due earlier");
}

#[tokio::test]
async fn only_a_lease_in_force_ends() {
    let (world, of) = linked().await;
    let end = || world.write(|write| write.end_pull_lease(&of, "recent:steps", minutes(61)));
    end().await;
    assert_eq!(tasks(&world).await[1].due, Some(minutes(60)));
    let leased = lease(&world, minutes(60), 1).await;
    end().await;
    assert_eq!(tasks(&world).await[1].due, Some(minutes(61)));
    assert!(!finish(&world, &leased[0], &next(None), minutes(62)).await);
    assert_eq!(lease(&world, minutes(61) - TimeDelta::seconds(1), 1).await, []);
    assert_eq!(lease(&world, minutes(61), 1).await.len(), 1);
}

#[tokio::test]
async fn summaries_are_found_by_the_id_of_the_provider() {
    let world = arriving::world().await;
    let user_id = Uuid::from_u128(arriving::USER);
    world
        .write(|write| write.put_provider_user(world.team, user_id, "stridewell", Some("theirs")))
        .await;
    let of = connections(&world, "stridewell", "theirs").await.remove(0);
    let arrivals = [("a", "2026-05-01"), ("b", "2026-05-02")].map(|(id, date)| {
        let summary = json!({"provider_id": id, "calendar_date": date, "steps": 9000});
        arriving::arrival("data", json!({"resource": "activity", "date": date, "data": [summary]}))
    });
    assert_eq!(
        arriving::ingest(&world, &arrivals).await,
        [Ingested::Taken, Ingested::Taken]
    );
    let found = |resource: &'static ResourceName, id: &'static str| {
        let of = of.clone();
        world.write(move |write| write.summaries_of_provider_id(&of, resource, id))
    };
    let first = found(&ResourceName::Activity, "a").await;
    let days: Vec<_> = first.iter().map(|(_, day)| day.to_string()).collect();
    assert_eq!(days, ["2026-05-01"]);
    assert_ne!(found(&ResourceName::Activity, "b").await, first);
    assert!(found(&ResourceName::Activity, "c").await.is_empty());
    assert!(found(&ResourceName::Workouts, "a").await.is_empty());
}

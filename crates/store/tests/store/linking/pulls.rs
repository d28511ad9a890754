//! Pulls of connectors: requests for them, their place among historical pulls, and how long they are kept.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::{
    Ingested, Ingestion, IntrospectionFilter, LeasedPullTask, NewPullTask, PullBacklog, PullHistory, PullTaskUpdate,
};

use super::pull_tasks::{finish, lease, minutes, new, next, task, tasks, with_tasks};
use super::{USER, at, link, linking, user_id};
use crate::arriving::{self, NO_FORMS, arrival, try_ingest};
use crate::world::{World, connection, user};

const PULL: Uuid = Uuid::from_u128(5);

fn refused(due: DateTime<Utc>, code: &str, state: &str) -> PullTaskUpdate {
    PullTaskUpdate {
        due: Some(due),
        state: state.to_owned(),
        failures: 1,
        reason: Some(code.to_owned()),
    }
}

/// A history of two windows, whose next one has a number.
fn history(next: u32) -> String {
    let history = PullHistory {
        pull: PULL,
        end: "2026-05-02".parse().expect("a day"),
        days: 40,
        window_days: 30,
        next,
        resources: vec!["steps".into(), "floors_climbed".into()],
        scheduled_at: Some(minutes(3)),
    };
    serde_json::to_string(&history).expect("a state")
}

fn new_history() -> NewPullTask {
    NewPullTask {
        state: history(1),
        ..new("history:activity", 2, minutes(3))
    }
}

async fn only(world: &World, now: DateTime<Utc>) -> LeasedPullTask {
    let leased = lease(world, now, 9).await;
    assert_eq!(leased.len(), 1);
    leased.into_iter().next().expect("a task")
}

async fn pull_again(world: &World, history: bool, now: DateTime<Utc>) -> bool {
    world
        .write(|write| write.pull_again(world.team, user_id(), "stridewell", history, now))
        .await
}

/// Ingests a chunk of the pull of a resource.
async fn chunk(world: &World, resource: &str, number: u32, now: DateTime<Utc>) -> Ingested {
    chunk_of(world, &PULL.to_string(), resource, number, now).await
}

async fn chunk_of(world: &World, pull: &str, resource: &str, number: u32, now: DateTime<Utc>) -> Ingested {
    let date = format!("2026-05-{number:02}");
    let chunk = arrival(
        "data",
        json!({"user_id": user_id(), "resource": resource, "date": date, "data": [arriving::sample_of(&date, 1)],
            "pull": {"id": pull, "chunk": number, "chunks": 2}}),
    );
    let ingestion = Ingestion {
        now,
        ..arriving::ingestion(NO_FORMS)
    };
    try_ingest(&world.store, &chunk, &ingestion).await.expect("is taken")
}

/// Returns the historical pulls of `stridewell`, with their status and their error.
async fn pulls(world: &World) -> Value {
    let filter = IntrospectionFilter {
        user_id: Some(user_id()),
        ..IntrospectionFilter::default()
    };
    let page = world.store.team(world.team).historical_pulls(&filter, 9).await;
    let page = page.expect("reads").expect("the user");
    let pulls = &page.users[0].provider["stridewell"];
    let pulled = pulls.pulled.iter().map(|(name, pull)| {
        let since = pull.timeline.scheduled_at.to_utc() - minutes(0);
        json!([name, pull.status, since.num_minutes(), pull.error_details])
    });
    json!(pulled.collect::<Vec<_>>())
}

#[tokio::test]
async fn the_time_that_a_provider_named_is_not_made_earlier() {
    let world = with_tasks(&[new("recent:sleep", 1, minutes(3))]).await;
    for code in ["rate_limited", "retry_after"] {
        let now = task(&world, "recent:sleep").await.due.expect("a time");
        let leased = only(&world, now).await;
        // It is requested meanwhile.
        assert!(pull_again(&world, false, now).await);
        let due = now + (minutes(60) - minutes(0));
        assert!(finish(&world, &leased, &refused(due, code, "{}"), now).await);
        assert_eq!(task(&world, "recent:sleep").await.due, Some(due), "{code}");
        assert!(pull_again(&world, false, now).await);
        assert_eq!(task(&world, "recent:sleep").await.due, Some(due), "{code}");
    }
    assert!(pull_again(&world, true, minutes(70)).await);
    assert_eq!(tasks(&world).await.len(), 1);
    assert_eq!(task(&world, "link").await.due, Some(minutes(123)));
}

#[tokio::test]
async fn a_restart_waits_for_the_last_time_that_the_provider_named() {
    let world = with_tasks(&[new("recent:sleep", 1, minutes(3)), new_history()]).await;
    for leased in lease(&world, minutes(3), 9).await {
        let due = if leased.name == "history:activity" { 90 } else { 60 };
        let limited = refused(minutes(due), "rate_limited", &leased.state);
        assert!(finish(&world, &leased, &limited, minutes(3)).await);
    }
    assert!(pull_again(&world, true, minutes(4)).await);
    assert_eq!(task(&world, "link").await.due, Some(minutes(90)));
}

#[tokio::test]
async fn other_failures_are_tried_on_request() {
    let world = with_tasks(&[new("recent:sleep", 1, minutes(3)), new_history()]).await;
    let leased = lease(&world, minutes(3), 1).await;
    assert!(
        finish(
            &world,
            &leased[0],
            &refused(minutes(60), "unauthorized", "{}"),
            minutes(4)
        )
        .await
    );
    assert!(pull_again(&world, false, minutes(5)).await);
    let recent = task(&world, "recent:sleep").await;
    assert_eq!((recent.due, recent.failures), (Some(minutes(5)), 1));
    assert_eq!(task(&world, "history:activity").await.due, Some(minutes(3)));
    assert_eq!(task(&world, "link").await.due, None);

    assert!(pull_again(&world, true, minutes(6)).await);
    let restarted = tasks(&world).await;
    assert_eq!(restarted.len(), 1);
    assert_eq!(
        (restarted[0].name.as_str(), restarted[0].due),
        ("link", Some(minutes(6)))
    );
}

#[tokio::test]
async fn a_link_that_failed_is_tried_on_request() {
    let world = linking().await;
    link(&world, 1).await;
    let leased = only(&world, minutes(2)).await;
    // One in progress is not repeated: it would create the tasks of the history again.
    assert!(pull_again(&world, false, minutes(3)).await);
    assert!(finish(&world, &leased, &refused(minutes(900), "forbidden", "{}"), minutes(4)).await);
    assert_eq!(task(&world, "link").await.due, Some(minutes(900)));
    assert!(pull_again(&world, false, minutes(5)).await);
    assert_eq!(task(&world, "link").await.due, Some(minutes(5)));
    let leased = only(&world, minutes(5)).await;
    assert!(finish(&world, &leased, &refused(minutes(60), "retry_after", "{}"), minutes(6)).await);
    assert!(pull_again(&world, false, minutes(7)).await);
    assert_eq!(task(&world, "link").await.due, Some(minutes(60)));
    let leased = only(&world, minutes(60)).await;
    assert!(finish(&world, &leased, &next(None), minutes(61)).await);
    assert!(!pull_again(&world, false, minutes(62)).await, "it has no tasks");
    assert_eq!(task(&world, "link").await.due, None);
}

#[tokio::test]
async fn only_connections_of_a_connector_are_pulled_again() {
    let world = linking().await;
    assert!(!pull_again(&world, false, minutes(1)).await, "there is no connection");
    world
        .write(|write| write.put_connection(world.team, user_id(), &connection("stridewell", "2026-01-02T03:04:05Z")))
        .await;
    for history in [false, true] {
        assert!(!pull_again(&world, history, minutes(5)).await, "it was not linked here");
    }
    assert!(tasks(&world).await.is_empty());
    link(&world, 1).await;
    let of_others = world
        .write(|write| write.pull_again(world.stranger, user_id(), "stridewell", true, minutes(5)))
        .await;
    assert!(!of_others);
}

#[tokio::test]
async fn pulls_of_a_connector_are_among_the_historical_ones() {
    let world = with_tasks(&[new_history()]).await;
    let of_both =
        |status: &str, error: Value| json!([["steps", status, 3, error], ["floors_climbed", status, 3, error]]);
    assert_eq!(pulls(&world).await, of_both("scheduled", Value::Null));

    let leased = only(&world, minutes(3)).await;
    let limited = refused(minutes(9), "rate_limited", &history(1));
    assert!(finish(&world, &leased, &limited, minutes(4)).await);
    let error = json!("The provider limits requests. The next attempt is at 2026-05-01T10:09:00Z.");
    assert_eq!(pulls(&world).await, of_both("retrying", error));

    let leased = only(&world, minutes(9)).await;
    for resource in ["steps", "floors_climbed"] {
        assert_eq!(chunk(&world, resource, 1, minutes(9)).await, Ingested::Taken);
    }
    let first = PullTaskUpdate {
        state: history(2),
        ..next(Some(minutes(10)))
    };
    assert!(finish(&world, &leased, &first, minutes(9)).await);
    assert_eq!(pulls(&world).await, of_both("in_progress", Value::Null));
    assert_eq!(
        task(&world, "history:activity")
            .await
            .history()
            .expect("a history")
            .windows_done(),
        1
    );

    let leased = only(&world, minutes(10)).await;
    let forbidden = refused(minutes(100), "forbidden", &history(2));
    assert!(finish(&world, &leased, &forbidden, minutes(11)).await);
    let found = pulls(&world).await;
    assert_eq!(found[0][1], "failure", "{found}");
    let error = found[0][3].as_str().expect("a reason");
    assert!(error.contains("the user has to grant the permission"), "{error}");

    let leased = only(&world, minutes(100)).await;
    for resource in ["steps", "floors_climbed"] {
        assert_eq!(chunk(&world, resource, 2, minutes(100)).await, Ingested::Taken);
    }
    let last = PullTaskUpdate {
        state: history(3),
        ..next(None)
    };
    assert!(finish(&world, &leased, &last, minutes(100)).await);
    // Without a task, the time of the first chunk is the only one.
    assert_eq!(
        pulls(&world).await,
        json!([["steps", "success", 9, null], ["floors_climbed", "success", 9, null]])
    );
}

#[tokio::test]
async fn a_page_has_the_pulls_of_each_of_its_users() {
    let world = with_tasks(&[new_history()]).await;
    let earlier = "2026-01-01T00:00:00Z";
    world
        .write(|write| {
            write.put_user(world.team, &user(world.team, 7, earlier))?;
            write.put_connection(world.team, Uuid::from_u128(7), &connection("stridewell", earlier))
        })
        .await;
    try_ingest(
        &world.store,
        &arriving::chunk("p", 1, 2, 1),
        &arriving::ingestion(NO_FORMS),
    )
    .await
    .expect("is taken");
    let store = world.store.team(world.team);
    let page = store.historical_pulls(&IntrospectionFilter::default(), 9).await;
    let users = page.expect("reads").expect("a page").users;
    let found: Vec<_> = users
        .iter()
        .map(|user| {
            let pulled = user.provider.get("stridewell").map(|pulls| pulls.pulled.len());
            (user.user_id.as_u128(), pulled)
        })
        .collect();
    assert_eq!(found, [(7, Some(1)), (USER, Some(2))]);
    let resources = store.introspected_resources(&IntrospectionFilter::default(), 9).await;
    let users = resources.expect("reads").expect("a page").users;
    let found: Vec<_> = users.iter().map(|user| user.provider["stridewell"].len()).collect();
    assert_eq!(found, [1, 0]);
}

#[tokio::test]
async fn a_task_keeps_its_pull_however_long_it_waits() {
    let world = with_tasks(&[new_history()]).await;
    let leased = only(&world, minutes(3)).await;
    assert_eq!(chunk(&world, "steps", 1, minutes(3)).await, Ingested::Taken);
    let waits = refused(minutes(90), "forbidden", &history(2));
    assert!(finish(&world, &leased, &waits, minutes(3)).await);
    let later = at("2027-01-01T00:00:00Z");
    let delete = async || world.write(|write| write.delete_unfinished_pulls(later)).await;
    assert_eq!(delete().await, 0);
    // Ids that senders chose, of pulls that nothing goes on with.
    let others = ["%", "pull", "steps", "________-____-____-____-____________"];
    for other in others {
        assert_eq!(chunk_of(&world, other, "steps", 1, minutes(3)).await, Ingested::Taken);
    }
    assert_eq!(delete().await, others.len());
    let leased = only(&world, minutes(90)).await;
    assert_eq!(delete().await, 0, "an attempt is in progress");
    assert_eq!(chunk(&world, "steps", 2, minutes(90)).await, Ingested::Taken);
    let events = super::events(&world).await;
    assert!(
        events.contains(&"historical.data.steps.created".to_owned()),
        "{events:?}"
    );

    // Another one that nothing goes on with.
    assert_eq!(chunk(&world, "floors_climbed", 1, minutes(90)).await, Ingested::Taken);
    assert!(finish(&world, &leased, &next(None), minutes(91)).await);
    assert_eq!(delete().await, 1);
}

#[tokio::test]
async fn due_tasks_are_counted() {
    let world = with_tasks(&[new("recent:sleep", 1, minutes(20)), new("recent:heart", 1, minutes(10))]).await;
    let backlogs = async |now| {
        world
            .store
            .pull_backlogs(&["pulsely", "stridewell"], now)
            .await
            .expect("reads")
    };
    assert_eq!(backlogs(minutes(9)).await, []);
    let of = |due| PullBacklog {
        provider: "stridewell".to_owned(),
        due,
        oldest: minutes(10),
    };
    assert_eq!(backlogs(minutes(15)).await, [of(1)]);
    assert_eq!(backlogs(minutes(20)).await, [of(2)]);
    lease(&world, minutes(20), 9).await;
    assert_eq!(backlogs(minutes(20)).await, []);
}

//! Sync status of users' data, as integrators read it.

use chrono::TimeDelta;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::{Ingestion, IntrospectionFilter, StoreError, UserPosition};

use crate::arriving::{AT, NO_FORMS, USER, arrival, chunk, day, ingestion, try_ingest, world};
use crate::world::{World, user};

const FIRST: &str = "2026-06-01T12:00:00Z";

/// Ingests an arrival, some minutes after the first one.
async fn take(world: &World, minutes: i64, arrival: wearlab_store::ValidArrival) {
    let first = ingestion(NO_FORMS);
    let ingestion = Ingestion {
        now: first.now + TimeDelta::minutes(minutes),
        ..first
    };
    try_ingest(&world.store, &arrival, &ingestion).await.expect("is taken");
}

fn only(user: u128) -> IntrospectionFilter<'static> {
    IntrospectionFilter {
        user_id: Some(Uuid::from_u128(user)),
        ..IntrospectionFilter::default()
    }
}

async fn resources(world: &World, filter: &IntrospectionFilter<'_>) -> Value {
    let page = world.store.team(world.team).introspected_resources(filter, 100).await;
    json!(page.expect("reads").expect("the user").users[0].provider)
}

async fn pulls(world: &World, filter: &IntrospectionFilter<'_>) -> Value {
    let page = world.store.team(world.team).historical_pulls(filter, 100).await;
    json!(page.expect("reads").expect("the user").users[0].provider)
}

#[tokio::test]
async fn each_resource_has_its_days_its_events_and_the_last_attempt() {
    let world = world().await;
    assert_eq!(
        resources(&world, &only(USER)).await,
        json!({"pulsely": {}, "stridewell": {}})
    );
    take(&world, 0, day("2026-05-02", 1)).await;
    take(&world, 5, day("2026-05-01", 1)).await;
    take(&world, 6, day("2026-05-02", 2)).await;
    let known = json!({"last_attempt": {"timestamp": "2026-06-01T12:06:00Z", "status": "success"},
        "oldest_data": "2026-05-01", "newest_data": "2026-05-02", "sent_count": 3});
    // Duplicates and unwanted data change nothing.
    take(&world, 7, day("2026-05-02", 2)).await;
    assert_eq!(
        resources(&world, &only(USER)).await["stridewell"],
        json!({ "steps": known })
    );
    let deleted = json!({"provider": "stridewell", "resource": "steps",
        "start": "2026-05-01T00:00:00Z", "end": "2026-05-01T12:00:00Z"});
    take(&world, 8, arrival("data_deleted", deleted)).await;
    take(
        &world,
        9,
        arrival("connection_failed", json!({"error_details": {"error_message": "no"}})),
    )
    .await;
    let failed = json!({"last_attempt": {"timestamp": "2026-06-01T12:09:00Z", "status": "failure"},
        "oldest_data": "2026-05-02", "newest_data": "2026-05-02", "sent_count": 3});
    assert_eq!(
        resources(&world, &only(USER)).await["stridewell"],
        json!({ "steps": failed })
    );
    take(&world, 10, day("2026-05-03", 3)).await;
    take(&world, 11, arrival("connection_ended", json!({}))).await;
    let again = json!({"last_attempt": {"timestamp": "2026-06-01T12:10:00Z", "status": "success"},
        "oldest_data": "2026-05-02", "newest_data": "2026-05-03", "sent_count": 4});
    let all = resources(&world, &only(USER)).await;
    assert_eq!(
        all,
        json!({"pulsely": {}, "stridewell": {"steps": again}}),
        "it was connected once"
    );
    let of_pulsely = IntrospectionFilter {
        provider: Some("pulsely"),
        ..only(USER)
    };
    assert_eq!(resources(&world, &of_pulsely).await, json!({"pulsely": {}}));
}

#[tokio::test]
async fn a_pull_is_in_progress_until_it_is_whole_or_the_connection_fails() {
    let world = world().await;
    take(&world, 0, day("2026-05-09", 1)).await;
    let before = json!({"pulsely": {"pulled": {}, "not_pulled": []},
        "stridewell": {"pulled": {}, "not_pulled": ["steps"]}});
    assert_eq!(pulls(&world, &only(USER)).await, before);
    take(&world, 0, chunk("p", 3, 3, 1)).await;
    take(&world, 1, chunk("p", 1, 3, 1)).await;
    let steps = async || pulls(&world, &only(USER)).await["stridewell"]["pulled"]["steps"].clone();
    let mut expected = json!({"status": "in_progress", "range_start": "2026-05-01", "range_end": "2026-05-03",
        "timeline": {"scheduled_at": FIRST, "started_at": FIRST}, "days_with_data": 2, "release": env!("CARGO_PKG_VERSION")});
    assert_eq!(steps().await, expected);
    let details = json!({"error_message": "The grant is gone.", "errored_at": "2026-06-01T14:01:30+02:00"});
    take(
        &world,
        2,
        arrival("connection_failed", json!({ "error_details": details })),
    )
    .await;
    expected["status"] = json!("failure");
    expected["timeline"]["ended_at"] = json!("2026-06-01T12:01:30Z");
    expected["error_details"] = json!("The grant is gone.");
    assert_eq!(steps().await, expected);
    take(&world, 3, chunk("p", 2, 3, 1)).await;
    expected["status"] = json!("success");
    expected["timeline"]["ended_at"] = json!("2026-06-01T12:03:00Z");
    expected["days_with_data"] = json!(3);
    expected.as_object_mut().expect("an object").remove("error_details");
    assert_eq!(steps().await, expected);
    let sent = resources(&world, &only(USER)).await["stridewell"]["steps"]["sent_count"].clone();
    assert_eq!(sent, 2, "that of the day, and that of the pull");
    // The latest pull is shown.
    take(&world, 4, chunk("q", 1, 2, 7)).await;
    let second = json!({"status": "in_progress", "range_start": "2026-05-01", "range_end": "2026-05-01",
        "timeline": {"scheduled_at": "2026-06-01T12:04:00Z", "started_at": "2026-06-01T12:04:00Z"}, "days_with_data": 1,
        "release": env!("CARGO_PKG_VERSION")});
    assert_eq!(steps().await, second);
}

#[tokio::test]
async fn users_come_in_pages_in_their_order() {
    let world = World::new().await;
    world
        .write(|write| (1..=7).try_for_each(|id| write.put_user(world.team, &user(world.team, id, AT))))
        .await;
    let store = world.store.team(world.team);
    let (mut seen, mut after) = (Vec::new(), None::<UserPosition>);
    loop {
        let filter = IntrospectionFilter {
            after,
            ..IntrospectionFilter::default()
        };
        let page = store
            .introspected_resources(&filter, 3)
            .await
            .expect("reads")
            .expect("a page");
        let same = store
            .historical_pulls(&filter, 3)
            .await
            .expect("reads")
            .expect("a page");
        assert_eq!(page.next, same.next);
        seen.push(page.users.iter().map(|user| user.user_id.as_u128()).collect::<Vec<_>>());
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [vec![1, 2, 3], vec![4, 5, 6], vec![7]]);
    let unknown = store.historical_pulls(&only(8), 3).await;
    assert!(unknown.expect("reads").is_none());
    let of_others: Result<_, StoreError> = world.store.team(world.sister).introspected_resources(&only(1), 3).await;
    assert!(of_others.expect("reads").is_none());
}

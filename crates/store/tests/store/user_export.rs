//! Export of one user, page by page.

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::{Actor, Record, ValuePosition};

use crate::arriving::{USER, arrival, ingest, world};
use crate::world::{World, exported, user};

const FIRST: &str = "2024-01-01";
/// More than two pages of each kind of value.
const DAYS: u64 = 450;

fn text(record: &Record) -> String {
    serde_json::to_string(record).expect("JSON")
}

/// Reads all values, and counts the pages.
async fn values(world: &World) -> (Vec<String>, usize) {
    let team = world.store.team(world.team);
    let (mut all, mut pages) = (Vec::new(), 0);
    let mut next = Some(ValuePosition::default());
    while let Some(after) = next {
        let page = team.user_export_values(Uuid::from_u128(USER), after).await;
        let (records, behind) = page.expect("reads").expect("the user");
        all.extend(records.iter().map(text));
        next = behind;
        pages += 1;
    }
    (all, pages)
}

#[tokio::test]
async fn pages_have_each_value_of_the_user_once() {
    let world = world().await;
    let first: NaiveDate = FIRST.parse().expect("a day");
    let days: Vec<_> = (0..DAYS).map(|number| first + Days::new(number)).collect();
    let mut arrivals = Vec::new();
    for day in &days {
        for (resource, data) in [
            ("body", json!([{"weight": 70.5}])),
            ("steps", json!([{"timestamp": format!("{day}T10:00:00Z"), "value": 7}])),
        ] {
            arrivals.push(arrival(
                "data",
                json!({"date": day, "resource": resource, "data": data}),
            ));
        }
    }
    ingest(&world, &arrivals).await;
    let other = user(world.team, 99, "2026-06-01T12:00:00Z");
    world.write(|write| write.put_user(world.team, &other)).await;

    let team = world.store.team(world.team);
    let lines = exported(&world.store).await;
    let of_user = |line: &&String| line.contains(&Uuid::from_u128(USER).to_string());
    let (mut expected, who): (Vec<_>, Vec<_>) = lines
        .into_iter()
        .filter(|line| of_user(&line))
        .partition(|line| line.starts_with("{\"values\""));
    let person = team
        .user_export(Uuid::from_u128(USER))
        .await
        .expect("reads")
        .expect("the user");
    assert_eq!(person.iter().map(text).collect::<Vec<_>>(), who);
    let (mut found, pages) = values(&world).await;
    assert!(pages > 4, "{pages} pages");
    found.sort();
    expected.sort();
    assert_eq!(found.len(), expected.len());
    assert!(found == expected, "other values than those of an export");

    let nobody = Uuid::from_u128(12345);
    assert!(team.user_export(nobody).await.expect("reads").is_none());
    assert!(
        team.user_export_values(nobody, ValuePosition::default())
            .await
            .expect("reads")
            .is_none()
    );
    let sister = world.store.team(world.sister);
    assert!(
        sister
            .user_export(Uuid::from_u128(USER))
            .await
            .expect("reads")
            .is_none(),
        "of another team"
    );
}

#[tokio::test]
async fn the_log_is_read_by_what_it_is_about() {
    let world = World::new().await;
    let actor = Actor {
        key_id: "0123456789abcdef".to_owned(),
        request_id: "req_1".to_owned(),
    };
    let now = "2026-06-01T12:00:00Z".parse().expect("a time");
    world
        .write(|write| {
            for number in 0..20 {
                write.audit(world.team, &actor, now, "update_user", Some(["a", "b"][number % 2]))?;
            }
            write.audit(world.stranger, &actor, now, "update_user", Some("a"))
        })
        .await;
    let first = world
        .store
        .audit_log_about(&world.ours, &["a".to_owned()], 0, 7)
        .await
        .expect("reads");
    let last = first.last().expect("entries").number;
    let rest = world
        .store
        .audit_log_about(&world.ours, &["a".to_owned()], last, 7)
        .await
        .expect("reads");
    assert_eq!((first.len(), rest.len()), (7, 3));
    let subjects: Vec<Value> = first.iter().chain(&rest).map(|entry| json!(entry.subject)).collect();
    assert!(subjects.iter().all(|subject| subject == "a"));
}

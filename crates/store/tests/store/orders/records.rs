//! Export and import of orders.

use serde_json::json;
use uuid::Uuid;
use wearlab_store::{Record, StoreError};

use super::{SECRETS, order, read, read_results, report, results, world};
use crate::arriving::USER;
use crate::place::{count, open};
use crate::records::put;
use crate::world::exported;

#[tokio::test]
async fn orders_and_results_come_out_and_go_in_again() {
    let world = world().await;
    let orders = [
        (world.team, USER, 3, "2026-01-02T00:00:00+01:00"),
        (world.team, USER, 2, "2026-01-01T23:00:00Z"),
        (world.team, USER, 1, "2026-01-03T00:00:00Z"),
        (world.team, 8, 4, "2026-01-01T00:00:00Z"),
        (world.sister, USER, 1, "2026-01-01T00:00:00Z"),
    ];
    let kept = results(&report(1, 10, "final", &[("1-1", "17.0625"), ("2-2", "5")]));
    world
        .write(|write| {
            for (team, user_id, id, created) in orders {
                write.put_order(team, &order(team, user_id, id, json!({ "created_at": created })))?;
            }
            write.put_order_results(world.team, Uuid::from_u128(1), &kept)
        })
        .await;
    let lines = exported(&world.store).await;
    let read_back: Vec<Record> = lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    let of = |record: &Record| match record {
        Record::Order(order) => Some((order.order.team_id, order.order.id.as_u128(), order.results.is_some())),
        _ => None,
    };
    let found: Vec<_> = read_back.iter().filter_map(of).collect();
    let (team, sister) = (world.team.uuid(), world.sister.uuid());
    // The oldest of each user first. Orders of the same time are sorted by id.
    let expected = [
        (team, 2, false),
        (team, 3, false),
        (team, 1, true),
        (team, 4, false),
        (sister, 1, false),
    ];
    assert_eq!(found, expected);

    let directory = tempfile::tempdir().expect("a directory");
    let copy = open(directory.path()).await;
    for _ in 0..2 {
        put(&copy, &read_back).await.expect("writes");
        assert_eq!(exported(&copy).await, lines);
    }
    assert_eq!(read_results(&copy, world.team, 1).await, Some(kept));
    // Before its user, and of a missing team.
    for record in read_back.iter().filter(|record| record.kind() == "order").take(1) {
        let directory = tempfile::tempdir().expect("a directory");
        let empty = open(directory.path()).await;
        let error = put(&empty, std::slice::from_ref(record)).await.expect_err("is refused");
        assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_person_has_their_orders_and_takes_them_along() {
    let world = world().await;
    let mine = order(world.team, USER, 1, json!({}));
    world
        .write(|write| {
            write.put_order(world.team, &mine)?;
            write.put_order_results(
                world.team,
                mine.id,
                &results(&report(1, 10, "final", &[("1-1", "17.0625")])),
            )?;
            write.put_order(world.team, &order(world.team, 8, 2, json!({})))?;
            write.put_order(world.sister, &order(world.sister, USER, 1, json!({})))
        })
        .await;
    let team = world.store.team(world.team);
    let person = team
        .user_export(Uuid::from_u128(USER))
        .await
        .expect("reads")
        .expect("the user");
    let orders: Vec<_> = person.iter().filter(|record| record.kind() == "order").collect();
    let text = serde_json::to_string(&orders).expect("JSON");
    assert_eq!(orders.len(), 1);
    for secret in SECRETS {
        assert!(text.contains(secret), "{secret}");
    }

    assert!(
        world
            .store
            .forget(world.team, Uuid::from_u128(USER))
            .await
            .expect("forgets")
    );
    assert_eq!(read(&world.store, world.team, 1).await, None);
    assert!(read(&world.store, world.team, 2).await.is_some());
    assert!(read(&world.store, world.sister, 1).await.is_some());
    assert_eq!(count(world.directory.path(), "orders").await, 2);
    assert_eq!(count(world.directory.path(), "order_results").await, 0);
}

//! Lists of orders: filters and pages, against a naive model.

use chrono::{DateTime, TimeDelta, Utc};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use uuid::Uuid;
use wearlab_models::{Encoded, Order};
use wearlab_store::{OrderFilter, OrderRows};

use super::{order, world};
use crate::arriving::{USER, at};
use crate::seed::Seed;
use crate::world::{World, all};

const STATUSES: [&str; 4] = ["received", "sample_with_lab", "completed", "failed"];

/// Returns one of a few times, so that many are equal. Some have another offset.
fn time(rng: &mut ChaCha8Rng) -> DateTime<Utc> {
    at("2026-03-01T00:00:00Z") + TimeDelta::minutes(rng.random_range(0..12))
}

async fn populate(world: &World, rng: &mut ChaCha8Rng) -> Vec<Order> {
    let mut orders = Vec::new();
    for number in 0..60_u128 {
        // Ids are not in order.
        let id = 1 + number * 7_919 % 1_009;
        let created =
            time(rng).with_timezone(&chrono::FixedOffset::east_opt(3600 * (number as i32 % 5)).expect("an offset"));
        let more = json!({
            "created_at": created, "updated_at": time(rng), "status": STATUSES[rng.random_range(0..4)],
            "notes": format!("{number}"),
        });
        let user_id = [USER, 8, 9][rng.random_range(0..3)];
        orders.push(order(world.team, user_id, id, more));
    }
    let others = [world.sister, world.stranger].map(|team| order(team, USER, 1, json!({})));
    world
        .write(|write| {
            orders.iter().try_for_each(|order| write.put_order(world.team, order))?;
            write.put_order(world.sister, &others[0])?;
            write.put_order(world.stranger, &others[1])
        })
        .await;
    orders
}

fn passes(order: &Order, filter: &OrderFilter) -> bool {
    let within = |time: DateTime<Utc>, from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>| {
        from.is_none_or(|from| from <= time) && to.is_none_or(|to| time <= to)
    };
    within(order.created_at.to_utc(), filter.created_from, filter.created_to)
        && within(order.updated_at.to_utc(), filter.updated_from, filter.updated_to)
        && filter.user_id.is_none_or(|user_id| user_id == order.user_id)
        && (filter.statuses.is_empty() || filter.statuses.iter().any(|status| status == order.status.as_str()))
        && (filter.order_ids.is_empty() || filter.order_ids.contains(&order.id))
}

fn filter(rng: &mut ChaCha8Rng) -> OrderFilter {
    let bound = |rng: &mut ChaCha8Rng| rng.random_bool(0.3).then(|| time(rng));
    OrderFilter {
        created_from: bound(rng),
        created_to: bound(rng),
        updated_from: bound(rng),
        updated_to: bound(rng),
        statuses: (STATUSES.iter().filter(|_| rng.random_bool(0.2)))
            .map(ToString::to_string)
            .collect(),
        user_id: rng
            .random_bool(0.4)
            .then(|| Uuid::from_u128([USER, 8, 9, 99][rng.random_range(0..4)])),
        order_ids: match rng.random_bool(0.3) {
            true => (1..=1_009)
                .filter(|_| rng.random_bool(0.5))
                .map(Uuid::from_u128)
                .collect(),
            false => Vec::new(),
        },
        oldest_first: rng.random_bool(0.5),
    }
}

/// Reads the orders of a page: in parts, if they exceed `bytes`.
async fn read(world: &World, rows: OrderRows, bytes: usize) -> Vec<Encoded<Order>> {
    let places = match rows {
        OrderRows::Whole(orders) => return orders,
        OrderRows::Places(places) => places,
    };
    assert!(places.iter().map(|place| place.bytes).sum::<u64>() > bytes as u64);
    let team = world.store.team(world.team);
    let mut found = Vec::new();
    while found.len() < places.len() {
        let left = &places[found.len()..];
        let part = team.some_orders(left, bytes).await.expect("reads");
        let length: u64 = left[..part.len()].iter().map(|place| place.bytes).sum();
        assert!(
            part.len() == 1 || length <= bytes as u64,
            "{} of {bytes} bytes",
            part.len()
        );
        found.extend(part);
    }
    found.into_iter().map(|order| order.expect("is there")).collect()
}

/// Reads all pages of a size, and checks the total of each.
async fn pages(world: &World, filter: &OrderFilter, size: i64, bytes: usize) -> (Vec<Order>, i64) {
    let (mut found, mut total) = (Vec::new(), None);
    for page in 1.. {
        let part = world
            .store
            .team(world.team)
            .orders(filter, page, size, bytes)
            .await
            .unwrap_or_else(|error| panic!("{filter:?}: {error:?}"));
        assert_eq!(*total.get_or_insert(part.total), part.total, "page {page}");
        let orders = read(world, part.orders, bytes).await;
        assert!(i64::try_from(orders.len()).expect("few") <= size);
        if orders.is_empty() {
            break;
        }
        found.extend(all(&orders));
    }
    (found, total.expect("a page"))
}

#[tokio::test]
async fn every_filter_and_page_has_what_a_naive_list_has() {
    let seed = Seed::one(11);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
    let world = world().await;
    let mut orders = populate(&world, &mut rng).await;
    orders.sort_by_key(|order| std::cmp::Reverse((order.created_at.to_utc(), *order.id.as_bytes())));
    let mut nonempty = 0;
    for round in 0..60 {
        let filter = if round == 0 {
            OrderFilter::default()
        } else {
            filter(&mut rng)
        };
        let mut expected: Vec<_> = orders.iter().filter(|order| passes(order, &filter)).cloned().collect();
        if filter.oldest_first {
            expected.reverse();
        }
        nonempty += usize::from(!expected.is_empty());
        let bytes = [usize::MAX, 0, 1, 6000][rng.random_range(0..4)];
        for size in [1 + round % 9, 100] {
            let (found, total) = pages(&world, &filter, size, bytes).await;
            assert_eq!(found, expected, "{filter:?}");
            assert_eq!(usize::try_from(total), Ok(expected.len()), "{filter:?}");
        }
    }
    assert!(nonempty > 20, "{nonempty} found something");
}

/// Returns the number of orders of a page that is not split.
fn whole(rows: &OrderRows) -> usize {
    match rows {
        OrderRows::Whole(orders) => orders.len(),
        OrderRows::Places(_) => panic!("not whole"),
    }
}

#[tokio::test]
async fn places_are_of_one_team_and_of_what_is_still_there() {
    let world = world().await;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    populate(&world, &mut rng).await;
    let team = world.store.team(world.team);
    let found = team.orders(&OrderFilter::default(), 1, 100, 0).await.expect("reads");
    let OrderRows::Places(places) = found.orders else {
        panic!("whole");
    };
    assert_eq!((places.len(), found.total), (60, 60));
    let sister = world.store.team(world.sister).some_orders(&places, usize::MAX).await;
    assert!(sister.expect("reads").iter().all(Option::is_none), "another team");
    assert!(team.some_orders(&[], 1).await.expect("reads").is_empty());
    let gone = Uuid::from_u128(8);
    world.write(|write| write.delete_user(world.team, gone)).await;
    let (mut left, mut missing) = (0, 0);
    for place in &places {
        match &team.some_orders(&[*place], 0).await.expect("reads")[..] {
            [Some(order)] => left += usize::from(all(std::slice::from_ref(order))[0].user_id != gone),
            [None] => missing += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(missing > 5 && left + missing == 60, "{left} left, {missing} missing");
}

#[tokio::test]
async fn pages_that_are_none_are_empty_and_say_the_total() {
    let world = world().await;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    populate(&world, &mut rng).await;
    let team = world.store.team(world.team);
    for (page, size) in [(61, 1), (i64::MAX, i64::MAX), (2, i64::MAX), (1, 0), (1, -5)] {
        let found = team
            .orders(&OrderFilter::default(), page, size, usize::MAX)
            .await
            .expect("reads");
        assert_eq!((whole(&found.orders), found.total), (0, 60), "{page} {size}");
    }
    for page in [0, -1, i64::MIN, 1] {
        let found = team
            .orders(&OrderFilter::default(), page, 7, usize::MAX)
            .await
            .expect("reads");
        assert_eq!((whole(&found.orders), found.total), (7, 60), "{page}");
    }
    // A user of another team has no orders in this one.
    let filter = OrderFilter {
        user_id: Some(Uuid::from_u128(8)),
        ..OrderFilter::default()
    };
    let found = world
        .store
        .team(world.sister)
        .orders(&filter, 1, 10, usize::MAX)
        .await
        .expect("reads");
    assert_eq!((whole(&found.orders), found.total), (0, 0));
    let found = world
        .store
        .team(world.sister)
        .orders(&OrderFilter::default(), 1, 10, usize::MAX)
        .await
        .expect("reads");
    assert_eq!((whole(&found.orders), found.total), (1, 1));
}

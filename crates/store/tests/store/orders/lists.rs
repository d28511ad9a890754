//! Lists of orders: filters and pages, against a naive model.

use chrono::{DateTime, TimeDelta, Utc};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use uuid::Uuid;
use wearlab_models::Order;
use wearlab_store::OrderFilter;

use super::{order, world};
use crate::arriving::{USER, at};
use crate::seed::Seed;
use crate::world::{World, all};

const STATUSES: [&str; 4] = ["received", "sample_with_lab", "completed", "failed"];

/// A time of few, so that many are equal; of some, the offset is another one.
fn time(rng: &mut ChaCha8Rng) -> DateTime<Utc> {
    at("2026-03-01T00:00:00Z") + TimeDelta::minutes(rng.random_range(0..12))
}

async fn populate(world: &World, rng: &mut ChaCha8Rng) -> Vec<Order> {
    let mut orders = Vec::new();
    for number in 0..60_u128 {
        // In no order of their ids.
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

/// All pages of a size, and the total that each says.
async fn pages(world: &World, filter: &OrderFilter, size: i64) -> (Vec<Order>, i64) {
    let (mut found, mut total) = (Vec::new(), None);
    for page in 1.. {
        let part = world
            .store
            .team(world.team)
            .orders(filter, page, size)
            .await
            .unwrap_or_else(|error| panic!("{filter:?}: {error:?}"));
        assert!(i64::try_from(part.orders.len()).expect("few") <= size);
        assert_eq!(*total.get_or_insert(part.total), part.total, "page {page}");
        if part.orders.is_empty() {
            break;
        }
        found.extend(all(&part.orders));
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
        for size in [1 + round % 9, 100] {
            let (found, total) = pages(&world, &filter, size).await;
            assert_eq!(found, expected, "{filter:?}");
            assert_eq!(usize::try_from(total), Ok(expected.len()), "{filter:?}");
        }
    }
    assert!(nonempty > 20, "{nonempty} found something");
}

#[tokio::test]
async fn pages_that_are_none_are_empty_and_say_the_total() {
    let world = world().await;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    populate(&world, &mut rng).await;
    let team = world.store.team(world.team);
    for (page, size) in [(61, 1), (i64::MAX, i64::MAX), (2, i64::MAX), (1, 0), (1, -5)] {
        let found = team.orders(&OrderFilter::default(), page, size).await.expect("reads");
        assert_eq!((found.orders.len(), found.total), (0, 60), "{page} {size}");
    }
    for page in [0, -1, i64::MIN, 1] {
        let found = team.orders(&OrderFilter::default(), page, 7).await.expect("reads");
        assert_eq!((found.orders.len(), found.total), (7, 60), "{page}");
    }
    // A user of another team is none of this one.
    let filter = OrderFilter {
        user_id: Some(Uuid::from_u128(8)),
        ..OrderFilter::default()
    };
    let found = world
        .store
        .team(world.sister)
        .orders(&filter, 1, 10)
        .await
        .expect("reads");
    assert_eq!((found.orders.len(), found.total), (0, 0));
    let found = world
        .store
        .team(world.sister)
        .orders(&OrderFilter::default(), 1, 10)
        .await
        .expect("reads");
    assert_eq!((found.orders.len(), found.total), (1, 1));
}

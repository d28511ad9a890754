//! Query plans of orders and lab tests.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_store::{OrderFilter, OrderRows, TeamId};

use super::Work;
use super::watched::USERS;
use crate::server::wait;

/// Returns the order of the user with a number.
fn order_of(user: i64) -> Uuid {
    Uuid::from_u128(u128::try_from(user).expect("a number") * 1000 + 1)
}

/// Returns the time of creation and last change of the order of a user.
fn time_of(user: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(user * 1000 + 1)
}

/// Returns the operations, each with a name and the minimum number of rows that it finds.
pub(super) fn works(team: TeamId) -> Vec<(&'static str, usize, Work<'static>)> {
    let middle = USERS / 2;
    let list = move |filter: OrderFilter, page: i64| -> Work<'static> {
        Box::new(move |store| {
            let found = wait(store.team(team).orders(&filter, page, 100, usize::MAX))?;
            let OrderRows::Whole(orders) = found.orders else {
                return Ok(0);
            };
            Ok(orders.len())
        })
    };
    let places = move |filter: OrderFilter| -> Work<'static> {
        Box::new(move |store| {
            let found = wait(store.team(team).orders(&filter, 1, 100, 0))?;
            let OrderRows::Places(places) = found.orders else {
                return Ok(0);
            };
            Ok(wait(store.team(team).some_orders(&places, usize::MAX))?.len())
        })
    };
    let all = OrderFilter::default;
    let between = (Some(time_of(middle)), Some(time_of(middle + 1000)));
    vec![
        (
            "an order",
            1,
            Box::new(move |store| Ok(wait(store.team(team).order(order_of(middle)))?.iter().count())),
        ),
        (
            "the results of an order",
            1,
            Box::new(move |store| {
                let found = wait(store.write(|write| write.order_results(team, order_of(middle))));
                Ok(found?.iter().count())
            }),
        ),
        ("orders", 100, list(all(), 1)),
        ("a page of orders in the middle", 100, list(all(), 10)),
        ("places of orders, and some of these", 50, places(all())),
        (
            "orders of a time",
            20,
            list(
                OrderFilter {
                    created_from: between.0,
                    created_to: between.1,
                    ..all()
                },
                1,
            ),
        ),
        (
            "orders that changed at a time",
            20,
            list(
                OrderFilter {
                    updated_from: between.0,
                    updated_to: between.1,
                    ..all()
                },
                1,
            ),
        ),
        (
            "orders of a user",
            1,
            list(
                OrderFilter {
                    user_id: Some(Uuid::from_u128(u128::try_from(middle).expect("a number"))),
                    ..all()
                },
                1,
            ),
        ),
        (
            "orders in a status",
            100,
            list(
                OrderFilter {
                    statuses: vec!["completed".to_owned()],
                    ..all()
                },
                1,
            ),
        ),
        (
            "lab tests",
            100,
            Box::new(move |store| {
                let page = wait(store.team(team).lab_tests(None, Some("test 15000"), 100))?;
                Ok(page.expect("no account").lab_tests.len())
            }),
        ),
        (
            "lab tests of an account",
            50,
            Box::new(move |store| {
                let account = Some(Uuid::from_u128(1));
                let page = wait(store.team(team).lab_tests(account, Some("test 15000"), 100))?;
                Ok(page.expect("the account").lab_tests.len())
            }),
        ),
    ]
}

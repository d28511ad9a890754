//! Lists of orders, with each filter.

use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_service::Settings;
use wearlab_store::Record;
use wearlab_tests::write_requests::new_user;
use wearlab_tests::{Running, orders, owners};

use super::{Team, text};

/// Adds orders on successive days, which changed a month later, each with another status, starting with `received`.
async fn put(running: &Running, user: Uuid) -> Vec<String> {
    let mut ids = Vec::new();
    let mut records = Vec::new();
    for (number, status) in (1_u8..).zip(["received", "collecting_sample", "completed", "failed"]) {
        let Record::Order(mut record) = orders::completed(running.sample.team_id, user) else {
            panic!("an order")
        };
        let at = |month: u8| {
            format!("2020-{month:02}-{number:02}T12:00:00Z")
                .parse()
                .expect("a time")
        };
        record.order.id = Uuid::from_u128(0x0f00 + u128::from(number));
        record.order.status = status.into();
        (record.order.created_at, record.order.updated_at) = (at(1), at(2));
        ids.push(record.order.id.to_string());
        records.push(Record::Order(record));
    }
    let put = running
        .store
        .write(|write| records.iter().try_for_each(|record| write.put(record)));
    put.await.expect("orders");
    ids
}

fn ids(page: &Value) -> Vec<&str> {
    let orders = page["orders"].as_array().expect("orders");
    orders.iter().map(|order| text(order, "id")).collect()
}

#[tokio::test]
async fn each_filter_leaves_what_passes_it() {
    let running = Running::start(5).await;
    let (team, [owner, ..]) = (Team::of(&running), owners::owners(&running).await);
    let user = new_user(&running, &owner).await;
    let all = put(&running, user).await;
    // Newest first.
    let of = |numbers: &[usize]| -> Vec<&str> { numbers.iter().map(|number| all[number - 1].as_str()).collect() };
    for (query, expected) in [
        (String::new(), &[4, 3, 2, 1][..]),
        ("&start_date=2020-01-03".to_owned(), &[4, 3]),
        ("&end_date=2020-01-03".to_owned(), &[3, 2, 1]),
        ("&start_date=2020-01-02&end_date=2020-01-03".to_owned(), &[3, 2]),
        (
            "&start_date=2020-01-02T12:00:00Z&end_date=2020-01-03T11:59:59Z".to_owned(),
            &[2],
        ),
        ("&start_date=2020-01-02T13:00:01%2B01:00".to_owned(), &[4, 3]),
        ("&start_date=2020-01-02T12:00:01".to_owned(), &[4, 3]),
        ("&updated_start_date=2020-02-04".to_owned(), &[4]),
        ("&updated_end_date=2020-02-01".to_owned(), &[1]),
        (
            "&updated_start_date=2020-02-02&updated_end_date=2020-02-03&end_date=2020-01-02".to_owned(),
            &[2],
        ),
        ("&status=completed".to_owned(), &[3]),
        ("&status=completed&status=received".to_owned(), &[3, 1]),
        ("&status=brand_new".to_owned(), &[]),
        ("&status=brand_new&status=failed".to_owned(), &[4]),
        ("&status=failed&start_date=2020-01-05".to_owned(), &[]),
        ("&end_date=2019-12-31".to_owned(), &[]),
    ] {
        let answer = team.get(&format!("/v3/orders?user_id={user}{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        let page = answer.ok(200);
        assert_eq!(ids(&page), of(expected), "{query}");
        assert_eq!(
            (&page["total"], &page["page"], &page["size"]),
            (&json!(expected.len()), &json!(1), &json!(50))
        );
    }
    // A user of another team has none.
    let sisters = running.sample.other_team.user_id;
    for nobody in [Uuid::nil(), sisters] {
        let page = team.get(&format!("/v3/orders?user_id={nobody}")).await.ok(200);
        assert_eq!((ids(&page).len(), &page["total"]), (0, &json!(0)));
    }
    let every = team.get("/v3/orders?size=100").await.ok(200);
    assert_eq!(every["total"], ids(&every).len());
    assert!(ids(&every).len() > 4 && all.iter().all(|id| ids(&every).contains(&id.as_str())));
}

#[tokio::test]
async fn pages_follow_each_other_and_end() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let every = team.get("/v3/orders?size=100").await.ok(200);
    let total = ids(&every).len();
    for size in [1, 3, total] {
        let mut seen = Vec::new();
        for page in 1..=total.div_ceil(size) {
            let page = team.get(&format!("/v3/orders?page={page}&size={size}")).await.ok(200);
            assert_eq!(page["total"], total);
            seen.extend(page["orders"].as_array().expect("orders").clone());
        }
        assert_eq!(Value::from(seen), every["orders"], "{size} at a time");
    }
    for beyond in ["2", "9223372036854775807"] {
        let page = team.get(&format!("/v3/orders?page={beyond}&size=100")).await.ok(200);
        assert_eq!((ids(&page).len(), &page["total"]), (0, &json!(total)), "{beyond}");
    }
    let created: Vec<_> = every["orders"]
        .as_array()
        .expect("orders")
        .iter()
        .map(|order| text(order, "created_at"))
        .collect();
    assert!(created.is_sorted_by(|newer, older| newer >= older), "{created:?}");
}

#[tokio::test]
async fn what_is_no_date_is_named_each_at_its_place() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let refused = team
        .get("/v3/orders?start_date=soon&end_date=2026-02-30&updated_start_date=x&updated_end_date=y")
        .await;
    let names = ["start_date", "end_date", "updated_start_date", "updated_end_date"];
    assert_eq!(refused.locations(), names.map(|name| format!("/query/{name}")));
    for (query, location) in [
        ("page=0", "/query/page"),
        ("page=x", "/query/page"),
        ("size=0", "/query/size"),
        ("size=101", "/query/size"),
        ("user_id=me", "/query/user_id"),
        ("start_date=", "/query/start_date"),
        ("start_date=2026-03-02&end_date=2026-03-01", "/query/end_date"),
        (
            "updated_start_date=2026-03-02&updated_end_date=2026-03-01",
            "/query/updated_end_date",
        ),
        ("start_date=2026-03-01T00", "/query/start_date"),
    ] {
        let refused = team.get(&format!("/v3/orders?{query}")).await;
        assert_eq!(refused.locations(), [location], "{query}");
    }
}

/// Pages that exceed the memory limit are sent in parts, and have the same content.
#[tokio::test]
async fn long_pages_are_those_of_short_ones() {
    let mut settings = Settings::default();
    settings.limits.page_bytes = 3000;
    let (long, short) = (Running::start(5).await, Running::start_with(5, settings).await);
    let mut both = Vec::new();
    for running in [&long, &short] {
        put(running, running.sample.user_id).await;
        let team = Team::of(running);
        let mut pages = Vec::new();
        for query in [
            "",
            "size=2&page=2",
            "size=100",
            "page=9",
            "start_date=2020-01-02",
            "status=completed",
            "search_input=a",
            "search_input=a&size=2",
            "search_input=no-one-has-this",
            "order_key=patient_name&order_direction=asc",
            "order_key=patient_name&size=1",
            "order_type=walk_in_test&order_type=testkit",
            "order_activation_types=current&order_direction=asc",
            "order_transaction_id=x",
        ] {
            let answer = team.get(&format!("/v3/orders?{query}")).await;
            let is_whole = answer.headers.contains_key("etag");
            let page = answer.ok(200);
            let found = page["orders"].as_array().expect("orders").len();
            assert!(is_whole || found > 1, "{query}: {found}");
            pages.push((query, is_whole, page));
        }
        both.push(pages);
    }
    let [long, short] = &both[..] else { panic!("two") };
    for ((query, _, of_long), (_, _, of_short)) in long.iter().zip(short) {
        assert_eq!(of_long, of_short, "{query}");
    }
    assert!(long.iter().all(|(_, is_whole, _)| *is_whole));
    assert!(
        short.iter().filter(|(_, is_whole, _)| !is_whole).count() > 5,
        "sent in parts"
    );
}

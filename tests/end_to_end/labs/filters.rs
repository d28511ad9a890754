//! Filters and sort orders of lists by encrypted fields or catalogue data.

use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_store::Record;
use wearlab_tests::write_requests::new_user;
use wearlab_tests::{Running, orders, owners};

use super::{Team, text};

/// Adds three orders on successive days: of Bo Ash, of Alma Winters with critical results, and of Cy Winters.
async fn put(running: &Running, user: Uuid) -> Vec<String> {
    let (mut ids, mut records) = (Vec::new(), Vec::new());
    let people = [("Bo", "Ash"), ("Alma", "Winters"), ("Cy", "Winters")];
    for (number, (first, last)) in (1_u8..).zip(people) {
        let Record::Order(record) = orders::completed(running.sample.team_id, user) else {
            panic!("an order")
        };
        let mut record = serde_json::to_value(Record::Order(record)).expect("JSON");
        let order = &mut record["order"]["order"];
        let id = Uuid::from_u128(0x0e00 + u128::from(number));
        order["id"] = json!(id);
        order["created_at"] = json!(format!("2020-01-{number:02}T12:00:00Z"));
        order["patient_details"]["first_name"] = json!(first);
        order["patient_details"]["last_name"] = json!(last);
        match number {
            1 => {
                order["activate_by"] = json!("2999-01-01");
                order["details"]["type"] = json!("testkit");
                order["status"] = json!("collecting_sample");
                order["last_event"]["status"] = json!("collecting_sample.testkit.with_customer");
                order["patient_address"]["receiver_name"] = json!("Front Desk");
            }
            2 => order["interpretation"] = json!("critical"),
            _ => order["interpretation"] = json!("normal"),
        }
        ids.push(id.to_string());
        records.push(serde_json::from_value::<Record>(record).expect("a record"));
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
async fn no_filter_of_orders_is_ignored() {
    let running = Running::start(5).await;
    let (team, [owner, ..]) = (Team::of(&running), owners::owners(&running).await);
    let user = new_user(&running, &owner).await;
    let all = put(&running, user).await;
    let by_id = format!("order_ids={}&order_ids={}", all[0], all[2]);
    let search_id = format!("search_input={}", all[1]);
    for (query, expected) in [
        ("", &[3, 2, 1][..]),
        (&by_id, &[3, 1]),
        ("order_ids=00000000-0000-0000-0000-000000000009", &[]),
        ("order_direction=asc", &[1, 2, 3]),
        ("order_key=patient_name", &[3, 1, 2]),
        ("order_key=patient_name&order_direction=asc", &[2, 1, 3]),
        ("order_key=last_status&order_direction=asc", &[1, 3, 2]),
        ("status=with_customer", &[1]),
        ("status=with_customer&status=completed", &[3, 2, 1]),
        ("order_type=testkit", &[1]),
        ("order_type=by_pigeon", &[]),
        ("interpretation=normal", &[3]),
        ("interpretation=odd", &[]),
        ("is_critical=true", &[2]),
        ("is_critical=false", &[3, 1]),
        ("order_activation_types=scheduled", &[1]),
        ("order_activation_types=current", &[3, 2]),
        ("order_activation_types=never", &[]),
        ("patient_name=WINTERS", &[3, 2]),
        ("patient_name=alma%20w", &[2]),
        ("shipping_recipient_name=desk", &[1]),
        ("shipping_recipient_name=winters", &[3, 2]),
        ("search_input=bo%20", &[1]),
        (&search_id, &[2]),
        ("search_input=nobody", &[]),
        ("order_transaction_id=t", &[]),
        ("patient_name=winters&start_date=2020-01-03", &[3]),
        ("patient_name=winters&size=1&page=2", &[2]),
    ] {
        let page = team.get(&format!("/v3/orders?user_id={user}&{query}")).await.ok(200);
        let of: Vec<_> = expected.iter().map(|number| all[number - 1].as_str()).collect();
        assert_eq!(ids(&page), of, "{query}");
        if !query.contains("size") {
            assert_eq!(page["total"], expected.len(), "{query}");
        }
    }
    for (query, location) in [
        ("order_ids=x", "/query/order_ids/0"),
        ("order_key=weather", "/query/order_key"),
        ("order_direction=up", "/query/order_direction"),
        ("is_critical=perhaps", "/query/is_critical"),
    ] {
        let refused = team.get(&format!("/v3/orders?{query}")).await;
        assert_eq!(refused.locations(), [location], "{query}");
    }
}

fn names(answer: &Value) -> Vec<&str> {
    let tests = answer["data"].as_array().or(answer.as_array()).expect("lab tests");
    tests.iter().map(|test| text(test, "id")).collect()
}

#[tokio::test]
async fn no_filter_of_lab_tests_is_ignored() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let all = team.get("/v3/lab_tests").await.ok(200);
    let all = all.as_array().expect("lab tests");
    let mut by_price: Vec<_> = all.iter().collect();
    by_price.sort_by(|a, b| a["price"].as_f64().partial_cmp(&b["price"].as_f64()).expect("prices"));
    let by_price: Vec<_> = by_price.into_iter().map(|test| text(test, "id")).collect();
    let reversed: Vec<_> = all.iter().rev().map(|test| text(test, "id")).collect();
    let where_ = |passes: &dyn Fn(&Value) -> bool| -> Vec<&str> {
        all.iter()
            .filter(|test| passes(test))
            .map(|test| text(test, "id"))
            .collect()
    };
    let whole = team.get(&format!("/v3/lab_tests/{}", team.test)).await.ok(200);
    let marker = &whole["markers"][0];
    let (slug, method) = (text(&all[0]["lab"], "slug"), text(&all[0], "method"));
    let name = text(&all[0], "name").to_uppercase();
    for (query, expected) in [
        ("generation_method=manual".to_owned(), where_(&|_| true)),
        ("generation_method=auto".to_owned(), Vec::new()),
        (format!("lab_slug={slug}"), where_(&|test| test["lab"]["slug"] == slug)),
        ("lab_slug=none".to_owned(), Vec::new()),
        (
            format!("collection_method={method}"),
            where_(&|test| test["method"] == method),
        ),
        ("collection_method=by_pigeon".to_owned(), Vec::new()),
        ("status=active".to_owned(), where_(&|test| test["status"] == "active")),
        ("status=odd".to_owned(), Vec::new()),
        ("marker_ids=-1".to_owned(), Vec::new()),
        ("provider_ids=none".to_owned(), Vec::new()),
        ("name=zzz".to_owned(), Vec::new()),
        ("order_key=price".to_owned(), by_price),
        ("order_direction=desc".to_owned(), reversed),
    ] {
        let list = team.get(&format!("/v3/lab_tests?{query}")).await.ok(200);
        assert_eq!(names(&list), expected, "{query}");
        // The same in pages. Existing clients send the cursor as `cursor`.
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let page = team
                .get(&format!("/v3/lab_test?lab_test_limit=1&{query}{next}"))
                .await
                .ok(200);
            seen.extend(names(&page).into_iter().map(str::to_owned));
            assert!(seen.len() <= all.len(), "{query}: {seen:?}");
            let Some(cursor) = page["next_cursor"].as_str() else {
                break;
            };
            next = format!("&cursor={cursor}");
        }
        assert_eq!(seen, expected, "{query}");
    }
    for query in [
        format!(
            "marker_ids={}&provider_ids={}",
            marker["id"],
            text(marker, "provider_id")
        ),
        format!("name={name}"),
    ] {
        let list = team.get(&format!("/v3/lab_tests?{query}")).await.ok(200);
        let wanted = if query.starts_with("name") {
            text(&all[0], "id")
        } else {
            &team.test
        };
        assert!(names(&list).contains(&wanted), "{query}: {list}");
    }
    let refused = team.get("/v3/lab_tests?order_key=created_at").await;
    assert_eq!(refused.locations(), ["/query/order_key"]);
}

#[tokio::test]
async fn both_names_of_a_cursor_must_agree() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let first = team.get("/v3/lab_test?lab_test_limit=1").await.ok(200);
    let cursor = text(&first, "next_cursor");
    let second = team
        .get(&format!("/v3/lab_test?lab_test_limit=1&next_cursor={cursor}"))
        .await
        .ok(200);
    assert_ne!(first["data"], second["data"]);
    for query in [
        format!("cursor={cursor}"),
        format!("cursor={cursor}&next_cursor={cursor}"),
    ] {
        assert_eq!(
            team.get(&format!("/v3/lab_test?lab_test_limit=1&{query}"))
                .await
                .ok(200),
            second,
            "{query}"
        );
    }
    for query in [format!("cursor={cursor}&next_cursor=x"), "cursor=nonsense".to_owned()] {
        let refused = team.get(&format!("/v3/lab_test?lab_test_limit=1&{query}")).await;
        assert_eq!(refused.locations(), ["/query/next_cursor"], "{query}");
    }
}

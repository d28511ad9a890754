//! Lab tests: all, by pages, and as a lab account sees them.

use serde_json::Value;
use wearlab_models::Uuid;
use wearlab_tests::Running;
use wearlab_tests::owners::owners;

use super::{Team, text};

fn ids(page: &Value) -> Vec<&str> {
    let tests = page["data"].as_array().or(page.as_array()).expect("lab tests");
    tests.iter().map(|test| text(test, "id")).collect()
}

#[tokio::test]
async fn pages_are_the_whole_list() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let all = team.get("/v3/lab_tests").await.ok(200);
    let whole = team.get("/v3/lab_test").await.ok(200);
    assert_eq!((&whole["data"], &whole["next_cursor"]), (&all, &Value::Null));
    assert_eq!(ids(&all).len(), 3);
    for limit in 1..=4 {
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let page = team
                .get(&format!("/v3/lab_test?lab_test_limit={limit}{next}"))
                .await
                .ok(200);
            let data = page["data"].as_array().expect("lab tests");
            assert!((1..=limit).contains(&data.len()), "{page}");
            seen.extend(data.clone());
            let Some(cursor) = page["next_cursor"].as_str() else {
                break;
            };
            next = format!("&next_cursor={cursor}");
        }
        assert_eq!(Value::from(seen), all, "{limit} at a time");
    }
    for limit in ["0", "101", "many", ""] {
        let refused = team.get(&format!("/v3/lab_test?lab_test_limit={limit}")).await;
        assert_eq!(refused.locations(), ["/query/lab_test_limit"], "{limit:?}");
    }
}

#[tokio::test]
async fn a_cursor_is_good_for_its_list_alone() {
    let running = Running::start(5).await;
    let (team, [_, sister, _]) = (Team::of(&running), owners(&running).await);
    let page = team.get("/v3/lab_test?lab_test_limit=1").await.ok(200);
    let cursor = text(&page, "next_cursor");
    let other = Team {
        key: sister.key,
        ..Team::of(&running)
    };
    let account = running.sample.lab_account_id;
    let changed = cursor.replacen(&cursor[..1], if cursor.starts_with('A') { "B" } else { "A" }, 1);
    for (asker, query) in [
        (&team, "next_cursor=nonsense".to_owned()),
        (&team, "next_cursor=".to_owned()),
        (&team, format!("next_cursor={changed}")),
        (&team, format!("next_cursor={cursor}A")),
        (&team, format!("next_cursor={cursor}&lab_account_id={account}")),
        (&other, format!("next_cursor={cursor}")),
    ] {
        let refused = asker.get(&format!("/v3/lab_test?{query}")).await;
        assert_eq!(refused.locations(), ["/query/next_cursor"], "{query}");
    }
}

#[tokio::test]
async fn a_lab_account_sees_its_tests_and_markers() {
    let running = Running::start(5).await;
    let (team, [_, sister, _]) = (Team::of(&running), owners(&running).await);
    let (first, second) = (running.sample.lab_account_id, running.sample.other_lab_account_id);
    let large = running.sample.lab_test_id.as_str();
    let seen = async |account: Uuid| {
        team.get(&format!("/v3/lab_test?lab_account_id={account}"))
            .await
            .ok(200)
    };
    let (most, few) = (seen(first).await, seen(second).await);
    let mut expected = vec![large, "metabolic"];
    expected.sort_unstable();
    assert_eq!(ids(&most), expected);
    assert_eq!(ids(&few), [large]);

    let markers = async |query: String| {
        let test = team.get(&format!("/v3/lab_tests/{large}{query}")).await.ok(200);
        test["markers"].as_array().expect("markers").clone()
    };
    let all = markers(String::new()).await;
    let (of_first, of_second) = (
        markers(format!("?lab_account_id={first}")).await,
        markers(format!("?lab_account_id={second}")).await,
    );
    assert!(of_second.len() < of_first.len() && of_first.len() < all.len());
    assert!(of_first.iter().chain(&of_second).all(|marker| all.contains(marker)));
    // Tests and accounts of others, missing ones, and tests that an account may not see.
    for path in [
        format!("/v3/lab_test?lab_account_id={}", sister.account),
        format!("/v3/lab_test?lab_account_id={}", Uuid::nil()),
        format!("/v3/lab_tests/{large}?lab_account_id={}", sister.account),
        format!("/v3/lab_tests/metabolic?lab_account_id={second}"),
        "/v3/lab_tests/none".to_owned(),
    ] {
        assert_eq!(team.get(&path).await.status, 404, "{path}");
    }
    let malformed = team.get("/v3/lab_test?lab_account_id=mine").await;
    assert_eq!(malformed.locations(), ["/query/lab_account_id"]);
}

#[tokio::test]
async fn lists_are_without_markers_and_one_test_with_them() {
    let running = Running::start(5).await;
    let team = Team::of(&running);
    let all = team.get("/v3/lab_tests").await;
    let all = all.ok(200);
    for test in all.as_array().expect("lab tests") {
        assert!(test.get("markers").is_none_or(Value::is_null), "{test}");
        let mut one = team.get(&format!("/v3/lab_tests/{}", text(test, "id"))).await.ok(200);
        let markers = one.as_object_mut().and_then(|one| one.remove("markers"));
        assert!(markers.is_some_and(|markers| markers.as_array().is_some_and(|list| !list.is_empty())));
        let mut test = test.clone();
        test.as_object_mut().expect("an object").remove("markers");
        assert_eq!(one, test);
    }
}

//! Lab tests in lists: in pages, for a lab account, and one by one.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{LabTest, Marker};
use wearlab_store::{LabAccountRecord, LabTestRecord, TeamId};

use crate::labs::marker;
use crate::world::{World, all, exported};

const ACCOUNT: Uuid = Uuid::from_u128(5);

/// Returns the details of a lab test with a slug.
pub(crate) fn details(slug: &str) -> Value {
    json!({
        "slug": slug, "sample_type": "serum", "method": "testkit", "price": 20.5, "is_active": true, "status": "active",
        "fasting": false, "common_tat_days": 3, "worst_case_tat_days": 9,
    })
}

fn test(id: &str, markers: &[Marker]) -> LabTestRecord {
    LabTestRecord {
        details: Some(serde_json::from_value(details(&format!("slug-{id}"))).expect("details")),
        ..crate::labs::test(id, markers)
    }
}

async fn world(visible: &[(&str, &[i64])]) -> World {
    let world = World::new().await;
    let markers: Vec<Marker> = (1..=4).map(marker).collect();
    let account = LabAccountRecord {
        team_id: world.team.uuid(),
        lab_account_id: ACCOUNT,
        visible: visible
            .iter()
            .map(|(test, markers)| ((*test).to_owned(), markers.to_vec()))
            .collect(),
    };
    world
        .write(|write| {
            for id in ["c", "a", "e", "b", "d"] {
                write.put_lab_test(&test(id, &markers))?;
            }
            // A lab test without details.
            write.put_lab_test(&crate::labs::test("bb", &markers))?;
            write.put_lab_account(&account)
        })
        .await;
    world
}

/// Returns the ids of all pages of a limit.
async fn listed(world: &World, team: TeamId, account: Option<Uuid>, limit: usize) -> Option<Vec<String>> {
    let (mut ids, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = world.store.team(team).lab_tests(account, after.as_deref(), limit).await;
        let page = page.expect("reads")?;
        let tests = all(&page.lab_tests);
        assert!(tests.len() <= limit && (page.next.is_none() || tests.len() == limit));
        assert!(tests.iter().all(|test| test.markers.is_none()));
        ids.extend(tests.into_iter().map(|test| test.id));
        match page.next {
            Some(next) => after = Some(next),
            None => return Some(ids),
        }
    }
}

async fn one(world: &World, team: TeamId, id: &str, account: Option<Uuid>) -> Option<LabTest> {
    world.store.team(team).lab_test(id, account).await.expect("reads")
}

fn ids(test: Option<LabTest>) -> Option<Vec<i64>> {
    let markers = test?.markers.expect("its markers");
    Some(markers.iter().map(|marker| marker.id).collect())
}

#[tokio::test]
async fn tests_are_paged_by_id_for_every_team() {
    let world = world(&[]).await;
    for team in [world.team, world.stranger] {
        for limit in [1, 2, 3, 5, 6, 100, usize::MAX] {
            let found = listed(&world, team, None, limit).await.expect("no account");
            assert_eq!(found, ["a", "b", "c", "d", "e"], "{limit} a page");
        }
    }
    // After ids that do not exist.
    for (after, expected) in [("bb", 3), ("", 5), ("zz", 0), ("A", 5)] {
        let page = world.store.team(world.team).lab_tests(None, Some(after), 10).await;
        assert_eq!(
            page.expect("reads").expect("no account").lab_tests.len(),
            expected,
            "{after}"
        );
    }
}

#[tokio::test]
async fn an_account_lists_what_it_may_see() {
    let world = world(&[("d", &[1, 3]), ("bb", &[]), ("a", &[])]).await;
    for limit in [1, 2, 3] {
        let found = listed(&world, world.team, Some(ACCOUNT), limit).await;
        assert_eq!(found.expect("the account"), ["a", "d"], "{limit} a page");
    }
    assert_eq!(
        listed(&world, world.sister, Some(ACCOUNT), 9).await,
        None,
        "another team's"
    );
    assert_eq!(listed(&world, world.team, Some(Uuid::from_u128(6)), 9).await, None);
}

#[tokio::test]
async fn one_test_has_the_markers_that_an_account_may_see() {
    let world = world(&[("d", &[3, 1]), ("bb", &[1]), ("a", &[])]).await;
    let whole = one(&world, world.stranger, "d", None).await.expect("the test");
    let expected = test("d", &[]).lab_test().expect("a test");
    let mut shown = whole.clone();
    shown.markers = None;
    assert_eq!(shown, expected);
    assert_eq!(ids(Some(whole)), Some(vec![1, 2, 3, 4]));
    assert_eq!(ids(one(&world, world.team, "d", Some(ACCOUNT)).await), Some(vec![1, 3]));
    assert_eq!(ids(one(&world, world.team, "a", Some(ACCOUNT)).await), Some(vec![]));
    for (team, id, account) in [
        (world.team, "c", Some(ACCOUNT)),
        (world.sister, "d", Some(ACCOUNT)),
        (world.team, "d", Some(Uuid::from_u128(6))),
        (world.team, "bb", None),
        (world.team, "bb", Some(ACCOUNT)),
        (world.team, "none", None),
    ] {
        assert_eq!(one(&world, team, id, account).await, None, "{id}");
    }
}

/// The details come only from the record. Without them, the test is not listed.
#[tokio::test]
async fn details_come_and_go_with_the_record() {
    let world = world(&[]).await;
    let lines = exported(&world.store).await;
    let with_details = lines.iter().filter(|line| line.contains("\"details\"")).count();
    assert_eq!(with_details, 5);
    for line in lines.iter().filter(|line| line.starts_with("{\"lab_test\"")) {
        let record = serde_json::from_str(line).expect("a record");
        world.write(|write| write.put(&record)).await;
    }
    assert_eq!(exported(&world.store).await, lines);
    world
        .write(|write| write.put_lab_test(&crate::labs::test("c", &[])))
        .await;
    world.write(|write| write.put_lab_test(&test("bb", &[]))).await;
    let found = listed(&world, world.team, None, 100).await.expect("no account");
    assert_eq!(found, ["a", "b", "bb", "d", "e"]);
}

//! Lab tests with their markers, and their visibility to lab accounts.

use serde_json::json;
use uuid::Uuid;
use wearlab_models::Marker;
use wearlab_store::{LabAccountRecord, LabTestRecord, StoreError, TeamId};

use crate::world::{World, all, value};

const ACCOUNT: Uuid = Uuid::from_u128(5);

pub(crate) fn marker(id: i64) -> Marker {
    let base = json!({
        "id": id, "name": "Glucose", "slug": "glucose", "description": "", "lab_id": 1, "provider_id": "P1",
        "type": "biomarker", "unit": null, "price": "N/A", "expected_results": [],
    });
    value(base, json!({}))
}

pub(crate) fn test(id: &str, markers: &[Marker]) -> LabTestRecord {
    LabTestRecord {
        lab_test_id: id.to_owned(),
        name: id.to_uppercase(),
        markers: markers.to_vec(),
        details: None,
    }
}

fn account(team: TeamId, visible: &[(&str, &[i64])]) -> LabAccountRecord {
    LabAccountRecord {
        team_id: team.uuid(),
        lab_account_id: ACCOUNT,
        visible: visible
            .iter()
            .map(|(test, markers)| ((*test).to_owned(), markers.to_vec()))
            .collect(),
    }
}

impl World {
    async fn labs(self, visible: &[(&str, &[i64])]) -> Self {
        let markers: Vec<Marker> = (1..=5).rev().map(marker).collect();
        self.write(|write| {
            write.put_lab_test(&test("large", &markers))?;
            write.put_lab_test(&test("small", &markers[..2]))?;
            write.put_lab_test(&test("none", &[]))?;
            write.put_lab_account(&account(self.team, visible))
        })
        .await;
        self
    }

    async fn markers(
        &self,
        team: TeamId,
        test: &str,
        account: Option<Uuid>,
        page: i64,
        size: i64,
    ) -> Option<(Vec<i64>, i64)> {
        let page = self
            .store
            .team(team)
            .markers(test, account, page, size)
            .await
            .expect("reads")?;
        Some((all(&page.markers).iter().map(|marker| marker.id).collect(), page.total))
    }
}

#[tokio::test]
async fn markers_are_paged_by_id() {
    let world = World::new().await.labs(&[]).await;
    for team in [world.team, world.stranger] {
        assert_eq!(world.markers(team, "large", None, 1, 2).await, Some((vec![1, 2], 5)));
        assert_eq!(world.markers(team, "large", None, 3, 2).await, Some((vec![5], 5)));
    }
    for (page, size) in [(4, 2), (i64::MAX, i64::MAX), (1, 0), (1, -1)] {
        assert_eq!(
            world.markers(world.team, "large", None, page, size).await,
            Some((vec![], 5)),
            "{page} {size}"
        );
    }
    assert_eq!(
        world.markers(world.team, "small", None, 1, 50).await,
        Some((vec![4, 5], 2))
    );
    assert_eq!(world.markers(world.team, "none", None, 1, 50).await, Some((vec![], 0)));
    assert_eq!(world.markers(world.team, "unknown", None, 1, 50).await, None);
}

#[tokio::test]
async fn an_account_sees_what_it_may() {
    let world = World::new().await.labs(&[("large", &[5, 1, 4]), ("none", &[])]).await;
    let seen = async |team, test, account| world.markers(team, test, Some(account), 1, 2).await;
    assert_eq!(seen(world.team, "large", ACCOUNT).await, Some((vec![1, 4], 3)));
    assert_eq!(
        world.markers(world.team, "large", Some(ACCOUNT), 2, 2).await,
        Some((vec![5], 3))
    );
    assert_eq!(seen(world.team, "none", ACCOUNT).await, Some((vec![], 0)));
    assert_eq!(
        seen(world.team, "small", ACCOUNT).await,
        None,
        "a test that the account may not see"
    );
    assert_eq!(seen(world.team, "unknown", ACCOUNT).await, None);
    assert_eq!(
        seen(world.team, "large", Uuid::from_u128(6)).await,
        None,
        "no such account"
    );
    assert_eq!(
        seen(world.sister, "large", ACCOUNT).await,
        None,
        "another team's account"
    );
}

#[tokio::test]
async fn putting_again_replaces() {
    let world = World::new().await.labs(&[("large", &[1, 2, 3]), ("small", &[4])]).await;
    world
        .write(|write| write.put_lab_account(&account(world.team, &[("large", &[2, 3])])))
        .await;
    assert_eq!(
        world.markers(world.team, "large", Some(ACCOUNT), 1, 9).await,
        Some((vec![2, 3], 2))
    );
    assert_eq!(world.markers(world.team, "small", Some(ACCOUNT), 1, 9).await, None);

    world
        .write(|write| write.put_lab_test(&test("large", &[marker(3), marker(9)])))
        .await;
    assert_eq!(
        world.markers(world.team, "large", None, 1, 9).await,
        Some((vec![3, 9], 2))
    );
    assert_eq!(
        world.markers(world.team, "large", Some(ACCOUNT), 1, 9).await,
        Some((vec![3], 1))
    );
}

#[tokio::test]
async fn an_account_can_see_only_what_there_is() {
    let world = World::new().await.labs(&[]).await;
    let visible: [&[(&str, &[i64])]; 2] = [&[("unknown", &[])], &[("small", &[1])]];
    for visible in visible {
        let result = world
            .store
            .write(|write| write.put_lab_account(&account(world.team, visible)))
            .await;
        assert!(matches!(result, Err(StoreError::Missing { .. })), "{result:?}");
    }
}

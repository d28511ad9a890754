//! Tests of the data in a population.

use serde_json::Value;
use wearlab_models::ConnectionStatus;

use super::{Filled, filled, has, team, value};

#[tokio::test]
async fn the_described_user_has_something_of_everything() {
    for seed in 0..5 {
        let Filled { store, sample, .. } = &filled(seed, 3).await;
        let team = team(store, &sample.team_api_key).await;
        assert_eq!(team.uuid(), sample.team_id);
        let team = store.team(team);
        let user = value(&team.user(sample.user_id).await.expect("reads").expect("the user"));
        for field in ["fallback_birth_date", "ingestion_start", "ingestion_end"] {
            assert!(!user[field].is_null(), "{field}");
        }
        let connections = team
            .connections(sample.user_id)
            .await
            .expect("reads")
            .expect("the user");
        let connections: Vec<Value> = connections.iter().map(value).collect();
        for status in ConnectionStatus::KNOWN {
            assert!(has(&connections, "/status", status.as_str()), "{status}");
        }
        assert_eq!(
            user["connected_sources"].as_array().map(Vec::len),
            Some(connections.len())
        );
        assert_eq!(
            team.devices(sample.user_id)
                .await
                .expect("reads")
                .map(|devices| devices.len()),
            Some(5)
        );
        assert!(
            store
                .oauth_provider(&sample.oauth_provider)
                .await
                .expect("reads")
                .is_some()
        );
        let elsewhere = [&sample.other_team, &sample.other_organisation.team];
        for other in elsewhere {
            assert!(team.user(other.user_id).await.expect("reads").is_none());
            let its = super::team(store, &other.team_api_key).await;
            assert!(store.team(its).user(other.user_id).await.expect("reads").is_some());
        }
    }
}

#[tokio::test]
async fn accounts_see_different_markers() {
    let Filled { store, sample, .. } = &filled(1, 1).await;
    let team = team(store, &sample.team_api_key).await;
    let total = async |account| {
        let page = store
            .team(team)
            .markers(&sample.lab_test_id, account, 1, 50)
            .await
            .expect("reads");
        page.expect("the test").total
    };
    let all = total(None).await;
    let (most, few) = (
        total(Some(sample.lab_account_id)).await,
        total(Some(sample.other_lab_account_id)).await,
    );
    assert!(all > 60 && few < most && most < all, "{all} {most} {few}");
}

#[tokio::test]
async fn most_users_are_of_the_described_team() {
    let Filled { store, sample, .. } = &filled(1, 100).await;
    let total = async |key: &str| {
        let team = team(store, key).await;
        store.team(team).users(0, 1).await.expect("reads").total
    };
    assert_eq!(total(&sample.team_api_key).await, 80);
    assert_eq!(total(&sample.other_team.team_api_key).await, 10);
    assert_eq!(total(&sample.other_organisation.team.team_api_key).await, 10);
}

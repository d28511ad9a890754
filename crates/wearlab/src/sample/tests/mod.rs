//! What a population promises.

mod coverage;

use std::collections::BTreeMap;

use chrono::DateTime;
use serde_json::Value;
use wearlab_models::{ConnectionStatus, Encoded, Pipeline};
use wearlab_store::{PipelineFilter, Store, StoreError};

use self::coverage::has;
use super::{Sample, SampleOptions, fill};

struct Filled {
    _folder: tempfile::TempDir,
    store: Store,
    sample: Sample,
}

async fn filled(seed: u64, users: u32) -> Filled {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let sample = fill(&store, &SampleOptions { seed, users }).await.expect("fills");
    Filled {
        _folder: folder,
        store,
        sample,
    }
}

/// All that can be read, by the kind of document.
async fn documents(filled: &Filled) -> BTreeMap<&'static str, Vec<Value>> {
    let Filled { store, sample, .. } = filled;
    let mut found: BTreeMap<&'static str, Vec<Value>> = BTreeMap::new();
    let mut add = |kind, value: Value| found.entry(kind).or_default().push(value);
    let elsewhere = &sample.other_organisation;
    let keys = [
        &sample.team_api_key,
        &sample.other_team.team_api_key,
        &elsewhere.team.team_api_key,
    ];
    for key in keys {
        let team = store.team_of_key(key).await.expect("reads").expect("the key");
        let team = store.team(team);
        for user in team.users(0, 500).await.expect("reads").users {
            let user = value(&user);
            let id = serde_json::from_value(user["user_id"].clone()).expect("an id");
            let connections = team.connections(id).await.expect("reads").expect("the user");
            connections
                .iter()
                .for_each(|connection| add("connection", value(connection)));
            let devices = team.devices(id).await.expect("reads").expect("the user");
            devices.iter().for_each(|device| add("device", value(device)));
            add("user", user);
        }
    }
    for provider in store.providers(None).await.expect("reads") {
        let provider = value(&provider);
        if let Some(link) = store.oauth_provider(text(&provider["slug"])).await.expect("reads") {
            add("link", value(&link));
        }
        add("provider", provider);
    }
    let team = store
        .team_of_key(&sample.team_api_key)
        .await
        .expect("reads")
        .expect("the key");
    for test in [sample.lab_test_id.as_str(), "metabolic", "hormones"] {
        let page = store
            .team(team)
            .markers(test, None, 1, 100)
            .await
            .expect("reads")
            .expect("the test");
        page.markers.iter().for_each(|marker| add("marker", value(marker)));
    }
    for reason in store.cancellation_reasons().await.expect("reads") {
        add("reason", value(&reason));
    }
    for pipeline in pipelines(filled).await {
        add("pipeline", serde_json::to_value(pipeline).expect("JSON"));
    }
    found
}

async fn pipelines(Filled { store, sample, .. }: &Filled) -> Vec<Pipeline> {
    let elsewhere = &sample.other_organisation;
    let places = [
        (&sample.management_key, sample.env, sample.region),
        (&sample.management_key, sample.other_team.env, sample.other_team.region),
        (&elsewhere.management_key, elsewhere.team.env, elsewhere.team.region),
    ];
    let mut found = Vec::new();
    for (key, env, region) in places {
        let organisation = store.organisation_of_key(key).await.expect("reads").expect("the key");
        let page = store
            .pipelines(&organisation, env, region, &PipelineFilter::default(), 50)
            .await
            .expect("reads");
        found.extend(page.pipelines);
    }
    found
}

fn value<T>(document: &Encoded<T>) -> Value {
    serde_json::from_slice(document.as_bytes()).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_seed_makes_the_same_bytes_and_another_seed_others() {
    let (one, two, three) = (filled(7, 50).await, filled(7, 50).await, filled(8, 50).await);
    assert!(one.sample == two.sample);
    assert!(one.sample == Sample::describe(7));
    assert_eq!(documents(&one).await, documents(&two).await);
    assert_ne!(documents(&one).await["user"], documents(&three).await["user"]);
    assert!(one.sample.team_api_key != three.sample.team_api_key);
    let (store, few) = (&one.store, filled(7, 10).await);
    let team = |store: &Store| {
        let (store, key) = (store.clone(), one.sample.team_api_key.clone());
        async move { store.team_of_key(&key).await.expect("reads").expect("the key") }
    };
    let user = one.sample.user_id;
    let of_many = store
        .team(team(store).await)
        .user(user)
        .await
        .expect("reads")
        .expect("the user");
    let of_few = few
        .store
        .team(team(&few.store).await)
        .user(user)
        .await
        .expect("reads")
        .expect("the user");
    assert_eq!(
        of_many.as_bytes(),
        of_few.as_bytes(),
        "a user does not depend on how many there are"
    );
}

#[tokio::test]
async fn a_store_that_was_filled_is_left_as_it_is() {
    let filled = filled(7, 20).await;
    let before = documents(&filled).await;
    for seed in [7, 8] {
        let again = fill(&filled.store, &SampleOptions { seed, users: 50 })
            .await
            .expect("describes");
        assert!(again == filled.sample, "the seed that filled the store decides");
    }
    assert_eq!(documents(&filled).await, before);
}

#[tokio::test]
async fn a_store_with_other_data_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    store
        .write(|write| write.put_organisation("org"))
        .await
        .expect("writes");
    let error = fill(&store, &SampleOptions { seed: 1, users: 1 })
        .await
        .expect_err("is refused");
    assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
}

#[tokio::test]
async fn the_described_user_has_something_of_everything() {
    for seed in 0..5 {
        let Filled { store, sample, .. } = &filled(seed, 3).await;
        let team = store
            .team_of_key(&sample.team_api_key)
            .await
            .expect("reads")
            .expect("the key");
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
            let its = store
                .team_of_key(&other.team_api_key)
                .await
                .expect("reads")
                .expect("the key");
            assert!(store.team(its).user(other.user_id).await.expect("reads").is_some());
        }
    }
}

#[tokio::test]
async fn accounts_see_different_markers() {
    let Filled { store, sample, .. } = &filled(1, 1).await;
    let team = store
        .team_of_key(&sample.team_api_key)
        .await
        .expect("reads")
        .expect("the key");
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
    let hits = store.search_diagnoses("diabetes type 2", 50).await.expect("searches");
    assert!(hits.len() > 3);
}

#[tokio::test]
async fn most_users_are_of_the_described_team() {
    let Filled { store, sample, .. } = &filled(1, 100).await;
    let total = async |key: &str| {
        let team = store.team_of_key(key).await.expect("reads").expect("the key");
        store.team(team).users(0, 1).await.expect("reads").total
    };
    assert_eq!(total(&sample.team_api_key).await, 80);
    assert_eq!(total(&sample.other_team.team_api_key).await, 10);
    assert_eq!(total(&sample.other_organisation.team.team_api_key).await, 10);
}

#[tokio::test]
async fn keys_and_times_do_not_come_from_outside() {
    let sample = Sample::describe(1);
    assert!(sample.team_api_key.starts_with("wl_team_") && sample.team_api_key.len() == 40);
    assert!(sample.management_key.starts_with("wl_mgmt_") && sample.management_key.len() == 40);
    let shown = format!("{sample:?}");
    for key in [
        &sample.team_api_key,
        &sample.management_key,
        &sample.other_team.team_api_key,
    ] {
        assert!(!shown.contains(key.as_str()));
    }
    let latest = DateTime::parse_from_rfc3339("2027-01-01T00:00:00Z").expect("a time");
    for user in &documents(&filled(1, 100).await).await["user"] {
        let created = DateTime::parse_from_rfc3339(text(&user["created_on"])).expect("a time");
        assert!(created < latest);
    }
}

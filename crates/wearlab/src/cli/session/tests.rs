//! Tests that only the command can use its service, and that its keys are accepted nowhere else.

use std::sync::Arc;

use wearlab_client::{Client, Error};
use wearlab_linking::Linking;
use wearlab_models::{Environment, Region, Uuid};
use wearlab_server::Auth;
use wearlab_service::{Operator, Service, Settings};
use wearlab_store::{KeyRecord, Store, TeamRecord};

use super::local::Local;

const KEY: &str = "wl_mgmt_of_somebody_with_a_key";

async fn store(directory: &std::path::Path) -> Store {
    let store = Store::open(directory).expect("a store");
    let team = TeamRecord {
        team_id: Uuid::from_u128(1),
        org_id: "org".to_owned(),
        environment: Environment::Sandbox,
        region: Region::Eu,
    };
    let key = KeyRecord::of_organisation("org".to_owned(), KEY.to_owned());
    let written = store.write(|write| {
        write.put_organisation("org")?;
        write.put_team(&team)?;
        write.put_key(&key)
    });
    written.await.expect("writes");
    store
}

#[tokio::test]
async fn the_listener_of_a_command_refuses_all_but_the_command() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = store(directory.path()).await;
    let linking = Arc::new(Linking::new(Default::default(), "http://127.0.0.1:1"));
    let service = Service::starting(Settings::default(), wearlab_clock::now);
    let local = Local::serve(store, service, linking).await.expect("serves");
    let own = local.organisation("org").await.expect("the organisation");
    own.client
        .list_keys(&own.id)
        .send()
        .await
        .expect("it is the operator's");
    let (other, team) = (Operator::new([7; 32]), Uuid::from_u128(1));
    for key in [
        KEY.to_owned(),
        other.organisation_key("org").expose().to_owned(),
        "x".to_owned(),
    ] {
        let client = Client::builder()
            .base_url(local.url())
            .management_key(&key)
            .api_key(&key)
            .build();
        let client = client.expect("a client");
        let managed = client.list_keys("org").send().await.expect_err("no operator");
        assert!(matches!(managed, Error::Unauthorized(_)), "{managed}");
        let of_team = client.list_users().send().await.expect_err("no operator");
        assert!(matches!(of_team, Error::Unauthorized(_)), "{of_team}");
    }
    assert!(local.organisation("other").await.is_err() && local.team(Uuid::from_u128(2)).await.is_err());
    local
        .team(team)
        .await
        .expect("a client")
        .list_users()
        .send()
        .await
        .expect("it is the operator's");
    let url = local.url().to_owned();
    drop(local);
    let later = Client::builder()
        .base_url(url)
        .management_key(KEY)
        .build()
        .expect("a client");
    let later = later.list_keys("org").send().await.expect_err("it has ended");
    assert!(matches!(later, Error::Transport(_)), "{later}");
}

#[tokio::test]
async fn a_service_for_others_accepts_no_operator() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = store(directory.path()).await;
    let operator = Operator::new([7; 32]);
    let service = Service::new(store, Settings::default(), wearlab_clock::now, [0; 32])
        .await
        .expect("a service");
    assert!(service.management_key(KEY).await.is_ok());
    assert!(
        service
            .management_key(operator.organisation_key("org").expose())
            .await
            .is_err()
    );
    assert!(
        service
            .team_api_key(operator.team_key(Uuid::from_u128(1)).expose())
            .await
            .is_err()
    );
}

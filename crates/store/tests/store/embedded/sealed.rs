//! Encryption of pipelines and webhook endpoints.

use std::path::Path;

use chrono::DateTime;
use serde_json::json;
use uuid::Uuid;
use wearlab_models::{Environment, Pipeline, Region, Secret};
use wearlab_store::{
    EmbeddedSettings, OrganisationId, PipelineFilter, Record, SecretKey, SigningSecret, Store, StoreError, TeamId,
    WebhookEndpoint,
};

use crate::pipelines::pipeline;
use crate::world::{World, exported, put_team, traces, value};

fn keys(numbers: &[u8]) -> Vec<SecretKey> {
    numbers.iter().map(|number| [*number; 32].into()).collect()
}

/// Returns a pipeline with a secret in each field that can hold one.
fn secretive(team: TeamId) -> Pipeline {
    let matchers = json!([{
        "event_type_prefix": "daily.",
        "blob_storage": {"connection_string": format!("blob-secret-{team}"), "container_name": "events"},
    }]);
    let more = json!({
        "rabbitmq": {"uri": format!("amqps://user:rabbit-secret-{team}@broker.example/"), "exchange": "events"},
        "azure_amqp": {
            "connection_string": format!("azure-secret-{team}"), "default_event_hub": "hub",
            "event_hub_matchers": matchers, "compression": "auto",
        },
    });
    let mut pipeline: Pipeline = value(serde_json::to_value(pipeline(team.uuid())).expect("JSON"), more);
    // Many lengths, so that pages are filled and split in many ways.
    let length = team.uuid().as_u128() % 37;
    pipeline.event_type_prefixes = (0..length).map(|at| format!("prefix.{at}.")).collect();
    pipeline
}

fn secrets(teams: &[TeamId]) -> Vec<Vec<u8>> {
    let kinds = ["rabbit", "azure", "blob", "address", "signing"];
    let secrets = teams
        .iter()
        .flat_map(|team| kinds.map(|kind| format!("{kind}-secret-{team}")));
    secrets.map(String::into_bytes).collect()
}

/// Returns an endpoint with secrets in its URL and beside it.
fn webhook(team: TeamId) -> WebhookEndpoint {
    WebhookEndpoint {
        webhook_id: format!("wh_{team}"),
        team_id: team.uuid(),
        url: format!("https://hooks.example/address-secret-{team}"),
        event_type_prefixes: Vec::new(),
        secrets: vec![SigningSecret {
            secret: Secret::new(format!("signing-secret-{team}")),
            until: None,
        }],
        created_on: DateTime::UNIX_EPOCH,
        disabled: None,
    }
}

/// Puts pipelines of many teams, so that they share pages and are moved between them.
async fn populate(store: &Store, organisation: &OrganisationId) -> Vec<TeamId> {
    let put = store.write(|write| {
        let mut teams = Vec::new();
        for number in 0..300_u128 {
            let team = put_team(write, 100 + number * 7_919 % 1_009, organisation)?;
            write.put_pipeline(team, &secretive(team))?;
            write.put_webhook(&webhook(team))?;
            teams.push(team);
        }
        Ok(teams)
    });
    put.await.expect("writes")
}

/// An export has no webhooks.
fn is_of_webhook(secret: &[u8]) -> bool {
    secret.starts_with(b"address") || secret.starts_with(b"signing")
}

async fn read(store: &Store, organisation: &OrganisationId) -> Result<Vec<Pipeline>, StoreError> {
    let filter = PipelineFilter::default();
    let page = store
        .pipelines(organisation, Environment::Production, Region::Us, &filter, 1_000)
        .await?;
    Ok(page.pipelines)
}

fn expected(teams: &[TeamId]) -> Vec<Pipeline> {
    let mut teams = teams.to_vec();
    teams.sort();
    teams.into_iter().map(secretive).collect()
}

fn assert_sealed(directory: &Path, teams: &[TeamId]) {
    let secrets = secrets(teams);
    let found = traces(directory, &secrets);
    assert!(
        found.is_empty(),
        "{} secrets can be read in {:?}",
        found.len(),
        found[0].0
    );
}

fn assert_refused(directory: &Path, numbers: &[u8]) {
    let error = Store::open_with(directory, &EmbeddedSettings::default(), &keys(numbers)).expect_err("is refused");
    assert!(matches!(error, StoreError::Sealed), "{error:?}");
    assert!(error.to_string().contains("secret key"), "{error}");
}

#[tokio::test]
async fn with_a_key_no_file_shows_a_secret() {
    let World {
        directory, store, ours, ..
    } = World::new().await;
    drop(store);
    let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[1])).expect("opens");
    let teams = populate(&store, &ours).await;
    assert_sealed(directory.path(), &teams);
    assert_eq!(read(&store, &ours).await.expect("reads"), expected(&teams));
    let one = store.write(|write| write.pipeline(teams[3])).await.expect("reads");
    assert_eq!(one, Some(secretive(teams[3])));
    let lines = exported(&store).await.concat().into_bytes();
    for secret in secrets(&teams).into_iter().filter(|secret| !is_of_webhook(secret)) {
        assert!(
            lines.windows(secret.len()).any(|window| window == secret),
            "an export carries secrets"
        );
    }
    drop(store);
    assert_sealed(directory.path(), &teams);

    for others in [&[][..], &[2], &[2, 3]] {
        assert_refused(directory.path(), others);
    }
    let again = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[1])).expect("opens");
    assert_eq!(read(&again, &ours).await.expect("reads"), expected(&teams));
}

#[tokio::test]
async fn a_key_that_is_added_encrypts_what_is_there() {
    let World {
        directory, store, ours, ..
    } = World::new().await;
    let teams = populate(&store, &ours).await;
    let before = exported(&store).await;
    assert!(
        !traces(directory.path(), &secrets(&teams)).is_empty(),
        "what is looked for is there"
    );
    drop(store);
    let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[1])).expect("opens");
    assert_sealed(directory.path(), &teams);
    assert_eq!(exported(&store).await, before);
    assert!(store.webhooks().await.expect("reads").contains(&webhook(teams[7])));
    drop(store);
    assert_sealed(directory.path(), &teams);
    assert_refused(directory.path(), &[]);
}

#[tokio::test]
async fn a_key_is_changed_by_putting_the_new_one_first() {
    let World {
        directory, store, ours, ..
    } = World::new().await;
    drop(store);
    let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[1])).expect("opens");
    populate(&store, &ours).await;
    let (before, webhooks) = (exported(&store).await, store.webhooks().await.expect("reads"));
    drop(store);
    drop(Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[2, 1])).expect("opens"));
    assert_refused(directory.path(), &[1]);
    let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[2]))
        .expect("the older key is needed no longer");
    assert_eq!(exported(&store).await, before);
    assert_eq!(store.webhooks().await.expect("reads"), webhooks);
}

#[tokio::test]
async fn plain_text_that_could_not_be_removed_is_removed_later() {
    let World {
        directory, store, ours, ..
    } = World::new().await;
    let teams = populate(&store, &ours).await;
    let raw = wearlab_checksum_vfs::open(directory.path().join("wearlab.db"), rusqlite::OpenFlags::default())
        .expect("a database");
    raw.execute_batch("BEGIN; SELECT * FROM pipelines").expect("reads");
    let error = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[1]))
        .expect_err("somebody reads what was");
    let cause = std::error::Error::source(&error)
        .map(ToString::to_string)
        .expect("a cause");
    assert!(
        error.to_string().contains("wearlab.db") && cause.contains("busy"),
        "{error}: {cause}"
    );
    raw.execute_batch("COMMIT").expect("reads no more");
    assert!(
        !traces(directory.path(), &secrets(&teams)).is_empty(),
        "is still in the log"
    );
    let sealed = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[1])).expect("opens");
    assert_sealed(directory.path(), &teams);
    assert_eq!(read(&sealed, &ours).await.expect("reads"), expected(&teams));
    // A store that was already open, without the key, fails.
    let error = read(&store, &ours).await.expect_err("has no key");
    assert!(matches!(error, StoreError::Sealed), "{error:?}");
    let each = |_: Record| Ok(());
    let error = store.export(each).await.expect_err("has no key");
    assert!(matches!(error, StoreError::Sealed), "{error:?}");
}

#[tokio::test]
async fn a_pipeline_of_one_team_does_not_open_as_that_of_another() {
    let World {
        directory,
        store,
        team,
        sister,
        ..
    } = World::new().await;
    drop(store);
    let store = Store::open_with(directory.path(), &EmbeddedSettings::default(), &keys(&[1])).expect("opens");
    let put = store.write(|write| {
        write.put_pipeline(team, &secretive(team))?;
        write.put_pipeline(sister, &secretive(sister))
    });
    put.await.expect("writes");
    let raw = wearlab_checksum_vfs::open(directory.path().join("wearlab.db"), rusqlite::OpenFlags::default())
        .expect("a database");
    let swap = "UPDATE pipelines SET document = (SELECT document FROM pipelines WHERE team_id = ?2) WHERE team_id = ?1";
    let ids = [team, sister].map(|team: TeamId| -> Uuid { team.uuid() });
    raw.execute(swap, [ids[0].as_bytes(), ids[1].as_bytes()])
        .expect("writes");
    let error = store.write(|write| write.pipeline(team)).await.expect_err("is refused");
    assert!(matches!(error, StoreError::Sealed), "{error:?}");
}

//! World of the tests: two organisations, three teams.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, Device, Encoded, Environment, Region, User};
use wearlab_store::{OrganisationId, Record, Store, StoreError, TeamId, TeamRecord, Transaction};

use crate::place::open;

pub(crate) struct World {
    pub(crate) directory: TempDir,
    pub(crate) store: Store,
    pub(crate) ours: OrganisationId,
    pub(crate) theirs: OrganisationId,
    /// The team under test.
    pub(crate) team: TeamId,
    /// Another team of the same organisation.
    pub(crate) sister: TeamId,
    /// A team of another organisation.
    pub(crate) stranger: TeamId,
}

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let store = open(directory.path()).await;
        Self::on(directory, store).await
    }

    /// Creates the same world in a store of a directory.
    pub(crate) async fn on(directory: TempDir, store: Store) -> Self {
        let (ours, theirs, teams) = store
            .write(|write| {
                let ours = write.put_organisation("org_ours")?;
                let theirs = write.put_organisation("org_theirs")?;
                let teams =
                    [(1, &ours), (2, &ours), (3, &theirs)].map(|(id, organisation)| put_team(write, id, organisation));
                Ok((ours, theirs, teams))
            })
            .await
            .expect("writes");
        let [team, sister, stranger] = teams.map(|team| team.expect("a team"));
        Self {
            directory,
            store,
            ours,
            theirs,
            team,
            sister,
            stranger,
        }
    }

    pub(crate) async fn write<T>(&self, work: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError> + Send) -> T {
        self.store.write(work).await.expect("writes")
    }

    pub(crate) async fn user(&self, team: TeamId, user_id: u128) -> Option<User> {
        let user = self
            .store
            .team(team)
            .user(Uuid::from_u128(user_id))
            .await
            .expect("reads");
        user.map(|user| decoded(&user))
    }
}

pub(crate) fn put_team(
    write: &mut Transaction<'_>,
    id: u128,
    organisation: &OrganisationId,
) -> Result<TeamId, StoreError> {
    write.put_team(&TeamRecord {
        team_id: Uuid::from_u128(id),
        org_id: organisation.as_str().to_owned(),
        environment: Environment::Production,
        region: Region::Us,
    })
}

/// Parses a value from JSON in which fields of `more` replace or extend those of `base`.
pub(crate) fn value<T: DeserializeOwned>(mut base: Value, more: Value) -> T {
    if let (Value::Object(base), Value::Object(more)) = (&mut base, more) {
        base.extend(more);
    }
    serde_json::from_value(base).expect("a value")
}

pub(crate) fn user(team: TeamId, id: u128, created_on: &str) -> User {
    let base = json!({
        "user_id": Uuid::from_u128(id),
        "team_id": team.uuid(),
        "client_user_id": format!("client-{id}"),
        "created_on": created_on,
        "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2024-01-01T00:00:00Z"},
    });
    value(base, json!({}))
}

pub(crate) fn connection(slug: &str, created_on: &str) -> ConnectedProvider {
    let base = json!({
        "name": format!("The {slug}"),
        "slug": slug,
        "logo": format!("https://logos.example/{slug}.svg"),
        "status": "connected",
        "created_on": created_on,
        "resource_availability": {},
    });
    value(base, json!({}))
}

pub(crate) fn device(user_id: u128, id: u128) -> Device {
    let base = json!({
        "id": Uuid::from_u128(id),
        "user_id": Uuid::from_u128(user_id),
        "provider": "stridewell",
        "source_type": "watch",
    });
    value(base, json!({}))
}

/// Returns everything in a store, one record in each line.
pub(crate) async fn exported(store: &Store) -> Vec<String> {
    let mut lines = Vec::new();
    let each = |record: Record| {
        lines.push(serde_json::to_string(&record).expect("JSON"));
        Ok::<_, StoreError>(())
    };
    store.export(each).await.expect("exports");
    lines
}

/// Returns the texts or bytes that occur anywhere in the files of a directory.
pub(crate) fn traces<'a>(directory: &Path, texts: &'a [Vec<u8>]) -> Vec<(PathBuf, &'a [u8])> {
    const BEGINNING: usize = 6;
    let mut beginnings = HashMap::<&[u8], Vec<&[u8]>>::new();
    for text in texts {
        assert!(text.len() >= BEGINNING, "what is looked for must not come up by chance");
        beginnings.entry(&text[..BEGINNING]).or_default().push(text);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("reads");
        for (at, window) in bytes.windows(BEGINNING).enumerate() {
            let Some(texts) = beginnings.get(window) else { continue };
            let here = texts.iter().filter(|text| bytes[at..].starts_with(text));
            found.extend(here.map(|text| (path.clone(), *text)));
        }
    }
    found
}

pub(crate) fn decoded<T: DeserializeOwned>(encoded: &Encoded<T>) -> T {
    serde_json::from_slice(encoded.as_bytes()).expect("a document")
}

pub(crate) fn all<T: DeserializeOwned>(encoded: &[Encoded<T>]) -> Vec<T> {
    encoded.iter().map(decoded).collect()
}

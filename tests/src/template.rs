//! Initial content of the stores of running services.
//!
//! Filling a store takes longer than most tests. It is done once in a process for each seed and number of users, and
//! all stores in directories are copies.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::OnceCell;
use wearlab_models::Uuid;
use wearlab_sample::{Sample, SampleOptions};
use wearlab_store::{KeyRecord, KeyScope, KeyScopes, Store};

use crate::{EXPIRED_LINK_TOKEN, LINK_TOKEN, Place, linked, orders, put_event, values};

/// Store that is filled and closed.
struct Template {
    sample: Sample,
    /// Files, by their names.
    files: Vec<(OsString, Vec<u8>)>,
}

/// Templates, by the seed and the number of users.
type Templates = HashMap<(u64, u32), Arc<OnceCell<Template>>>;

/// Templates of this process. They are in memory, because no process would delete files.
static TEMPLATES: LazyLock<Mutex<Templates>> = LazyLock::new(Mutex::default);

/// Copies a store with a sample and the data of tests into an empty directory.
pub(crate) async fn copy(options: &SampleOptions, directory: &Path) -> Sample {
    let template = {
        let mut templates = TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(templates.entry((options.seed, options.users)).or_default())
    };
    let template = template.get_or_init(async || make(options).await).await;
    for (name, content) in &template.files {
        fs::write(directory.join(name), content).expect("writes");
    }
    template.sample.clone()
}

async fn make(options: &SampleOptions) -> Template {
    let place = Place::directory();
    let store = place.open().await;
    let sample = fill(&store, options).await;
    // The last connection to close removes the log.
    drop(store);
    let Place::Directory(directory) = &place else {
        unreachable!("made as a directory")
    };
    let files = fs::read_dir(directory.path()).expect("a directory").map(|entry| {
        let entry = entry.expect("an entry");
        (entry.file_name(), fs::read(entry.path()).expect("reads"))
    });
    Template {
        sample,
        files: files.collect(),
    }
}

/// Fills an empty store.
pub(crate) async fn fill(store: &Store, options: &SampleOptions) -> Sample {
    let sample = wearlab_sample::fill(store, options).await.expect("sample data");
    let team = store
        .team_of_key(&sample.team_api_key)
        .await
        .expect("a read")
        .expect("the sample's team");
    let all: KeyScopes = KeyScope::ALL.into_iter().collect();
    let other = &sample.other_organisation;
    let keys = [
        KeyRecord::of_team(sample.team_id, &sample.team_api_key),
        KeyRecord::of_organisation(&sample.org_id, &sample.management_key),
        KeyRecord::of_team(sample.other_team.team_id, &sample.other_team.team_api_key),
        KeyRecord::of_team(other.team.team_id, &other.team.team_api_key),
        KeyRecord::of_organisation(&other.org_id, &other.management_key),
    ];
    store
        .write(|write| {
            for key in keys {
                let scopes = Some(all);
                write.put_key(&KeyRecord { scopes, ..key })?;
            }
            write.put_link_token(team, LINK_TOKEN, Utc::now() + TimeDelta::hours(1))?;
            for team in [sample.team_id, sample.other_team.team_id, other.team.team_id] {
                write.put_webhook(&values::webhook(team, &values::webhook_of(team)))?;
            }
            for record in values::records(sample.team_id, sample.user_id) {
                write.put(&record)?;
            }
            write.put(&orders::completed(sample.team_id, sample.user_id))?;
            put_event(write, team, sample.user_id, || Uuid::from_u128(0xe01))?;
            linked::put(write, &sample.org_id, team, sample.user_id, &sample.oauth_provider)?;
            write.put_link_token(team, EXPIRED_LINK_TOKEN, DateTime::UNIX_EPOCH)
        })
        .await
        .expect("link tokens");
    sample
}

//! Tests of a population.

mod content;
mod filling;
mod golden;
mod values;

use std::collections::BTreeMap;

use serde_json::Value;
use wearlab_models::{Encoded, Pipeline};
use wearlab_store::{PipelineFilter, Store, TeamId};

use super::{Sample, SampleOptions, fill};

struct Filled {
    _directory: tempfile::TempDir,
    store: Store,
    sample: Sample,
}

async fn filled(seed: u64, users: u32) -> Filled {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a store");
    let sample = fill(&store, &SampleOptions { seed, users }).await.expect("fills");
    Filled {
        _directory: directory,
        store,
        sample,
    }
}

/// Returns all readable documents by kind.
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
        let team = store.team(team(store, key).await);
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
    let team = team(store, &sample.team_api_key).await;
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

async fn team(store: &Store, key: &str) -> TeamId {
    store.team_of_key(key).await.expect("reads").expect("the key")
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

/// Returns whether some document, or a list in it, has a text at a JSON pointer.
fn has(documents: &[Value], pointer: &str, wanted: &str) -> bool {
    documents
        .iter()
        .filter_map(|document| document.pointer(pointer))
        .any(|found| match found {
            Value::Array(items) => items.iter().any(|item| item == wanted),
            Value::Object(fields) => fields.contains_key(wanted),
            other => other == wanted,
        })
}

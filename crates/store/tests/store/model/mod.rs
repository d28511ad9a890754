//! Random arrivals, repeats and orders against a naive model: outcomes, events and reads must be equal.
//!
//! Between arrivals, users change their settings, move, are deleted and come back. The clock jumps, and deprecated
//! forms end. Transactions are rolled back, and the store is reopened.

mod data;
mod naive;
mod random;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, Device};
use wearlab_store::{Ingestion, IntrospectionFilter, LoggedEvent, Store, StoreError, Transaction};

use crate::arriving::{AT, assert_sound, at, ingestion, log};
use crate::place::open;
use crate::seed::Seed;
use crate::world::{World, all, user};

use self::naive::{Logged, Model};
use self::random::{Clock, PROVIDERS, RESOURCES, Step, USERS, draw, forms};

async fn populated() -> (World, Model) {
    let world = World::new().await;
    let mut model = Model::default();
    let people = (1..=USERS).map(|id| user(world.team, id, AT));
    for person in people {
        world.write(|write| write.put_user(world.team, &person)).await;
        model.put_user(&person);
        // A user of another team with the same id, who must get no data.
        let mut namesake = person;
        namesake.team_id = world.sister.uuid();
        namesake.client_user_id.insert_str(0, "sister-");
        world.write(|write| write.put_user(world.sister, &namesake)).await;
    }
    (world, model)
}

/// Runs a step, and returns its outcome. None if it was refused.
fn take(
    write: &mut Transaction<'_>,
    world: &World,
    step: &Step,
    ingestion: &Ingestion,
) -> Result<Option<String>, StoreError> {
    let team = world.team;
    let taken = write.attempt(|write| match step {
        Step::Arrival(arrival) => write.ingest(arrival, ingestion).map(|taken| format!("{taken:?}")),
        Step::Import(user_id, connection) => write.put_connection(team, *user_id, connection).map(|()| String::new()),
        Step::User(user) => write.put_user(team, user).map(|()| String::new()),
        Step::Forget(user_id) => write.delete_user(team, *user_id).map(|found| found.to_string()),
        Step::DropPulls(since) => write.delete_unfinished_pulls(*since).map(|count| count.to_string()),
    });
    match taken {
        Ok(taken) => Ok(Some(taken)),
        Err(StoreError::Missing { .. } | StoreError::Conflict { .. } | StoreError::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Number of occurrences of each outcome.
type Counts = BTreeMap<String, usize>;

/// Runs steps in writes of a few, some of which are rolled back, and compares the outcomes.
async fn compare(
    store: &Store,
    world: &World,
    model: &mut Model,
    clock: &mut Clock,
    rng: &mut ChaCha8Rng,
    steps: &[Step],
    counts: &mut Counts,
) {
    const LOST: StoreError = StoreError::Conflict { what: "is lost" };
    let mut rest = steps;
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(rng.random_range(1..=rest.len().min(8)));
        let lost = rng.random_range(0..6) == 0;
        let now = clock.tick(rng);
        let ingestion = Ingestion {
            now,
            ..ingestion(model.forms)
        };
        let mut outcomes = Vec::new();
        let written = store
            .write(|write| {
                for step in batch {
                    outcomes.push(take(write, world, step, &ingestion)?);
                }
                if lost { Err(LOST) } else { Ok(()) }
            })
            .await;
        match written {
            Err(StoreError::Conflict { what: "is lost" }) if lost => {
                *counts.entry("lost".to_owned()).or_default() += 1;
                continue;
            }
            written => written.expect("writes"),
        }
        for (step, outcome) in batch.iter().zip(outcomes) {
            assert_eq!(outcome, model.take(step, now), "{step:?} at {now}");
            let outcome = match step {
                Step::DropPulls(_) if outcome.as_deref() != Some("0") => "some".to_owned(),
                _ => outcome.unwrap_or_else(|| "refused".to_owned()),
            };
            *counts.entry(format!("{} {outcome}", step.kind())).or_default() += 1;
        }
        model.end_of_write(now);
        rest = after;
    }
}

/// Returns an event as it was written, without its id.
fn logged(event: &LoggedEvent) -> Logged {
    let mut payload: Value = serde_json::from_slice(event.payload.as_bytes()).expect("JSON");
    payload.as_object_mut().expect("an object").remove("event_id");
    Logged {
        user: event.user_id,
        created_on: event.created_on,
        event_type: event.event_type.clone(),
        payload,
    }
}

async fn round(seed: &Seed, counts: &mut Counts) {
    let seed = seed.number();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (world, mut model) = populated().await;
    model.forms = forms(seed);
    let mut clock = Clock::at(at("2026-06-01T00:00:00Z"));
    let mut store = world.store.clone();
    let mut sent: Vec<Step> = Vec::new();
    let mut last = 0;
    for part in 0..6 {
        let mut steps: Vec<_> = (0..150).map(|_| draw(&mut rng, world.team, clock.now)).collect();
        // Sends some of the earlier steps again, in another order, and sometimes the last ones in order.
        let count = rng.random_range(0..=sent.len().min(30));
        steps.extend((0..count).map(|_| sent[rng.random_range(0..sent.len())].clone()));
        steps.shuffle(&mut rng);
        steps.extend_from_slice(&sent[sent.len() - rng.random_range(0..=sent.len().min(20))..]);
        compare(&store, &world, &mut model, &mut clock, &mut rng, &steps, counts).await;
        sent.extend(steps);
        if part == 3 {
            store = open(world.directory.path()).await;
        }
        last = assert_reported(&store, &model, last, counts).await;
        assert_shown(&world, &model).await;
    }
}

/// Panics unless the log has the events of the model. Counts those after a number, and returns the last number.
async fn assert_reported(store: &Store, model: &Model, after: i64, counts: &mut Counts) -> i64 {
    let log = log(store).await;
    log.iter().for_each(assert_sound);
    let ids: HashSet<_> = log.iter().map(|event| &event.event_id).collect();
    assert_eq!(ids.len(), log.len(), "each event has an id of its own");
    assert!(log.is_sorted_by(|one, next| one.number < next.number));
    // One writer keeps the order of all events. Events of a user are always in order.
    for (found, expected) in log.iter().zip(&model.events) {
        assert_eq!(logged(found), *expected);
    }
    assert_eq!(log.len(), model.events.len());
    let historical = log
        .iter()
        .filter(|event| event.event_type.starts_with("historical.data."));
    assert_eq!(historical.count(), model.completed_pulls(), "each pull has one event");
    for event in log.iter().filter(|event| event.number > after) {
        let family = event.event_type.replace("steps", "*").replace("heartrate", "*");
        *counts.entry(family).or_default() += 1;
    }
    log.last().map_or(after, |last| last.number)
}

/// Panics unless reads return the connections, sources and devices of the model.
async fn assert_shown(world: &World, model: &Model) {
    for id in 1..=USERS {
        let user_id = Uuid::from_u128(id);
        let team = world.store.team(world.team);
        let shown = team.connections(user_id).await.expect("reads");
        assert_eq!(shown.is_some(), model.has_user(user_id));
        let sister = world
            .store
            .team(world.sister)
            .connections(user_id)
            .await
            .expect("reads");
        assert_eq!(sister.map(|shown| shown.len()), Some(0), "of another team");
        let Some(shown) = shown else { continue };
        let shown: Vec<ConnectedProvider> = all(&shown);
        let by_slug = shown
            .iter()
            .map(|connection| (connection.slug.clone(), json!(connection)));
        assert_eq!(by_slug.collect::<BTreeMap<_, _>>(), model.connections_of(user_id));
        let person = world.user(world.team, id).await.expect("the user");
        let sources: BTreeSet<_> = (person.connected_sources.iter())
            .map(|source| (source.source.slug.clone(), json!(source.created_on)))
            .map(|(slug, created_on)| (slug, created_on.to_string()))
            .collect();
        let connected: BTreeSet<_> = (model.connections_of(user_id).into_iter())
            .map(|(slug, connection)| (slug, connection["created_on"].to_string()))
            .collect();
        assert_eq!(sources, connected);
        let devices: Vec<Device> = all(&team.devices(user_id).await.expect("reads").expect("the user"));
        let devices: BTreeMap<_, _> = devices.iter().map(|device| (device.id, json!(device))).collect();
        assert_eq!(devices, model.devices_of(user_id));
        model.values.assert_shown(&world.store, world.team, user_id).await;
        let filter = IntrospectionFilter {
            user_id: Some(user_id),
            ..IntrospectionFilter::default()
        };
        let page = team.introspected_resources(&filter, 100).await.expect("reads");
        let shown = json!(page.expect("the user").users[0].provider);
        for provider in PROVIDERS {
            for resource in RESOURCES {
                let days = model.days_with_data(&(user_id, provider.to_owned(), resource.to_owned()));
                let shown = &shown[provider][resource];
                let found = ["oldest_data", "newest_data"].map(|name| shown[name].clone());
                let expected = [days.first(), days.last()].map(|day| json!(day));
                assert_eq!(found, expected, "days of {resource} of {provider}");
            }
        }
    }
}

#[tokio::test]
async fn events_are_those_of_the_model() {
    let mut counts = Counts::new();
    for seed in Seed::each(0..7) {
        round(&seed, &mut counts).await;
    }
    let happened = |what: &str| counts.get(what).copied().unwrap_or_default();
    for (what, often) in [
        ("lost", 100),
        ("data Taken", 1000),
        ("data Duplicate", 200),
        ("data OutOfBounds", 50),
        ("data refused", 50),
        ("connection_made Taken", 100),
        ("connection_made Duplicate", 20),
        ("connection_failed Taken", 50),
        ("connection_failed refused", 5),
        ("connection_ended Taken", 50),
        ("device Taken", 50),
        ("device Duplicate", 5),
        ("forget true", 8),
        ("pulls 0", 5),
        ("pulls some", 10),
        ("daily.data.*.created", 100),
        ("daily.data.*.updated", 200),
        ("daily.data.*.deleted", 50),
        ("daily.data.sleep_cycle.deleted", 20),
        ("data_deleted Duplicate", 50),
        ("daily.data.sleep_cycle.created", 50),
        ("daily.data.sleep_cycle.updated", 50),
        // Once for a night, for either of the two resources.
        ("daily.timeseries.hypnogram.created", 40),
        ("daily.timeseries.hypnogram.updated", 50),
        ("historical.data.*.created", 20),
        ("historical.data.sleep_cycle.created", 5),
        ("historical.timeseries.hypnogram.created", 5),
        ("provider.connection.created", 100),
        ("provider.connection.error", 20),
    ] {
        assert!(
            happened(what) >= often,
            "{what} happened {} times: {counts:#?}",
            happened(what)
        );
    }
}

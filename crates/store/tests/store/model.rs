//! Random arrivals, repeats and orders against a naive model: the same outcomes, and exactly its events.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ConnectionStatus};
use wearlab_store::{Arrival, DeprecatedForms, Ingested, Store, StoreError};

use crate::arriving::{ALL_FORMS, AT, NO_FORMS, arrival, assert_sound, cycle, ingestion, log, stage};
use crate::world::{World, connection, device, user};

const USERS: u128 = 3;
const PROVIDERS: [&str; 2] = ["stridewell", "pulsely"];
const RESOURCES: [&str; 4] = ["steps", "heartrate", "sleep_cycle", "hypnogram"];
/// The last user wants no day before this.
const WANTED: &str = "2026-05-03";

type Pair = (Uuid, String);
type Series = (Uuid, String, String);

/// A connection as the reads show it, and whether it is as an arrival made it.
struct Connection {
    created_on: String,
    failed: bool,
    available: BTreeSet<String>,
    as_made: bool,
}

#[derive(Default)]
struct Model {
    hypnograms: bool,
    ids: HashSet<(Uuid, String)>,
    connections: HashMap<Pair, Connection>,
    /// By source, the last values that a day brought; none where a pull alone did.
    days: HashMap<(Series, String), HashMap<String, Option<Value>>>,
    /// The values of each chunk, by its number.
    pulls: HashMap<(Series, String), BTreeMap<u64, Option<Value>>>,
    events: Vec<(Uuid, String, Value)>,
    historical: usize,
}

impl Model {
    /// None where the arrival is refused.
    fn take(&mut self, arrival: &Arrival) -> Option<Ingested> {
        let user = arrival.user_id();
        let id = arrival.arrival_id().map(|id| (user, id.to_owned()));
        if id.as_ref().is_some_and(|id| self.ids.contains(id)) {
            return Some(Ingested::Known);
        }
        let json = serde_json::to_value(arrival).expect("JSON");
        let fields = &json[arrival.kind()];
        let outcome = match arrival.kind() {
            "data" => self.data(user, fields)?,
            "connection_made" => self.made(user, fields),
            "connection_failed" => {
                let connection = self.connections.get_mut(&(user, text(&fields["provider"])))?;
                let again = std::mem::replace(&mut connection.failed, true);
                connection.as_made &= again;
                news(!again)
            }
            "connection_ended" => news(self.connections.remove(&(user, text(&fields["provider"]))).is_some()),
            kind => panic!("{kind}"),
        };
        if outcome != Ingested::OutOfBounds {
            self.ids.extend(id);
        }
        Some(outcome)
    }

    fn made(&mut self, user: Uuid, fields: &Value) -> Ingested {
        let key = (user, text(&fields["provider"]["slug"]));
        let created_on = text(&fields["provider"]["created_on"]);
        let before = self.connections.remove(&key);
        let same = before.as_ref().filter(|before| before.created_on == created_on);
        let outcome = match same {
            Some(same) if same.as_made => Ingested::Known,
            Some(same) => news(same.failed || !same.available.is_empty()),
            None => {
                self.events
                    .push((user, "provider.connection.created".to_owned(), Value::Null));
                Ingested::Taken
            }
        };
        let kept = before.filter(|before| before.as_made && before.created_on == created_on);
        let new = || Connection {
            created_on,
            failed: false,
            available: BTreeSet::new(),
            as_made: true,
        };
        self.connections.insert(key, kept.unwrap_or_else(new));
        outcome
    }

    fn data(&mut self, user: Uuid, fields: &Value) -> Option<Ingested> {
        let [provider, resource, date] = ["provider", "resource", "date"].map(|name| text(&fields[name]));
        let connection = self.connections.get_mut(&(user, provider.clone()))?;
        let wanted = user != Uuid::from_u128(USERS) || date.as_str() >= WANTED;
        let series = (user, provider, resource.clone());
        let (source, values) = (fields["source"].to_string(), fields["data"].clone());
        let day = (series.clone(), date);
        let Some(pull) = fields.get("pull") else {
            if !wanted {
                return Some(Ingested::OutOfBounds);
            }
            let sources = self.days.entry(day).or_default();
            if sources.get(&source) == Some(&Some(values.clone())) {
                return Some(Ingested::Known);
            }
            let verb = if sources.is_empty() { "created" } else { "updated" };
            sources.insert(source, Some(values.clone()));
            connection.available.insert(resource.clone());
            self.tell(user, "daily", &resource, verb, &values);
            return Some(Ingested::Taken);
        };
        let chunks = self.pulls.entry((series, text(&pull["id"]))).or_default();
        let (number, of) = (pull["chunk"].as_u64().expect("a number"), pull["chunks"].as_u64());
        if chunks.contains_key(&number) {
            return Some(Ingested::Known);
        }
        chunks.insert(number, wanted.then_some(values));
        let whole = of == u64::try_from(chunks.len()).ok();
        let all: Vec<Value> = chunks
            .values()
            .flatten()
            .flat_map(|values| values.as_array().expect("a list").clone())
            .collect();
        if wanted {
            self.days.entry(day).or_default().entry(source).or_insert(None);
            connection.available.insert(resource.clone());
        }
        if whole {
            self.historical += 1;
            self.tell(user, "historical", &resource, "created", &json!(all));
        }
        Some(if wanted { Ingested::Taken } else { Ingested::OutOfBounds })
    }

    fn tell(&mut self, user: Uuid, span: &str, resource: &str, verb: &str, values: &Value) {
        if resource != "hypnogram" {
            self.events
                .push((user, format!("{span}.data.{resource}.{verb}"), values.clone()));
        }
        if self.hypnograms && ["hypnogram", "sleep_cycle"].contains(&resource) {
            let stages = match resource {
                "hypnogram" => values.clone(),
                _ => {
                    let cycles = values.as_array().expect("a list").iter();
                    let stages = cycles.flat_map(|cycle| cycle["hypnogram"].as_array().expect("a list").clone());
                    Value::Array(stages.collect())
                }
            };
            self.events
                .push((user, format!("{span}.timeseries.hypnogram.{verb}"), stages));
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn news(changed: bool) -> Ingested {
    if changed { Ingested::Taken } else { Ingested::Known }
}

/// One of few arrivals, so that many come again, as they were or changed.
fn draw(rng: &mut ChaCha8Rng) -> Arrival {
    let mut pick = |count: u32| rng.random_range(0..count);
    let user_id = Uuid::from_u128(u128::from(pick(3)) + 1);
    let provider = PROVIDERS[pick(2) as usize];
    let mut fields = match pick(12) {
        0 => {
            let created_on = format!("2026-0{}-01T00:00:00Z", pick(2) + 1);
            json!({"kind": "connection_made", "provider": connection(provider, &created_on)})
        }
        1 => json!({"kind": "connection_failed", "provider": provider, "error_details": {"error_type": "revoked"}}),
        2 => json!({"kind": "connection_ended", "provider": provider}),
        kind => {
            let resource = RESOURCES[pick(4) as usize];
            let data = match (resource, pick(3)) {
                ("sleep_cycle", number) => json!([cycle(&number.to_string())]),
                ("hypnogram", number) => json!([stage(&format!("2{number}:00"), "deep")]),
                (_, number) => json!([{"value": number}]),
            };
            let source = [json!({}), json!({"type": "watch"})][pick(2) as usize].clone();
            let chunk = pick(3) + 1;
            let date = format!("2026-05-0{}", pick(4) + 1);
            let mut fields = json!({"kind": "data", "provider": provider, "resource": resource, "data": data,
                "date": date, "source": source});
            if kind > 6 {
                fields["pull"] = json!({"id": format!("pull-{}", pick(2)), "chunk": chunk, "chunks": 3});
            }
            fields
        }
    };
    fields["user_id"] = json!(user_id);
    let kind = fields
        .as_object_mut()
        .expect("an object")
        .remove("kind")
        .expect("a kind");
    if pick(4) == 0 {
        let id = format!("{}-{}", kind.as_str().expect("a text"), pick(40));
        fields["arrival_id"] = json!(id);
    }
    arrival(kind.as_str().expect("a text"), fields)
}

async fn populated() -> World {
    let world = World::new().await;
    world
        .write(|write| {
            for id in 1..=USERS {
                let mut user = user(world.team, id, AT);
                if id == USERS {
                    user.ingestion_start = Some(WANTED.parse().expect("a date"));
                }
                write.put_user(world.team, &user)?;
                // None of whom anything may come to be known.
                let mut namesake = crate::world::user(world.sister, id, AT);
                namesake.client_user_id = format!("sister-{id}");
                write.put_user(world.sister, &namesake)?;
                write.put_device(world.team, &device(id, id))?;
            }
            Ok(())
        })
        .await;
    world
}

/// Ingests in writes of a few arrivals, some of which are lost as a whole, and compares what became of each.
async fn compare(store: &Store, model: &mut Model, rng: &mut ChaCha8Rng, arrivals: &[Arrival], forms: DeprecatedForms) {
    const LOST: StoreError = StoreError::Conflict { what: "is lost" };
    let ingestion = ingestion(forms);
    let mut rest = arrivals;
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(rng.random_range(1..=rest.len().min(8)));
        let lost = rng.random_range(0..6) == 0;
        let mut outcomes = Vec::new();
        let written = store
            .write(|write| {
                for arrival in batch {
                    outcomes.push(write.attempt(|write| write.ingest(arrival, &ingestion)));
                }
                if lost { Err(LOST) } else { Ok(()) }
            })
            .await;
        assert_eq!(written.is_err(), lost);
        if lost {
            continue;
        }
        for (arrival, outcome) in batch.iter().zip(outcomes) {
            match model.take(arrival) {
                Some(expected) => assert_eq!(outcome.expect("is taken"), expected, "{arrival:?}"),
                None => assert!(
                    matches!(outcome, Err(StoreError::Missing { .. })),
                    "{arrival:?}: {outcome:?}"
                ),
            }
        }
        rest = after;
    }
}

/// Returns how many pulls became whole, and how many events there are.
async fn round(seed: u64) -> (usize, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let hypnograms_alone = DeprecatedForms {
        hypnogram_events: wearlab_store::Until::Always,
        ..NO_FORMS
    };
    let forms = [NO_FORMS, ALL_FORMS, hypnograms_alone, DeprecatedForms::default()][(seed % 4) as usize];
    let mut model = Model {
        hypnograms: forms.hypnogram_events == wearlab_store::Until::Always,
        ..Model::default()
    };
    let world = populated().await;
    let mut store = world.store.clone();
    let mut sent: Vec<Arrival> = Vec::new();
    for part in 0..6 {
        let mut arrivals: Vec<_> = (0..120).map(|_| draw(&mut rng)).collect();
        // Some of all that was sent before once more, in another order, and now and then the end of it in its order.
        let count = rng.random_range(0..=sent.len().min(30));
        arrivals.extend((0..count).map(|_| sent[rng.random_range(0..sent.len())].clone()));
        arrivals.shuffle(&mut rng);
        arrivals.extend_from_slice(&sent[sent.len() - rng.random_range(0..=sent.len().min(20))..]);
        compare(&store, &mut model, &mut rng, &arrivals, forms).await;
        sent.extend(arrivals);
        if part == 3 {
            store = Store::open(world.folder.path()).expect("opens again");
        }
    }

    let log = log(&store).await;
    log.iter().for_each(assert_sound);
    let ids: HashSet<_> = log.iter().map(|event| &event.event_id).collect();
    assert_eq!(ids.len(), log.len(), "each event has an id of its own");
    assert!(log.is_sorted_by(|one, next| one.number < next.number));
    let payload = |event: &wearlab_store::LoggedEvent| -> Value {
        let payload: Value = serde_json::from_slice(event.payload.as_bytes()).expect("JSON");
        match &payload["data"]["data"] {
            // Of a pull with no day that is wanted.
            Value::Null if event.event_type.starts_with("historical.") => json!([]),
            values => values.clone(),
        }
    };
    // By user, though all users together are in this order, too, while there is one writer.
    for user in (1..=USERS).map(Uuid::from_u128) {
        let told = log.iter().filter(|event| event.user_id == user);
        let told: Vec<_> = told.map(|event| (event.event_type.clone(), payload(event))).collect();
        let expected = model.events.iter().filter(|event| event.0 == user);
        let expected: Vec<_> = expected.map(|event| (event.1.clone(), event.2.clone())).collect();
        assert_eq!(told, expected);
    }
    let whole = model.pulls.values().filter(|chunks| chunks.len() == 3).count();
    assert_eq!(model.historical, whole);
    assert_shown(&world, &model).await;
    (whole, log.len())
}

/// Panics unless the reads show the connections of the model.
async fn assert_shown(world: &World, model: &Model) {
    for id in 1..=USERS {
        let user_id = Uuid::from_u128(id);
        let read = async |team| {
            world
                .store
                .team(team)
                .connections(user_id)
                .await
                .expect("reads")
                .expect("the user")
        };
        let shown: Vec<ConnectedProvider> = crate::world::all(&read(world.team).await);
        let user = world.user(world.team, id).await.expect("the user");
        let sources: BTreeSet<_> = user
            .connected_sources
            .iter()
            .map(|source| source.source.slug.clone())
            .collect();
        assert_eq!(
            sources,
            shown.iter().map(|connection| connection.slug.clone()).collect()
        );
        assert_eq!(
            shown.len(),
            model.connections.keys().filter(|key| key.0 == user_id).count()
        );
        for connection in shown {
            let expected = &model.connections[&(user_id, connection.slug.clone())];
            assert_eq!(connection.status == ConnectionStatus::Error, expected.failed);
            assert_eq!(connection.error_details.is_some(), expected.failed);
            let available: BTreeSet<_> = connection
                .resource_availability
                .keys()
                .map(ToString::to_string)
                .collect();
            assert_eq!(available, expected.available);
        }
        assert!(read(world.sister).await.is_empty(), "of another team");
    }
}

#[tokio::test]
async fn events_are_those_of_the_model() {
    let (mut pulls, mut events) = (0, 0);
    for seed in 0..8 {
        let (whole, told) = round(seed).await;
        (pulls, events) = (pulls + whole, events + told);
    }
    assert!(
        pulls > 50 && events > 800,
        "enough happened: {pulls} pulls, {events} events"
    );
}

//! Flipped bits in a store's file: a read returns the written data, or an error.

use crate::arriving::{self, AT};
use crate::audit::actor;
use crate::idempotency_keys::request;
use crate::records::{put, records};
use crate::seed::Seed;
use crate::world::{World, connection, device, user};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use uuid::Uuid;
use wearlab_store::{EmbeddedSettings, EventFilter, IdempotencyOutcome, KeyRecord, Record, Store, StoreError, TeamId};

pub(super) const USERS: u128 = 120;

const REQUESTS: u128 = 60;

const FLIPS: u64 = 80;

/// Minimal page cache, so that nearly all reads come from the file.
const MINIMAL_CACHE: EmbeddedSettings = EmbeddedSettings { page_cache_bytes: 0 };

/// Creates a store with rows in each table.
pub(super) async fn filled() -> World {
    let world = arriving::world().await;
    put(&world.store, &records()).await.expect("writes");
    let team = world.team;
    world
        .write(|write| {
            write.put_key(&KeyRecord::of_team(team.uuid(), "a key"))?;
            write.put_key(&KeyRecord::of_organisation("org_ours", "a management key"))?;
            for number in 0..REQUESTS {
                let name = number.to_string();
                write.audit(team, &actor(&name), arriving::at(AT), "create_user", Some(&name))?;
                write.keep_response(&request("a key", &name), &name, None, arriving::at(AT))?;
            }
            for id in 1_000..1_000 + USERS {
                write.put_user(team, &user(team, id, AT))?;
                for slug in ["stridewell", "pulsely"] {
                    write.put_connection(team, Uuid::from_u128(id), &connection(slug, AT))?;
                }
                for number in 0..2 {
                    write.put_device(team, &device(id, id * 10 + number))?;
                }
            }
            Ok(())
        })
        .await;
    let days: Vec<_> = (1..=28)
        .map(|day| arriving::day(&format!("2026-05-{day:02}"), day))
        .collect();
    arriving::ingest(&world, &days).await;
    world
}

/// A response in bytes. None for an error.
type ReadResult = Option<Vec<u8>>;

/// Returns the responses of all reads, each by itself.
async fn responses(store: &Store, team: TeamId) -> Vec<(String, ReadResult)> {
    let mut responses = Vec::new();
    let mut add = |what: String, response: Result<String, StoreError>| {
        responses.push((what, response.ok().map(String::into_bytes)));
    };
    let of = |team: TeamId| store.team(team);
    for offset in (0..130).step_by(25) {
        let page = of(team).users(offset, 25).await;
        add(
            format!("users from {offset}"),
            page.map(|page| format!("{page:?} {:?}", text(&page.users))),
        );
    }
    for id in 1_000..1_000 + USERS {
        let id = Uuid::from_u128(id);
        let user = of(team).user(id).await;
        add(format!("user {id}"), user.map(|user| format!("{:?}", text(&user))));
        let connections = of(team).connections(id).await;
        let connections = connections.map(|list| format!("{:?}", list.map(|list| text(&list))));
        add(format!("connections of {id}"), connections);
        let devices = of(team).devices(id).await;
        add(
            format!("devices of {id}"),
            devices.map(|list| format!("{:?}", list.map(|list| text(&list)))),
        );
    }
    let events = store.events(&EventFilter::default(), 1_000).await;
    let events = events.map(|events| {
        let payloads: Vec<_> = events.iter().map(|event| event.payload.as_bytes().to_vec()).collect();
        format!("{events:?} {payloads:?}")
    });
    add("events".to_owned(), events);
    add(
        "a key".to_owned(),
        store.team_of_key("a key").await.map(|team| format!("{team:?}")),
    );
    add("keys".to_owned(), store.keys().await.map(|keys| format!("{keys:?}")));
    let ours = store.organisation_of_key("a management key").await;
    for (after, limit) in [(0, 40), (30, 40), (40, 100)] {
        let log = match &ours {
            Ok(Some(ours)) => store.audit_log(ours, after, limit).await,
            _ => Err(StoreError::Busy),
        };
        add(format!("audit log after {after}"), log.map(|log| format!("{log:?}")));
        let back = match &ours {
            Ok(Some(ours)) => store.audit_log_back(ours, after, limit).await,
            _ => Err(StoreError::Busy),
        };
        add(format!("audit log before {after}"), back.map(|log| format!("{log:?}")));
    }
    for number in 0..REQUESTS {
        let request = request("a key", &number.to_string());
        let repeat = store.write(|write| write.repeat(&request, arriving::at(AT))).await;
        let response = repeat.map(|repeat| match repeat {
            IdempotencyOutcome::Again(response) => response,
            other => format!("{other:?}"),
        });
        add(format!("request {number}"), response);
    }
    let providers = store.providers(None).await;
    add(
        "providers".to_owned(),
        providers.map(|list| format!("{:?}", text(&list))),
    );
    let reasons = store.cancellation_reasons().await;
    add("reasons".to_owned(), reasons.map(|list| format!("{:?}", text(&list))));
    add(
        "pipelines".to_owned(),
        store.all_pipelines().await.map(|list| format!("{list:?}")),
    );
    responses
}

fn text<'a, T: 'a>(documents: impl IntoIterator<Item = &'a wearlab_models::Encoded<T>>) -> Vec<Vec<u8>> {
    documents
        .into_iter()
        .map(|document| document.as_bytes().to_vec())
        .collect()
}

/// Returns all lines of an export. None if it fails.
async fn export(store: &Store) -> ReadResult {
    let mut lines = Vec::new();
    let exported = store.export(|record: Record| {
        serde_json::to_writer(&mut lines, &record).expect("JSON");
        lines.push(b'\n');
        Ok::<_, StoreError>(())
    });
    exported.await.ok()?;
    Some(lines)
}

/// Returns the offsets of used bytes in index pages: few bytes of the file, and those that decide which rows are found.
fn index_bytes(file: &[u8]) -> Vec<usize> {
    const PAGE: usize = 4096;
    let mut found = Vec::new();
    for (page, bytes) in file.chunks_exact(PAGE).enumerate().skip(1) {
        // Type of the page and start of its content, in SQLite's file format.
        let begin = usize::from(u16::from_be_bytes([bytes[5], bytes[6]]));
        if [2, 10].contains(&bytes[0]) && begin < PAGE {
            found.extend((0..16).chain(begin..PAGE).map(|byte| page * PAGE + byte));
        }
    }
    found
}

/// Flips one bit. A second call restores it.
pub(super) fn flip(file: &Path, bit: u64) {
    let mut file = OpenOptions::new().read(true).write(true).open(file).expect("opens");
    let mut byte = [0];
    file.seek(SeekFrom::Start(bit / 8)).expect("is there");
    file.read_exact(&mut byte).expect("reads");
    byte[0] ^= 1 << (bit % 8);
    file.seek(SeekFrom::Start(bit / 8)).expect("is there");
    file.write_all(&byte).expect("writes");
}

fn same_or_refused(what: &str, bit: u64, good: &[(String, ReadResult)], found: &[(String, ReadResult)]) -> usize {
    let mut refused = 0;
    assert_eq!(good.len(), found.len());
    for ((name, good), (_, found)) in good.iter().zip(found) {
        match found {
            Some(found) => assert!(
                Some(found) == good.as_ref(),
                "{what}, bit {bit}: {name} is {} in place of {}",
                String::from_utf8_lossy(found),
                String::from_utf8_lossy(good.as_deref().unwrap_or_default())
            ),
            None => refused += 1,
        }
    }
    refused
}

#[tokio::test]
async fn no_bit_that_flips_in_a_stopped_store_changes_what_is_read() {
    let world = filled().await;
    let good = responses(&world.store, world.team).await;
    let exported = export(&world.store).await;
    assert!(exported.is_some() && good.iter().all(|(_, response)| response.is_some()));
    let team = world.team;
    drop(world.store);
    let bytes = fs::read(world.directory.path().join("wearlab.db")).expect("reads");
    let seed = Seed::one(7);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
    let index_bytes = index_bytes(&bytes);
    let (mut refused, mut clean) = (0, 0);
    for number in 0..FLIPS {
        let byte = match number % 2 {
            0 => rng.random_range(0..bytes.len()),
            _ => index_bytes[rng.random_range(0..index_bytes.len())],
        };
        let bit = byte as u64 * 8 + rng.random_range(0..8);
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("wearlab.db");
        fs::write(&file, &bytes).expect("writes");
        flip(&file, bit);
        let Ok(store) = Store::open(directory.path()) else {
            refused += 1;
            continue;
        };
        let found = export(&store).await;
        assert!(found.is_none() || found == exported, "the export, bit {bit}");
        let verified = store.verify().await;
        let whole = verified.is_ok_and(|verified| verified.damage.is_empty());
        let copy = directory.path().join("copy.db");
        let restored = directory.path().join("restored");
        if store.backup(&copy).await.is_ok() {
            Store::restore(&copy, &restored).expect("a copy that was made is whole");
            let again = Store::open(&restored).expect("opens");
            assert!(export(&again).await == exported, "the copy, bit {bit}");
        }
        let read = same_or_refused("stopped", bit, &good, &responses(&store, team).await);
        assert!(
            !whole || read == 0,
            "bit {bit} is found by reads, and not by a look at all"
        );
        assert!(read == 0 || store.check_files().is_err(), "bit {bit} is noticed");
        match read > 0 || found.is_none() || !whole {
            true => refused += 1,
            false => clean += 1,
        }
    }
    assert!(
        refused > FLIPS / 3,
        "{refused} flips were found, {clean} changed nothing"
    );
}

#[tokio::test]
async fn no_bit_that_flips_below_a_running_store_changes_what_is_read() {
    let world = filled().await;
    let good = responses(&world.store, world.team).await;
    drop(world.store);
    let file = world.directory.path().join("wearlab.db");
    let length = fs::metadata(&file).expect("is there").len();
    let seed = Seed::one(7);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
    let mut refused = 0;
    for _ in 0..FLIPS {
        let store = Store::open_with(world.directory.path(), &MINIMAL_CACHE, &[]).expect("opens");
        store.check().await.expect("is sound");
        let bit = rng.random_range(0..length * 8);
        flip(&file, bit);
        let read = same_or_refused("running", bit, &good, &responses(&store, world.team).await);
        assert!(read == 0 || store.check().await.is_err(), "bit {bit} is noticed");
        refused += u64::from(read > 0);
        drop(store);
        flip(&file, bit);
    }
    assert!(refused > FLIPS / 8, "{refused} flips were found");
}

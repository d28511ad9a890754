//! Damaged stores: nothing is overwritten, and each table is checked.

use std::fs;

use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::{Advance, Reachability, SampleFilter, Store, StoreError};

use super::flipped::{USERS, filled};
use crate::arriving::{self, AT};
use crate::world::user;

/// A change of a damaged row must not hide the damage.
#[tokio::test]
async fn what_is_damaged_is_not_written_over() {
    let world = filled().await;
    let file = world.directory.path().join("wearlab.db");
    let team = world.team;
    drop(world.store);
    let mut bytes = fs::read(&file).expect("reads");
    // The text of a document, which is in no index.
    let at = bytes
        .windows(11)
        .position(|window| window == b"Europe/Oslo")
        .expect("is there");
    bytes[at] ^= 1;
    fs::write(&file, bytes).expect("writes");
    let store = Store::open(world.directory.path()).expect("opens");
    let mut written = Vec::new();
    for id in (1_000..1_000 + USERS).chain([arriving::USER]) {
        let changed = user(team, id, "2026-02-02T00:00:00Z");
        written.push(store.write(|write| write.put_user(team, &changed)).await);
    }
    let other = user(team, 900, "2026-02-02T00:00:00Z");
    written.push(store.write(|write| write.put_user(team, &other)).await);
    let refused: Vec<_> = written.iter().filter_map(|written| written.as_ref().err()).collect();
    let (first, rest) = refused.split_first().expect("one row is damaged");
    assert!(matches!(first, StoreError::Damaged { .. }), "{first:?}");
    assert!(!rest.is_empty(), "nothing is written from then on");
    assert!(
        rest.iter()
            .all(|error| matches!(error, StoreError::WritesStopped { .. })),
        "{rest:?}"
    );
    let verified = store.verify().await.expect("reads");
    let damage: Vec<_> = verified.damage.iter().map(ToString::to_string).collect();
    // Consequences of the damage are listed after it.
    assert!(
        damage[0].starts_with("table users: page ") && damage[0].ends_with("is not what was written"),
        "{damage:?}"
    );
}

/// Also if a read found it: further writes to a damaged file may be lost.
#[tokio::test]
async fn damage_that_was_found_stops_writes_until_the_store_is_opened_again() {
    let world = filled().await;
    let file = world.directory.path().join("wearlab.db");
    let team = world.team;
    drop(world.store);
    let sound = fs::read(&file).expect("reads");
    let mut bytes = sound.clone();
    // The document of a user.
    let at = bytes.windows(11).position(|window| window == b"Europe/Oslo");
    bytes[at.expect("is there")] ^= 1;
    fs::write(&file, bytes).expect("writes");
    let store = Store::open(world.directory.path()).expect("opens");
    let write = |store: Store| async move { store.write(|write| write.put_meta("small", "fits")).await };
    write(store.clone()).await.expect("nothing was found yet");
    let ids: Vec<_> = (1_000..1_000 + USERS)
        .chain([arriving::USER])
        .map(Uuid::from_u128)
        .collect();
    let (mut damaged, mut good) = (Vec::new(), Vec::new());
    for id in ids {
        match store.team(team).user(id).await {
            Ok(_) => good.push(id),
            Err(error) => damaged.push((id, error)),
        }
    }
    assert!(matches!(damaged[..], [(_, StoreError::Damaged { .. })]), "{damaged:?}");
    for _ in 0..2 {
        let refused = write(store.clone()).await.expect_err("it is damaged");
        assert!(matches!(refused, StoreError::WritesStopped { .. }), "{refused:?}");
        assert!(refused.ends_writes() && !refused.is_transient());
        assert!(matches!(store.scrub().await, Err(StoreError::WritesStopped { .. })));
    }
    // Undamaged rows are still read, and the check reports the damage.
    for id in good {
        assert!(store.team(team).user(id).await.is_ok());
    }
    assert!(matches!(store.check().await, Err(StoreError::Damaged { .. })));
    drop(store);
    fs::write(&file, sound).expect("restores");
    let store = Store::open(world.directory.path()).expect("opens");
    assert!(store.team(team).user(damaged[0].0).await.is_ok());
    write(store).await.expect("it is sound");
}

/// `wearlab events` and the dispatcher read outages like all other rows.
#[tokio::test]
async fn a_damaged_outage_is_found() {
    let world = filled().await;
    world
        .write(|write| {
            let destination = write.destination(world.team, "rabbitmq", None)?;
            let advance = Advance {
                reachability: Some(Reachability::Down {
                    reason: "the broker refused".to_owned(),
                    next_attempt: arriving::at(AT),
                }),
                ..Advance::default()
            };
            write.advance(destination, &advance, arriving::at(AT))
        })
        .await;
    let file = world.directory.path().join("wearlab.db");
    drop(world.store);
    let mut bytes = fs::read(&file).expect("reads");
    let at = bytes
        .windows(18)
        .position(|window| window == b"the broker refused")
        .expect("is there");
    bytes[at] ^= 1;
    fs::write(&file, bytes).expect("writes");
    let store = Store::open(world.directory.path()).expect("opens");
    let error = store.destinations().await.expect_err("is damaged");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    let verified = store.verify().await.expect("reads");
    let damage: Vec<_> = verified.damage.iter().map(ToString::to_string).collect();
    assert!(
        matches!(&damage[..], [one] if one.starts_with("table outages: page ")),
        "{damage:?}"
    );
}

/// A damaged chunk in a page with a valid checksum, as on an engine without checksums.
#[tokio::test]
async fn a_damaged_chunk_of_samples_is_named_by_its_row() {
    let world = arriving::world().await;
    arriving::ingest(
        &world,
        &[arriving::day("2026-05-01", 1), arriving::day("2026-05-02", 2)],
    )
    .await;
    let raw = wearlab_checksum_vfs::open(
        world.directory.path().join("wearlab.db"),
        rusqlite::OpenFlags::default(),
    )
    .expect("a database");
    let last = "SELECT max(id) FROM samples";
    let (row, mut chunk): (i64, Vec<u8>) = raw
        .query_row(
            &format!("SELECT id, chunk FROM samples WHERE id = ({last})"),
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("a row");
    let length = chunk.len();
    chunk[length / 2] ^= 4;
    let changed = raw.execute(
        "UPDATE samples SET chunk = ?1 WHERE id = ?2",
        rusqlite::params![chunk, row],
    );
    assert_eq!(changed.expect("writes"), 1);
    let reader = world.store.team(world.team);
    let user = Uuid::from_u128(arriving::USER);
    let read = |first: &str, last: &str| {
        let micros = |day: &str| arriving::at(&format!("{day}T00:00:00Z")).timestamp_micros();
        let span = micros(first)..micros(last);
        let reader = &reader;
        async move {
            let filter = SampleFilter {
                resource: &ResourceName::Steps,
                span,
                provider: None,
                after: None,
            };
            reader.samples(user, &filter, 10).await
        }
    };
    assert!(read("2026-05-01", "2026-05-02").await.is_ok(), "what is sound is read");
    let error = read("2026-05-01", "2026-05-03").await.expect_err("is damaged");
    assert!(
        matches!(error, StoreError::DamagedChunk { row: found } if found == row),
        "{error:?}"
    );
    let exported = world
        .store
        .export(|_| Ok::<_, StoreError>(()))
        .await
        .expect_err("is damaged");
    assert_eq!(
        exported.to_string(),
        format!("read the chunk of row {row} of the table samples: it is damaged")
    );
}

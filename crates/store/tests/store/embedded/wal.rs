//! Damage in the write-ahead log that a killed process leaves.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use wearlab_store::{Record, Store, StoreError};

use crate::arriving::{day, ingest, world};
use crate::world::World;

/// Length of the header of the log, and of a frame with its header.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

/// Copies the files of an open store, as if its process were killed.
fn killed(world: &World) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["wearlab.db", "wearlab.db-wal"] {
        fs::copy(world.directory.path().join(name), directory.path().join(name)).expect("copies");
    }
    directory
}

fn flip(directory: &Path, at: usize) {
    let log = directory.join("wearlab.db-wal");
    let mut bytes = fs::read(&log).expect("reads");
    bytes[at] ^= 1;
    fs::write(log, bytes).expect("writes");
}

async fn filled() -> World {
    let world = world().await;
    for number in 1..=9 {
        ingest(&world, &[day(&format!("2026-05-{number:02}"), number)]).await;
    }
    world
}

async fn lines(store: &Store) -> Vec<String> {
    let mut lines = Vec::new();
    let each = |record: Record| {
        lines.push(serde_json::to_string(&record).expect("JSON"));
        Ok::<_, StoreError>(())
    };
    store.export(each).await.expect("exports");
    lines
}

#[tokio::test]
async fn a_log_that_is_whole_is_recovered() {
    let world = filled().await;
    let directory = killed(&world);
    let store = Store::open(directory.path()).expect("opens");
    assert_eq!(lines(&store).await, lines(&world.store).await);
    assert_eq!(store.last_event().await.expect("reads"), 9);
}

#[tokio::test]
async fn recovery_does_not_end_silently_at_a_damaged_frame() {
    let world = filled().await;
    let length = fs::metadata(world.directory.path().join("wearlab.db-wal"))
        .expect("a log")
        .len();
    let frames = (usize::try_from(length).expect("fits") - HEADER) / FRAME;
    assert!(frames > 20, "{frames} frames");
    for frame in [1, 2, frames / 2, frames - 1] {
        let start = HEADER + (frame - 1) * FRAME;
        // Bytes in the frame's header, salts, checksum and page.
        for at in [0, 7, 8, 20, 24, 2_000, FRAME - 1] {
            let directory = killed(&world);
            flip(directory.path(), start + at);
            let before = fs::read(directory.path().join("wearlab.db")).expect("reads");
            let error = Store::open(directory.path()).expect_err("is refused");
            let StoreError::Damaged { path, source } = &error else {
                panic!("{error:?}");
            };
            assert_eq!(*path, directory.path().join("wearlab.db-wal"));
            assert!(source.to_string().starts_with(&format!("frame {frame} ")), "{source}");
            assert!(source.to_string().contains(&format!("to {start} bytes")), "{source}");
            let after = fs::read(directory.path().join("wearlab.db")).expect("reads");
            assert!(before == after, "the file is as it was");
            let other = directory.path().join("other");
            Store::restore(&directory.path().join("wearlab.db"), &other).expect_err("is refused, too");
        }
    }
}

#[tokio::test]
async fn a_damaged_header_does_not_hide_the_whole_log() {
    let world = filled().await;
    for at in [0, 4, 9, 16, 24, 31] {
        let directory = killed(&world);
        flip(directory.path(), at);
        let error = Store::open(directory.path()).expect_err("is refused");
        let StoreError::Damaged { source, .. } = &error else {
            panic!("{error:?}");
        };
        assert!(source.to_string().starts_with("its header "), "{source}");
    }
}

/// The engine would ignore the log, and lose all of it.
#[tokio::test]
async fn a_log_whose_beginning_was_overwritten_is_refused() {
    let world = filled().await;
    for length in [HEADER, HEADER + 24, 4096] {
        let directory = killed(&world);
        let log = directory.path().join("wearlab.db-wal");
        let mut bytes = fs::read(&log).expect("reads");
        bytes[..length].fill(0);
        fs::write(&log, &bytes).expect("writes");
        let error = Store::open(directory.path()).expect_err("is refused");
        let StoreError::Damaged { path, source } = &error else {
            panic!("{error:?}");
        };
        assert_eq!(*path, log);
        assert!(source.to_string().contains("remove the log in the copy"), "{source}");
        assert_eq!(fs::read(&log).expect("reads"), bytes, "the log is as it was");
        // The remedy that the error names.
        fs::remove_file(&log).expect("removes");
        let store = Store::open(directory.path()).expect("opens");
        assert!(store.verify().await.expect("reads").damage.is_empty());
    }
    // The empty log of a checkpoint is not damage.
    let directory = killed(&world);
    drop(Store::open(directory.path()).expect("opens"));
    fs::write(directory.path().join("wearlab.db-wal"), "").expect("truncates");
    let store = Store::open(directory.path()).expect("opens");
    assert_eq!(lines(&store).await, lines(&world.store).await);
}

/// The remedy that the error names.
#[tokio::test]
async fn what_precedes_a_damaged_frame_can_be_kept() {
    let world = filled().await;
    let (directory, start) = (killed(&world), HEADER + 20 * FRAME);
    flip(directory.path(), start + 100);
    let log = fs::OpenOptions::new()
        .write(true)
        .open(directory.path().join("wearlab.db-wal"));
    log.expect("opens").set_len(start as u64).expect("truncates");
    let store = Store::open(directory.path()).expect("opens");
    let verified = store.verify().await.expect("reads");
    assert!(verified.damage.is_empty(), "{:?}", verified.damage);
    assert!(store.last_event().await.expect("reads") < 9);
}

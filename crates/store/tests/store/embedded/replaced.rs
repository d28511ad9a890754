//! Files of an open store that are removed or replaced.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use wearlab_models::{Environment, Region};
use wearlab_store::{KeyRecord, Store, StoreError, TeamRecord};

use super::flipped::filled;
use crate::arriving::AT;
use crate::world::{World, user};

/// Mistakes of operators who think that the store is not in use.
fn removed(directory: &Path) {
    for entry in fs::read_dir(directory).expect("reads") {
        fs::remove_file(entry.expect("an entry").path()).expect("removes");
    }
}

fn moved(directory: &Path) {
    let mut old = directory.as_os_str().to_owned();
    old.push(".old");
    fs::rename(directory, old).expect("moves");
}

fn overwritten_by_another(directory: &Path) {
    moved(directory);
    drop(Store::open(directory).expect("another store"));
}

fn without_its_log(directory: &Path) {
    fs::remove_file(directory.join("wearlab.db-wal")).expect("removes");
}

fn without_the_index_of_its_log(directory: &Path) {
    fs::remove_file(directory.join("wearlab.db-shm")).expect("removes");
}

fn emptied(directory: &Path) {
    fs::write(directory.join("wearlab.db"), "").expect("truncates");
}

fn with_a_truncated_log(directory: &Path) {
    fs::write(directory.join("wearlab.db-wal"), "").expect("truncates");
}

fn with_a_log_that_lost_its_end(directory: &Path) {
    let log = directory.join("wearlab.db-wal");
    let length = fs::metadata(&log).expect("is there").len();
    let log = fs::OpenOptions::new().write(true).open(log).expect("opens");
    log.set_len(length - 4096).expect("truncates");
}

#[tokio::test]
async fn nothing_is_read_from_or_written_to_files_that_are_gone() {
    for (what, replace) in [
        ("removed", removed as fn(&Path)),
        ("moved", moved),
        ("replaced", overwritten_by_another),
        ("without its log", without_its_log),
        ("without the index of its log", without_the_index_of_its_log),
        ("emptied", emptied),
        ("with a truncated log", with_a_truncated_log),
        ("with a log that lost its end", with_a_log_that_lost_its_end),
    ] {
        let elsewhere = tempfile::tempdir().expect("a directory");
        let directory = elsewhere.path().join("store");
        let store = Store::open(&directory).expect("opens");
        let filled = store.write(|write| {
            write.put_organisation("org_one")?;
            let team = write.put_team(&TeamRecord {
                team_id: uuid(1),
                org_id: "org_one".to_owned(),
                environment: Environment::Sandbox,
                region: Region::Eu,
            })?;
            write.put_key(&KeyRecord::of_team(team.uuid(), "a key"))
        });
        filled.await.expect("writes");
        // The key is cached now, without a read of the file.
        assert!(store.team_of_key("a key").await.expect("reads").is_some());
        store.check().await.expect("all is well");

        replace(&directory);
        let is_reported = |outcome: Result<(), StoreError>| {
            let error = outcome.expect_err(what);
            assert!(matches!(error, StoreError::Replaced { .. }), "{what}: {error:?}");
            assert!(
                error.to_string().contains("were removed, replaced or truncated"),
                "{error}"
            );
        };
        is_reported(store.write(|write| write.put_organisation("org_lost")).await.map(drop));
        is_reported(store.team_of_key("a key").await.map(drop));
        is_reported(store.keys().await.map(drop));
        is_reported(store.check().await);
        is_reported(store.check_files());
        is_reported(store.backup(&elsewhere.path().join("copy.db")).await);
        assert!(!elsewhere.path().join("copy.db").exists(), "{what}");
    }
}

/// Also a log that only another process extended: this one knows its length only from the log's index.
#[tokio::test]
async fn a_log_that_another_process_wrote_to_and_somebody_truncated_is_noticed() {
    for truncate in [with_a_truncated_log as fn(&Path), with_a_log_that_lost_its_end] {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("opens");
        store.check_files().expect("all is well");
        let other = Store::open(directory.path()).expect("opens");
        let filled = other.write(|write| write.put_organisation("org_one"));
        filled.await.expect("writes");
        truncate(directory.path());
        assert!(matches!(store.check_files(), Err(StoreError::Replaced { .. })));
        assert!(matches!(store.check().await, Err(StoreError::Replaced { .. })));
    }
}

/// A write fails if the files are removed meanwhile, because the data is lost.
#[tokio::test]
async fn a_write_whose_files_go_meanwhile_fails() {
    let world = World::new().await;
    let directory = world.directory.path().to_owned();
    let written = world.store.write(|write| {
        write.put_organisation("org_late")?;
        removed(&directory);
        Ok(())
    });
    assert!(matches!(written.await, Err(StoreError::Replaced { .. })));
}

#[tokio::test]
async fn a_write_whose_log_is_truncated_meanwhile_fails() {
    let world = World::new().await;
    let directory = world.directory.path().to_owned();
    let written = world.store.write(|write| {
        write.put_organisation("org_late")?;
        with_a_truncated_log(&directory);
        Ok(())
    });
    assert!(matches!(written.await, Err(StoreError::Replaced { .. })));
    Store::open(&directory).expect_err("it is not taken for whole by others");
}

/// A checkpoint, here or in another process, may shorten the log.
#[tokio::test]
async fn a_log_that_a_checkpoint_emptied_is_no_loss() {
    let world = World::new().await;
    let other = Store::open(world.directory.path()).expect("opens");
    for round in 0..3 {
        let scrubbing = if round % 2 == 0 { &other } else { &world.store };
        scrubbing.scrub().await.expect("scrubs");
        for store in [&world.store, &other] {
            store.check_files().expect("all is well");
            let name = format!("org_{round}");
            store
                .write(|write| write.put_organisation(&name))
                .await
                .expect("writes");
        }
    }
    world.store.check().await.expect("all is well");
}

/// Truncates the store's file to a length.
fn truncate(directory: &Path, left: u64) {
    let file = fs::OpenOptions::new().write(true).open(directory.join("wearlab.db"));
    file.expect("opens").set_len(left).expect("truncates");
}

/// A write would stay in the log, and be lost with the missing pages.
#[tokio::test]
async fn a_file_that_lost_its_end_takes_no_writes() {
    for has_log in [false, true] {
        for left in [1, 2, 3].map(|quarter| quarter * 25).into_iter().chain([99]) {
            let world = filled().await;
            let directory = world.directory.path();
            world.store.scrub().await.expect("scrubs");
            if has_log {
                let small = world.store.write(|write| write.put_meta("small", "fits"));
                small.await.expect("writes");
            }
            let length = fs::metadata(directory.join("wearlab.db")).expect("is there").len();
            truncate(directory, length * left / 100);
            let written = world.store.write(|write| write.put_organisation("org_lost")).await;
            assert!(
                matches!(written, Err(StoreError::Replaced { .. })),
                "{left}: {written:?}"
            );
            assert!(matches!(world.store.check_files(), Err(StoreError::Replaced { .. })));
            let opened = Store::open(directory);
            assert!(opened.is_err(), "{left}: another process may not take it for whole");
        }
    }
}

#[tokio::test]
async fn a_write_whose_file_is_truncated_meanwhile_fails() {
    let world = filled().await;
    world.store.scrub().await.expect("scrubs");
    let directory = world.directory.path().to_owned();
    let written = world.store.write(|write| {
        write.put_organisation("org_late")?;
        truncate(&directory, 64 * 1024);
        Ok(())
    });
    assert!(matches!(written.await, Err(StoreError::Replaced { .. })));
}

/// Another process deletes, rewrites the file, which becomes shorter, and writes again: all of that is in the log.
#[tokio::test]
async fn a_file_that_a_checkpoint_made_shorter_is_no_loss() {
    let world = filled().await;
    world.store.scrub().await.expect("scrubs");
    let file = world.directory.path().join("wearlab.db");
    let length = || fs::metadata(&file).expect("is there").len();
    let other = Store::open(world.directory.path()).expect("opens");
    for round in 0..3 {
        let before = length();
        let users = 1_000..1_000 + super::flipped::USERS;
        let deleted = other.write(|write| {
            for id in users.clone() {
                write.delete_user(world.team, uuid(id))?;
            }
            Ok(())
        });
        deleted.await.expect("writes");
        other.scrub().await.expect("scrubs");
        assert!(length() < before, "round {round}");
        let again = other.write(|write| {
            for id in users.chain(5_000..5_200) {
                write.put_user(world.team, &user(world.team, id, AT))?;
            }
            Ok(())
        });
        again.await.expect("writes");
        let after = length();
        world.store.check_files().expect("all is well");
        let name = format!("org_{round}");
        world.write(|write| write.put_organisation(&name)).await;
        Store::open(world.directory.path()).expect("opens");
        assert_eq!(length(), after, "nothing was put into the file meanwhile");
        other.scrub().await.expect("scrubs");
        assert!(length() > after, "the log had pages that the file lacks");
    }
    world.store.check().await.expect("all is well");
    assert!(world.store.verify().await.expect("reads").damage.is_empty());
}

/// A store that comes back lacks the refused writes, and perhaps more.
#[tokio::test]
async fn files_that_come_back_are_opened_anew() {
    let world = World::new().await;
    let (directory, aside) = (
        world.directory.path().to_owned(),
        tempfile::tempdir().expect("a directory"),
    );
    let aside = aside.path().join("aside");
    fs::rename(&directory, &aside).expect("moves");
    world.store.check().await.expect_err("they are gone");
    fs::rename(&aside, &directory).expect("moves back");
    world.store.check().await.expect_err("for good");
    let again = Store::open(&directory).expect("opens");
    again.check().await.expect("is whole");
}

fn uuid(number: u128) -> wearlab_models::Uuid {
    wearlab_models::Uuid::from_u128(number)
}

#[tokio::test]
async fn an_emptied_file_beside_a_log_is_no_new_store() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("wearlab.db"), "").expect("writes");
    fs::write(directory.path().join("wearlab.db-wal"), "frames").expect("writes");
    let error = Store::open(directory.path()).expect_err("is refused");
    assert!(error.to_string().contains("wearlab.db"), "{error}");
    let log = fs::read(directory.path().join("wearlab.db-wal")).expect("is there");
    assert_eq!(log, b"frames");
}

//! Copies of a store: made while it is in use, checked, and restored.

use crate::arriving;
use crate::records::{put, records};
use crate::world::{World, exported, user};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use wearlab_store::{Ingested, Store, StoreError};

#[tokio::test]
async fn a_copy_is_put_back_as_it_was() {
    let world = World::new().await;
    put(&world.store, &records()).await.expect("writes");
    world.write(|write| write.put_meta("note", "kept")).await;
    let elsewhere = tempfile::tempdir().expect("a directory");
    let (file, directory) = (elsewhere.path().join("copy.db"), elsewhere.path().join("a/b"));
    world.store.backup(&file).await.expect("copies");
    let before = exported(&world.store).await;
    world.write(|write| write.put_organisation("later")).await;
    Store::restore(&file, &directory).expect("puts back");
    let restored = Store::open(&directory).expect("opens");
    assert_eq!(exported(&restored).await, before);
    assert_eq!(restored.meta("note").await.expect("reads").as_deref(), Some("kept"));
    let directories = [elsewhere.path(), &directory].map(names);
    assert_eq!(directories[0], ["a", "copy.db"], "nothing else is left");
    assert!(!directories[1].contains(&"wearlab.db.part".to_owned()));
    restored
        .write(|write| write.put_organisation("more"))
        .await
        .expect("is a store like any other");

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).expect("is there").permissions().mode() & 0o777;
        assert_eq!(mode(&file), 0o600);
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(mode(&directory.join("wearlab.db")), 0o600);
    }
}

/// A copy includes arrivals. An export includes only their values, because another store would send the events again.
#[tokio::test]
async fn a_copy_goes_on_where_the_store_was() {
    let world = arriving::world().await;
    let before = exported(&world.store).await;
    arriving::ingest(
        &world,
        &[
            arriving::day("2026-05-01", 1),
            arriving::chunk("p", 1, 2, 1),
            arriving::chunk("q", 1, 1, 1),
        ],
    )
    .await;
    let more = exported(&world.store).await.split_off(before.len());
    assert!(
        !more.is_empty() && more.iter().all(|line| line.starts_with("{\"values\"")),
        "{more:?}"
    );
    let (file, directory) = (
        world.directory.path().join("copy.db"),
        world.directory.path().join("copy"),
    );
    world.store.backup(&file).await.expect("copies");
    Store::restore(&file, &directory).expect("puts back");
    let copy = Store::open(&directory).expect("opens");
    let [ours, theirs] = [arriving::log(&world.store).await, arriving::log(&copy).await];
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    let payloads = ours
        .iter()
        .zip(&theirs)
        .filter(|(one, other)| one.payload.as_bytes() == other.payload.as_bytes());
    assert_eq!(payloads.count(), 2);
    let ingestion = arriving::ingestion(arriving::NO_FORMS);
    let again = [
        arriving::day("2026-05-01", 1),
        arriving::chunk("q", 1, 1, 1),
        arriving::chunk("p", 2, 2, 2),
    ];
    let mut outcomes = Vec::new();
    for arrival in again {
        outcomes.push(
            arriving::try_ingest(&copy, &arrival, &ingestion)
                .await
                .expect("is taken"),
        );
    }
    assert_eq!(outcomes, [Ingested::Duplicate, Ingested::Duplicate, Ingested::Taken]);
    assert_eq!(arriving::log(&copy).await.len(), 3, "the pull that waited is whole");
}

pub(super) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<_> = names.collect::<Result<_, _>>().expect("names");
    names.sort();
    names
}

#[test]
fn a_copy_is_of_one_moment() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime")
    };
    let world = runtime().block_on(World::new());
    let elsewhere = tempfile::tempdir().expect("a directory");
    let (team, ended) = (world.team, AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Users are created in pairs.
            for number in (0..).step_by(2) {
                let pair = runtime().block_on(world.store.write(|write| {
                    write.put_user(team, &user(team, number, "2024-01-01T00:00:00Z"))?;
                    write.put_user(team, &user(team, number + 1, "2023-01-01T00:00:00Z"))
                }));
                pair.expect("writes");
                if ended.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let mut totals = Vec::new();
        for copy in 0..5 {
            let file = elsewhere.path().join(format!("{copy}.db"));
            let directory = elsewhere.path().join(copy.to_string());
            runtime().block_on(world.store.backup(&file)).expect("copies");
            Store::restore(&file, &directory).expect("puts back");
            let restored = Store::open(&directory).expect("opens");
            let page = runtime()
                .block_on(restored.team(team).users(0, i64::MAX))
                .expect("reads");
            assert_eq!(usize::try_from(page.total), Ok(page.users.len()));
            assert_eq!(page.total % 2, 0, "half a write");
            totals.push(page.total);
        }
        ended.store(true, Ordering::Relaxed);
        assert!(totals.is_sorted(), "{totals:?}");
    });
}

#[tokio::test]
async fn a_store_in_use_is_copied_with_its_log() {
    let world = World::new().await;
    put(&world.store, &records()).await.expect("writes");
    let elsewhere = tempfile::tempdir().expect("a directory");
    let directory = elsewhere.path().join("copy");
    Store::restore(&world.directory.path().join("wearlab.db"), &directory).expect("copies");
    let copy = Store::open(&directory).expect("opens");
    assert_eq!(exported(&copy).await, exported(&world.store).await);
}

#[tokio::test]
async fn a_copy_overwrites_nothing() {
    let world = World::new().await;
    let elsewhere = tempfile::tempdir().expect("a directory");
    let file = elsewhere.path().join("copy.db");
    fs::write(&file, "precious").expect("writes");
    for taken in [file.as_path(), elsewhere.path(), &elsewhere.path().join("none/copy.db")] {
        let error = world.store.backup(taken).await.expect_err("is refused");
        assert_names(&error, taken);
    }
    assert_eq!(fs::read_to_string(&file).expect("reads"), "precious");
    assert_eq!(names(elsewhere.path()), ["copy.db"]);
}

#[tokio::test]
async fn a_copy_has_its_name_once_it_is_whole() {
    let world = World::new().await;
    let elsewhere = tempfile::tempdir().expect("a directory");
    let (file, part) = (elsewhere.path().join("copy.db"), elsewhere.path().join("copy.db.part"));
    // Another process makes a copy under the same name.
    let other = fs::File::create(&part).expect("makes");
    other.lock().expect("locks");
    let error = world.store.backup(&file).await.expect_err("is refused");
    assert_names(&error, &part);
    assert_eq!(names(elsewhere.path()), ["copy.db.part"], "which stays");
    // The process is killed.
    drop(other);
    fs::write(&part, "half").expect("writes");
    world.store.backup(&file).await.expect("copies");
    assert_eq!(names(elsewhere.path()), ["copy.db"]);
    Store::restore(&file, &elsewhere.path().join("store")).expect("is whole");
    // A directory with the temporary name is not overwritten.
    let other = elsewhere.path().join("other.db");
    fs::create_dir(elsewhere.path().join("other.db.part")).expect("makes");
    world.store.backup(&other).await.expect_err("is refused");
    assert!(!other.exists());
}

#[tokio::test]
async fn what_is_no_whole_copy_is_refused() {
    let world = World::new().await;
    put(&world.store, &records()).await.expect("writes");
    let elsewhere = tempfile::tempdir().expect("a directory");
    let file = elsewhere.path().join("copy.db");
    world.store.backup(&file).await.expect("copies");
    let good = fs::read(&file).expect("reads");
    let directory = elsewhere.path().join("store");
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("writes");
        let error = Store::restore(&file, &directory).expect_err("is refused");
        assert_names(&error, &file);
        assert!(!directory.exists(), "nothing is made");
        error
    };

    for length in [4_096, 10_000, good.len() / 2, good.len() - 4_096, good.len() - 1] {
        let error = refused(&good[..length]);
        assert!(matches!(error, StoreError::Damaged { .. }), "{length}: {error:?}");
    }
    // Damages each page at its beginning, where the engine stores its layout.
    for page in 0..good.len() / 4_096 {
        let mut bytes = good.clone();
        let begin = page * 4_096;
        bytes[begin..begin + 108].iter_mut().for_each(|byte| *byte ^= 0xff);
        refused(&bytes);
    }
    // Damages one letter in a document, and one in a key of an index.
    for text in ["Asia/Tokyo", "org_a"] {
        let places = good
            .windows(text.len())
            .enumerate()
            .filter(|(_, window)| *window == text.as_bytes());
        let places: Vec<_> = places.map(|(at, _)| at).collect();
        assert!(!places.is_empty());
        for at in places {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            let error = refused(&bytes);
            assert!(matches!(error, StoreError::Damaged { .. }), "{text}: {error:?}");
        }
    }
    for other in [&b""[..], b"no database", &[0; 8_192]] {
        let error = refused(other);
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error:?}");
    }
    let newer = elsewhere.path().join("newer.db");
    fs::write(&newer, &good).expect("writes");
    let raw = wearlab_checksum_vfs::open(&newer, rusqlite::OpenFlags::default()).expect("a database");
    raw.pragma_update(None, "user_version", 99).expect("sets it");
    drop(raw);
    let newer = fs::read(&newer).expect("reads");
    assert!(matches!(refused(&newer), StoreError::NewerSchema { found: 99, .. }));
    let missing = elsewhere.path().join("missing.db");
    let error = Store::restore(&missing, &directory).expect_err("is refused");
    assert_names(&error, &missing);
    assert!(!missing.exists() && !directory.exists());
    fs::write(&file, &good).expect("writes");
    Store::restore(&file, &directory).expect("the good one is put back");
}

pub(super) fn assert_names(error: &StoreError, path: &Path) {
    assert!(
        error.to_string().contains(&path.display().to_string()),
        "{error}, of {}",
        path.display()
    );
}

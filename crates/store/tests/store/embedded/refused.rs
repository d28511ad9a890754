//! Errors of opening a store.

use std::fs;
use std::path::Path;

use wearlab_store::{Store, StoreError};

use crate::world::{World, user};

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let big = "no database, ".repeat(1_000);
    for text in ["no database", big.as_str()] {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("wearlab.db");
        fs::write(&file, text).expect("writes");
        let error = Store::open(directory.path()).expect_err("is refused");
        assert!(
            matches!(&error, StoreError::NotAStore { path } if *path == file),
            "{error:?}"
        );
        assert!(error.to_string().contains(&file.display().to_string()));
        assert_eq!(fs::read_to_string(&file).expect("reads"), text);
    }

    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("wearlab.db");
    let foreign = rusqlite::Connection::open(&file).expect("a database");
    foreign
        .execute_batch("CREATE TABLE notes (text TEXT)")
        .expect("a table");
    drop(foreign);
    let before = fs::read(&file).expect("reads");
    let error = Store::open(directory.path()).expect_err("is refused");
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error:?}");
    assert_eq!(fs::read(&file).expect("reads"), before);
}

#[test]
fn a_damaged_file_is_refused_by_name() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(Store::open(directory.path()).expect("opens"));
    let file = directory.path().join("wearlab.db");
    let good = fs::read(&file).expect("reads");
    let mut overwritten = good.clone();
    overwritten[100..4_096].fill(0xff);
    for damaged in [&good[..4_096], overwritten.as_slice()] {
        fs::write(&file, damaged).expect("writes");
        let error = Store::open(directory.path()).expect_err("is refused");
        assert!(
            matches!(&error, StoreError::Damaged { path, .. } if *path == file),
            "{error:?}"
        );
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[test]
fn what_the_engine_cannot_open_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(Store::open(directory.path()).expect("opens"));
    // At the path of the engine's log.
    fs::create_dir(directory.path().join("wearlab.db-wal")).expect("a directory");
    named(directory.path());
}

#[cfg(unix)]
#[test]
fn a_directory_without_the_right_to_write_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("a directory");
    drop(Store::open(directory.path()).expect("opens"));
    let allow = |mode| fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode)).expect("sets the mode");
    allow(0o500);
    // The superuser can write anyway.
    if fs::write(directory.path().join("probe"), "").is_err() {
        named(directory.path());
    }
    allow(0o700);
}

/// Panics unless opening fails with an error that names the file and has a cause.
fn named(directory: &Path) {
    let file = directory.join("wearlab.db");
    let error = Store::open(directory).expect_err("is refused");
    assert!(
        matches!(&error, StoreError::Unusable { path, .. } if *path == file),
        "{error:?}"
    );
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_directory_that_cannot_be_used_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("file");
    fs::write(&file, "").expect("writes");
    for path in [file.clone(), file.join("below")] {
        let error = Store::open(&path).expect_err("is refused");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test]
async fn damage_that_is_found_later_is_named_and_loses_nothing_else() {
    let World {
        directory,
        store,
        team,
        sister,
        ..
    } = World::new().await;
    let file = directory.path().join("wearlab.db");
    let put =
        store.write(|write| (0..200).try_for_each(|id| write.put_user(team, &user(team, id, "2024-01-01T00:00:00Z"))));
    put.await.expect("writes");
    drop(store);
    let raw = wearlab_checksum_vfs::open(&file, rusqlite::OpenFlags::default()).expect("a database");
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'users_by_age'";
    let page: i64 = raw.query_row(sql, [], |row| row.get(0)).expect("a page");
    let page = usize::try_from(page).expect("a page");
    drop(raw);
    let good = fs::read(&file).expect("reads");
    let mut damaged = good.clone();
    damaged[(page - 1) * 4_096..][..4_096].fill(0xff);
    fs::write(&file, &damaged).expect("writes");

    let store = Store::open(directory.path()).expect("what is read to open is sound");
    store.check().await.expect("nothing was found yet");
    let read = store.team(team).users(0, 10).await.expect_err("is damaged");
    let new = user(team, 1_000, "2024-01-01T00:00:00Z");
    let written = store
        .write(|write| write.put_user(team, &new))
        .await
        .expect_err("is damaged");
    let export = store.export::<StoreError>(|_| Ok(()));
    let exported = export.await.expect_err("is damaged");
    let checked = store.check().await.expect_err("is damaged");
    assert!(
        matches!(&written, StoreError::WritesStopped { path } if *path == file),
        "{written:?}"
    );
    for error in [read, exported, checked] {
        assert!(
            matches!(&error, StoreError::Damaged { path, .. } if *path == file),
            "{error:?}"
        );
    }
    assert!(
        store
            .team(team)
            .user(uuid::Uuid::from_u128(7))
            .await
            .expect("reads")
            .is_some()
    );
    let copy = directory.path().join("copy.db");
    let error = store.backup(&copy).await.expect_err("a copy of it would not be sound");
    assert!(
        matches!(&error, StoreError::Damaged { path, .. } if *path == file),
        "{error:?}"
    );
    assert!(!copy.exists());
    drop(store);
    fs::write(&file, &good).expect("writes");
    let store = Store::open(directory.path()).expect("opens");
    assert_eq!(store.team(team).users(0, 10).await.expect("reads").total, 200);
    assert_eq!(store.team(sister).users(0, 10).await.expect("reads").total, 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_only_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("a directory");
    drop(Store::open(directory.path()).expect("opens"));
    let file = directory.path().join("wearlab.db");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).expect("sets the mode");
    if fs::OpenOptions::new().append(true).open(&file).is_ok() {
        eprintln!("skipped: nothing is forbidden to the superuser");
        return;
    }
    let before = fs::read(&file).expect("reads");
    named(directory.path());
    assert_eq!(fs::read(&file).expect("reads"), before);
}

//! Opening: what is made, what is kept, what is refused.

use std::fs;

use wearlab_store::{Store, StoreError};

use crate::world::{World, user};

#[tokio::test]
async fn reopening_keeps_everything() {
    let world = World::new().await;
    world
        .write(|write| write.put_user(world.team, &user(world.team, 7, "2024-01-01T00:00:00Z")))
        .await;
    world.write(|write| write.put_meta("seed", "12")).await;
    let before = world.user(world.team, 7).await;
    let World {
        folder, store, team, ..
    } = world;
    drop(store);

    let store = Store::open(folder.path()).expect("opens again");
    assert!(!store.is_empty().await.expect("reads"));
    assert_eq!(store.meta("seed").await.expect("reads").as_deref(), Some("12"));
    let after = store.team(team).user(uuid::Uuid::from_u128(7)).await.expect("reads");
    assert_eq!(after.map(|user| crate::world::decoded(&user)), before);
    assert_eq!(store.team(team).users(0, 10).await.expect("reads").total, 1);
}

#[tokio::test]
async fn a_new_store_is_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("a/b")).expect("makes the folders");
    assert!(store.is_empty().await.expect("reads"));
    assert_eq!(store.meta("seed").await.expect("reads"), None);
    store
        .write(|write| write.put_organisation("org"))
        .await
        .expect("writes");
    assert!(!store.is_empty().await.expect("reads"));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_look() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("data");
    let store = Store::open(&folder).expect("opens");
    store
        .write(|write| write.put_organisation("org"))
        .await
        .expect("writes");
    let mode = |path| fs::metadata(path).expect("is there").permissions().mode() & 0o777;
    assert_eq!(mode(folder.clone()), 0o700);
    for entry in fs::read_dir(&folder).expect("a folder") {
        assert_eq!(mode(entry.expect("an entry").path()), 0o600);
    }
}

#[tokio::test]
async fn two_stores_on_one_folder_see_each_other() {
    let world = World::new().await;
    let other = Store::open(world.folder.path()).expect("opens beside the first");
    assert_eq!(other.team(world.team).users(0, 10).await.expect("reads").total, 0);
    world
        .write(|write| write.put_user(world.team, &user(world.team, 7, "2024-01-01T00:00:00Z")))
        .await;
    assert_eq!(other.team(world.team).users(0, 10).await.expect("reads").total, 1);
    other
        .write(|write| write.put_user(world.team, &user(world.team, 8, "2024-01-01T00:00:00Z")))
        .await
        .expect("writes");
    assert!(world.user(world.team, 8).await.is_some());
}

#[test]
fn many_may_open_a_new_folder_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        let opened: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Store::open(folder.path()).map(drop)))
            .collect();
        for opened in opened {
            opened.join().expect("no panic").expect("opens");
        }
    });
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let big = "no database, ".repeat(1_000);
    for text in ["no database", big.as_str()] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("wearlab.db");
        fs::write(&file, text).expect("writes");
        let error = Store::open(folder.path()).expect_err("is refused");
        assert!(
            matches!(&error, StoreError::NotAStore { path } if *path == file),
            "{error:?}"
        );
        assert!(error.to_string().contains(&file.display().to_string()));
        assert_eq!(fs::read_to_string(&file).expect("reads"), text);
    }

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wearlab.db");
    let foreign = rusqlite::Connection::open(&file).expect("a database");
    foreign
        .execute_batch("CREATE TABLE notes (text TEXT)")
        .expect("a table");
    drop(foreign);
    let before = fs::read(&file).expect("reads");
    let error = Store::open(folder.path()).expect_err("is refused");
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error:?}");
    assert_eq!(fs::read(&file).expect("reads"), before);
}

#[test]
fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::open(folder.path()).expect("opens"));
    let file = folder.path().join("wearlab.db");
    let raw = rusqlite::Connection::open(&file).expect("a database");
    raw.pragma_update(None, "user_version", 99).expect("sets the version");
    drop(raw);
    let error = Store::open(folder.path()).expect_err("is refused");
    assert!(
        matches!(
            error,
            StoreError::NewerSchema {
                found: 99,
                known: 1,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(error.to_string().contains("wearlab.db"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("writes");
    for path in [file.clone(), file.join("below")] {
        let error = Store::open(&path).expect_err("is refused");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test]
async fn debug_shows_no_data() {
    let world = World::new().await;
    assert!(format!("{:?}", world.store).starts_with("Store { path: "));
}

//! Opening of a store: created files, and their permissions.

use std::fs;

use wearlab_store::Store;

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
        directory, store, team, ..
    } = world;
    drop(store);

    let store = Store::open(directory.path()).expect("opens again");
    assert!(!store.is_empty().await.expect("reads"));
    assert_eq!(store.meta("seed").await.expect("reads").as_deref(), Some("12"));
    let after = store.team(team).user(uuid::Uuid::from_u128(7)).await.expect("reads");
    assert_eq!(after.map(|user| crate::world::decoded(&user)), before);
    assert_eq!(store.team(team).users(0, 10).await.expect("reads").total, 1);
}

#[tokio::test]
async fn a_new_store_is_empty() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(&directory.path().join("a/b")).expect("makes the directories");
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
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path().join("data");
    let store = Store::open(&directory).expect("opens");
    store
        .write(|write| write.put_organisation("org"))
        .await
        .expect("writes");
    assert_eq!(
        fs::metadata(&directory).expect("is there").permissions().mode() & 0o777,
        0o700
    );
    let modes = || -> Vec<u32> {
        let entries = fs::read_dir(&directory).expect("a directory");
        let metadata = entries.map(|entry| entry.and_then(|entry| entry.metadata()).expect("is there"));
        metadata.map(|metadata| metadata.permissions().mode() & 0o777).collect()
    };
    assert_eq!(modes(), [0o600; 3], "the file, and two of the engine beside it");

    // Permissions of other users, such as after a copy, are removed.
    for entry in fs::read_dir(&directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        fs::set_permissions(path, fs::Permissions::from_mode(0o664)).expect("sets the mode");
    }
    drop(Store::open(&directory).expect("opens again"));
    assert_eq!(modes(), [0o600; 3]);
    drop(store);
    fs::set_permissions(directory.join("wearlab.db"), fs::Permissions::from_mode(0o604)).expect("sets the mode");
    let _store = Store::open(&directory).expect("opens again");
    assert_eq!(modes(), [0o600; 3]);
}

#[tokio::test]
async fn two_stores_on_one_directory_see_each_other() {
    let world = World::new().await;
    let other = Store::open(world.directory.path()).expect("opens beside the first");
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
fn many_may_open_a_new_directory_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    std::thread::scope(|scope| {
        let opened: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Store::open(directory.path()).map(drop)))
            .collect();
        for opened in opened {
            opened.join().expect("no panic").expect("opens");
        }
    });
}

#[tokio::test]
async fn debug_shows_no_data() {
    let world = World::new().await;
    let path = world.directory.path().join("wearlab.db");
    assert_eq!(format!("{:?}", world.store), format!("Store {{ path: {path:?}, .. }}"));
    let shown = world.write(|write| Ok(format!("{write:?}"))).await;
    assert_eq!(shown, "Transaction { .. }");
}

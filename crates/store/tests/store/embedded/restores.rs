//! Restores of copies: into empty directories only, and complete.

use std::fs;

use wearlab_store::Store;

use super::copies::{assert_names, names};
use crate::records::{put, records};
use crate::world::{World, exported};

#[tokio::test]
async fn a_store_is_put_back_only_where_none_is() {
    let world = World::new().await;
    let before = exported(&world.store).await;
    let elsewhere = tempfile::tempdir().expect("a directory");
    let file = elsewhere.path().join("copy.db");
    world.store.backup(&file).await.expect("copies");
    world.write(|write| write.put_organisation("later")).await;
    let error = Store::restore(&file, world.directory.path()).expect_err("there is a store");
    assert_names(&error, &world.directory.path().join("wearlab.db"));
    assert_ne!(exported(&world.store).await, before);

    // The log of a removed store would be read as that of the copy.
    for left in ["wearlab.db-wal", "wearlab.db-journal"] {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join(left), "").expect("writes");
        let error = Store::restore(&file, directory.path()).expect_err("a part of a store");
        assert_names(&error, &directory.path().join(left));
    }

    // The leftover of an interrupted restore is no obstacle.
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("wearlab.db.part"), "half").expect("writes");
    Store::restore(&file, directory.path()).expect("puts back");
    assert_eq!(exported(&Store::open(directory.path()).expect("opens")).await, before);
}

/// Opening the directory would create a new store in place of the data.
#[tokio::test]
async fn a_restore_that_was_cut_short_leaves_no_store_that_opens() {
    let world = World::new().await;
    let elsewhere = tempfile::tempdir().expect("a directory");
    let (file, directory) = (elsewhere.path().join("copy.db"), elsewhere.path().join("store"));
    world.store.backup(&file).await.expect("copies");
    fs::create_dir(&directory).expect("makes");
    fs::write(directory.join("wearlab.db.part"), "half").expect("writes");
    let error = Store::open(&directory).expect_err("half a store");
    assert_names(&error, &directory.join("wearlab.db"));
    assert_eq!(names(&directory), ["wearlab.db.part"], "nothing is made");
    Store::restore(&file, &directory).expect("puts back");
    assert_eq!(names(&directory), ["wearlab.db"]);
    Store::open(&directory).expect("opens");
}

#[tokio::test]
async fn one_of_several_restores_at_once_wins() {
    let world = World::new().await;
    put(&world.store, &records()).await.expect("writes");
    let elsewhere = tempfile::tempdir().expect("a directory");
    let file = elsewhere.path().join("copy.db");
    world.store.backup(&file).await.expect("copies");
    let before = exported(&world.store).await;
    for round in 0..10 {
        let directory = elsewhere.path().join(round.to_string());
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let restores: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| Store::restore(&file, &directory)))
                .collect();
            restores
                .into_iter()
                .map(|restore| restore.join().expect("no panic"))
                .collect()
        });
        let refused: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
        assert_eq!(refused.len(), 2, "{outcomes:?}");
        for error in refused {
            let cause = std::error::Error::source(error)
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                cause.contains("another process writes it") || cause.contains("there is a store already"),
                "{cause}"
            );
        }
        assert_eq!(names(&directory), ["wearlab.db"]);
        let restored = Store::open(&directory).expect("opens");
        assert_eq!(exported(&restored).await, before);
    }
}

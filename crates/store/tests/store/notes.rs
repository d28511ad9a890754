//! Notes in the store, by which several processes coordinate.

use std::sync::{Arc, Barrier};

use wearlab_store::StoreError;

use crate::place::open;
use crate::world::World;

#[tokio::test]
async fn a_note_is_replaced_or_kept() {
    let world = World::new().await;
    let read = async || world.store.meta("note").await.expect("reads");
    assert_eq!(read().await, None);
    let put = async |value: &str| world.write(|write| write.put_meta_if_absent("note", value)).await;
    assert_eq!(put("first").await, "first");
    assert_eq!(put("second").await, "first");
    assert_eq!(read().await.as_deref(), Some("first"));
    world.write(|write| write.put_meta("note", "third")).await;
    assert_eq!(put("fourth").await, "third");
    assert_eq!(read().await.as_deref(), Some("third"));
}

#[tokio::test]
async fn a_write_reads_what_it_wrote() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path()).await;
    let result: Result<(), _> = store
        .write(|write| {
            assert!(write.is_empty()?);
            assert_eq!(write.meta("note")?, None);
            write.put_meta("note", "text")?;
            assert_eq!(write.meta("note")?.as_deref(), Some("text"));
            assert!(write.is_empty()?, "a note is no data");
            write.put_organisation("org")?;
            assert!(!write.is_empty()?);
            Err(StoreError::Conflict {
                what: "on second thoughts",
            })
        })
        .await;
    assert!(result.is_err());
    assert_eq!(store.meta("note").await.expect("reads"), None);
    assert!(store.is_empty().await.expect("reads"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_secret_that_several_make_is_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let start = Arc::new(Barrier::new(4));
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(open(directory.path()).await);
    }
    let makers: Vec<_> = (0..)
        .zip(stores)
        .map(|(maker, store)| {
            let start = start.clone();
            tokio::spawn(async move {
                start.wait();
                let secret = format!("made by {maker}");
                store
                    .write(|write| write.put_meta_if_absent("secret", &secret))
                    .await
                    .expect("writes")
            })
        })
        .collect();
    let mut secrets = Vec::new();
    for maker in makers {
        secrets.push(maker.await.expect("no panic"));
    }
    secrets.dedup();
    assert_eq!(secrets.len(), 1);
}

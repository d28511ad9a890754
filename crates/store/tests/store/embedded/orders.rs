//! Patient data in files: encrypted with a key, and removed with their user.

use std::path::Path;

use rusqlite::OpenFlags;
use serde_json::json;
use uuid::Uuid;
use wearlab_store::{EmbeddedSettings, OrderFilter, OrderRows, Store, StoreError, TeamId};

use crate::arriving::{NO_FORMS, USER, ingestion};
use crate::orders::{SECRETS, order, read, read_results, report, results, world};
use crate::world::{World, exported, traces};

/// More orders than one part of a key rotation, and than a page.
const ORDERS: u128 = 230;

fn open(directory: &Path, numbers: &[u8]) -> Result<Store, StoreError> {
    let keys: Vec<_> = numbers.iter().map(|number| [*number; 32].into()).collect();
    Store::open_with(directory, &EmbeddedSettings::default(), &keys)
}

async fn populate(store: &Store, team: TeamId) {
    let put = store.write(|write| {
        for id in 1..=ORDERS {
            // Some documents have overflow pages.
            let notes = if id % 20 == 0 {
                "secret-note ".repeat(500)
            } else {
                String::new()
            };
            write.put_order(team, &order(team, USER, id, json!({ "notes": notes })))?;
            if id % 3 > 0 {
                let kept = results(&report(id, 10, "final", &[("1-1", "17.0625")]));
                write.put_order_results(team, Uuid::from_u128(id), &kept)?;
            }
        }
        write.ingest(&report(3, 10, "partial", &[("2-2", "17.0625")]), &ingestion(NO_FORMS))
    });
    put.await.expect("writes");
}

fn shown(directory: &Path) -> Vec<String> {
    let texts = SECRETS.map(|secret| secret.as_bytes().to_vec());
    let mut found: Vec<_> = traces(directory, &texts)
        .into_iter()
        .map(|(_, text)| String::from_utf8_lossy(text).into_owned())
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Returns the names of the keys that encrypt documents.
fn sealed_by(directory: &Path) -> Vec<String> {
    let raw = wearlab_checksum_vfs::open(directory.join("wearlab.db"), OpenFlags::default()).expect("a database");
    let sql = "SELECT sealed_by FROM orders UNION SELECT sealed_by FROM order_results";
    let mut names = raw.prepare(sql).expect("a query");
    let names = names.query_map([], |row| row.get(0)).expect("names");
    names.collect::<Result<_, _>>().expect("names")
}

async fn count(store: &Store, team: TeamId) -> Result<i64, StoreError> {
    let page = store
        .team(team)
        .orders(&OrderFilter::default(), 1, 1000, usize::MAX)
        .await?;
    let OrderRows::Whole(orders) = &page.orders else {
        panic!("not whole");
    };
    assert_eq!(i64::try_from(orders.len()).expect("few"), page.total);
    Ok(page.total)
}

#[tokio::test]
async fn with_a_key_no_file_shows_anything_of_a_patient() {
    let World {
        directory, store, team, ..
    } = world().await;
    let directory = directory.path();
    drop(store);
    let store = open(directory, &[1]).expect("opens");
    populate(&store, team).await;
    assert_eq!(shown(directory), Vec::<String>::new());
    assert_eq!(count(&store, team).await.expect("reads"), 230);
    let one = read(&store, team, 20).await.expect("the order");
    assert!(one.notes.expect("notes").starts_with("secret-note"));
    let kept = read_results(&store, team, 3).await.expect("results");
    assert_eq!(kept.results[0].result.result, "17.0625");
    drop(store);
    assert_eq!(shown(directory), Vec::<String>::new());
    for others in [&[][..], &[2], &[2, 3]] {
        let error = open(directory, others).expect_err("is refused");
        assert!(matches!(error, StoreError::Sealed), "{error:?}");
    }
}

#[tokio::test]
async fn a_key_that_is_added_or_changed_seals_all_orders() {
    let World {
        directory, store, team, ..
    } = world().await;
    let directory = directory.path();
    populate(&store, team).await;
    assert_eq!(shown(directory).len(), SECRETS.len(), "what is looked for is there");
    let before = exported(&store).await;
    assert_eq!(sealed_by(directory), [""]);

    let sealed = open(directory, &[1]).expect("opens");
    assert_eq!(shown(directory), Vec::<String>::new());
    assert_eq!(exported(&sealed).await, before);
    // The store that was already open has no key, and fails.
    for error in [
        count(&store, team).await.expect_err("no key"),
        store.team(team).order(Uuid::from_u128(1)).await.expect_err("no key"),
        store
            .team(team)
            .user_export(Uuid::from_u128(USER))
            .await
            .expect_err("no key"),
        store.export(|_| Ok::<_, StoreError>(())).await.expect_err("no key"),
    ] {
        assert!(matches!(error, StoreError::Sealed), "{error:?}");
    }
    let first = sealed_by(directory);
    drop((store, sealed));

    let rotated = open(directory, &[2, 1]).expect("opens");
    assert_eq!(exported(&rotated).await, before);
    drop(rotated);
    let second = sealed_by(directory);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    let error = open(directory, &[1]).expect_err("is sealed by the other");
    assert!(matches!(error, StoreError::Sealed), "{error:?}");
    let store = open(directory, &[2]).expect("the older key is needed no longer");
    assert_eq!(exported(&store).await, before);
    assert_eq!(shown(directory), Vec::<String>::new());
}

/// The names of keys show whether documents must be encrypted again, so an unreadable document is no obstacle.
#[tokio::test]
async fn opening_reads_no_order() {
    let World {
        directory, store, team, ..
    } = world().await;
    let directory = directory.path();
    drop(store);
    let store = open(directory, &[1]).expect("opens");
    populate(&store, team).await;
    drop(store);
    let raw = wearlab_checksum_vfs::open(directory.join("wearlab.db"), OpenFlags::default()).expect("a database");
    raw.execute_batch("UPDATE orders SET document = 'sealed:1:?'; UPDATE order_results SET document = 'sealed:1:?'")
        .expect("writes");
    drop(raw);
    let store = open(directory, &[1]).expect("opens");
    let error = store
        .team(team)
        .order(Uuid::from_u128(1))
        .await
        .expect_err("is unreadable");
    assert!(matches!(error, StoreError::Sealed), "{error:?}");
}

/// The document of an order cannot be decrypted as another one, nor as its results.
#[tokio::test]
async fn what_is_sealed_of_one_order_is_of_no_other() {
    let World {
        directory, store, team, ..
    } = world().await;
    let directory = directory.path();
    drop(store);
    let store = open(directory, &[1]).expect("opens");
    populate(&store, team).await;
    let raw = wearlab_checksum_vfs::open(directory.join("wearlab.db"), OpenFlags::default()).expect("a database");
    let swap = "UPDATE orders SET document = (SELECT document FROM orders WHERE order_id = ?2) WHERE order_id = ?1";
    let ids = [1, 2].map(Uuid::from_u128);
    raw.execute(swap, [ids[0].as_bytes(), ids[1].as_bytes()])
        .expect("writes");
    let error = store.team(team).order(ids[0]).await.expect_err("is refused");
    assert!(matches!(error, StoreError::Sealed), "{error:?}");
    assert!(store.team(team).order(ids[1]).await.expect("reads").is_some());
}

#[tokio::test]
async fn orders_of_who_is_forgotten_are_in_no_file() {
    let World {
        directory, store, team, ..
    } = world().await;
    let directory = directory.path();
    populate(&store, team).await;
    // An order of another user, without secrets.
    let alone = order(
        team,
        8,
        1_000,
        json!({"notes": "of-another-user", "patient_details": null,
        "patient_address": null, "physician": null, "health_insurance": null, "icd_codes": null, "clinical_notes": null,
        "passthrough": null, "aoe_answers": null}),
    );
    store
        .write(|write| write.put_order(team, &alone))
        .await
        .expect("writes");
    assert_eq!(shown(directory).len(), SECRETS.len(), "what is looked for is there");
    assert!(store.forget(team, Uuid::from_u128(USER)).await.expect("forgets"));
    assert_eq!(shown(directory), Vec::<String>::new());
    assert_eq!(read(&store, team, 1_000).await, Some(alone));
    assert_eq!(count(&store, team).await.expect("reads"), 1);
}

#[tokio::test]
async fn without_a_key_orders_are_refused_where_plain_text_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path(), &[]).expect("opens");
    let world = world().await;
    store.refuse_plaintext();
    let put = |store: &Store, team| {
        let order = order(team, USER, 1, json!({}));
        let store = store.clone();
        async move { store.write(|write| write.put_order(team, &order)).await }
    };
    let refused = put(&store, world.team).await;
    assert!(
        matches!(refused, Err(StoreError::NoSecretKey { what: "orders" })),
        "{refused:?}"
    );
    // The store of the world allows plain text.
    put(&world.store, world.team).await.expect("is allowed");
    world.store.refuse_plaintext();
    let result = report(1, 10, "final", &[("1-1", "17.0625")]);
    let refused = world
        .store
        .write(|write| write.ingest(&result, &ingestion(NO_FORMS)))
        .await;
    assert!(matches!(refused, Err(StoreError::NoSecretKey { .. })), "{refused:?}");
}

//! Traces of writes over HTTP in the files.

use uuid::Uuid;
use wearlab_store::{IdempotencyOutcome, IdempotentRequest, Store};

use crate::arriving::at;
use crate::world::{World, traces, user};

const NOW: &str = "2026-06-01T12:00:00Z";

#[tokio::test]
async fn a_response_is_in_no_file() {
    let world = World::new().await;
    let texts = [
        "credential-hush",
        "idempotency-hush",
        "body-hush",
        "response-hush",
        "operation-hush",
    ];
    let [credential, key, body, response, operation] = texts;
    let long = format!("{response} {}", "and so on ".repeat(1_000));
    let request = || IdempotentRequest::new(credential, key, operation, body.as_bytes());
    world
        .write(|write| {
            write.put_meta("in_plain", "text-that-shows")?;
            write.keep_response(&request(), &long, None, at(NOW))
        })
        .await;
    let copy = world.directory.path().join("copy.db");
    world.store.backup(&copy).await.expect("copies");
    let found = |texts: &[&str]| {
        let texts: Vec<_> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        traces(world.directory.path(), &texts).len()
    };
    assert!(found(&["text-that-shows"]) > 0, "what is looked for would be found");
    assert_eq!(found(&texts), 0);
    assert_eq!(found(&["and so on "]), 0);
    let again = world.write(|write| write.repeat(&request(), at(NOW))).await;
    assert_eq!(again, IdempotencyOutcome::Again(long));
}

#[tokio::test]
async fn what_a_process_did_not_scrub_the_next_one_does() {
    let world = World::new().await;
    let mut person = user(world.team, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef, NOW);
    person.client_user_id = "client-hush".to_owned();
    world.write(|write| write.put_user(world.team, &person)).await;
    let deleted = world.write(|write| write.delete_user(world.team, person.user_id));
    assert!(deleted.await);
    // An open read keeps the writes in the log, because no checkpoint can move them.
    let World { store, directory, .. } = world;
    let texts = [b"client-hush".to_vec(), Uuid::as_bytes(&person.user_id).to_vec()];
    assert!(
        !traces(directory.path(), &texts).is_empty(),
        "what is looked for is there"
    );
    let next = Store::open(directory.path()).expect("opens beside the first");
    drop(store);
    assert!(next.scrub_deletions().await.expect("scrubs"));
    assert!(traces(directory.path(), &texts).is_empty());
    assert!(!next.scrub_deletions().await.expect("scrubs"));
}

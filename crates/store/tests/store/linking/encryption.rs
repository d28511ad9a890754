//! Encryption of tokens and client secrets, and their refusal without a key.

use chrono::TimeDelta;
use uuid::Uuid;
use wearlab_store::{KeyHash, NewAuthorization, Returned, Store, StoreError};

use super::{NOW, TOKEN, USER, linked_one, linking, now, put, secrets, settings, tokens, user_id};
use crate::world::{connection, user};

/// Runs on the embedded engine, whose files can be read.
#[tokio::test]
async fn what_linking_keeps_is_encrypted() {
    let directory = tempfile::tempdir().expect("a directory");
    let keys = |number: u8| vec![[number; 32].into()];
    let open = |keys: &[wearlab_store::SecretKey]| {
        Store::open_with(directory.path(), &wearlab_store::EmbeddedSettings::default(), keys)
    };
    let fill = async |store: &Store| {
        store
            .write(|write| {
                let organisation = write.put_organisation("org_ours")?;
                let team = crate::world::put_team(write, 1, &organisation)?;
                write.put_user(team, &user(team, USER, NOW))?;
                write.put_connection(team, user_id(), &connection("stridewell", NOW))?;
                put(write, &organisation, team, user_id())
            })
            .await
            .expect("writes");
    };
    let shown = || {
        let mut shown = Vec::new();
        for entry in std::fs::read_dir(directory.path()).expect("a directory") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            for secret in [
                "access-secret",
                "refresh-secret",
                "client-secret",
                "verifier-secret",
                "state-secret",
                "session-secret",
                TOKEN,
            ] {
                if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                    shown.push(secret);
                }
            }
        }
        shown
    };
    // Stored in plain text first, and encrypted when there is a key.
    let plain = open(&[]).expect("opens");
    fill(&plain).await;
    drop(plain);
    let never = ["state-secret", "session-secret", TOKEN];
    assert!(!shown().is_empty() && shown().iter().all(|secret| !never.contains(secret)));
    drop(open(&keys(1)).expect("opens"));
    assert_eq!(shown(), Vec::<&str>::new());
    // With a newer key before it, and then with the newer key alone.
    drop(open(&[keys(2), keys(1)].concat()).expect("opens"));
    assert!(open(&keys(1)).is_err());
    let store = open(&keys(2)).expect("opens");
    assert_eq!(shown(), Vec::<&str>::new());
    let team = store
        .write(|write| write.team(Uuid::from_u128(1)))
        .await
        .expect("reads");
    let linked = linked_one(&store, team.expect("a team")).await.expect("tokens");
    assert_eq!(linked.tokens, tokens(1));
    let returned = store.write(|write| write.return_from_provider("state-secret", Some("session-secret"), now()));
    let Returned::First(pending) = returned.await.expect("reads") else {
        panic!("it is good")
    };
    assert_eq!(pending.secrets, secrets());
}

/// Runs on the embedded engine: plain text in a store of an earlier version stays readable.
#[tokio::test]
async fn without_a_key_tokens_are_refused_where_plain_text_is() {
    let world = linking().await;
    let (due, until) = (now() + TimeDelta::minutes(60), now() + TimeDelta::minutes(62));
    world
        .write(|write| {
            write.put_connection(world.team, user_id(), &connection("stridewell", NOW))?;
            write.put_tokens(
                world.team,
                user_id(),
                "stridewell",
                &tokens(1),
                Some(now()),
                Uuid::from_u128(5),
            )
        })
        .await;
    let linked = linked_one(&world.store, world.team).await.expect("tokens");
    world.store.refuse_plaintext();
    let refused = |found: Result<(), StoreError>| matches!(found, Err(StoreError::NoSecretKey { .. }));
    let (hash, secrets) = (KeyHash::of(TOKEN), secrets());
    let new = NewAuthorization {
        link_token: &hash,
        provider: "stridewell",
        state: "another state",
        session: None,
        expires: due,
        secrets: &secrets,
    };
    let store = &world.store;
    assert!(refused(
        store.write(|write| write.put_authorization_request(&new)).await
    ));
    let put = store.write(|write| {
        write.put_tokens(
            world.team,
            user_id(),
            "stridewell",
            &tokens(2),
            None,
            Uuid::from_u128(6),
        )
    });
    assert!(refused(put.await));
    assert!(refused(
        store
            .write(|write| write.put_provider_settings(&world.ours, &settings("stridewell")))
            .await
    ));
    // The refresh fails before the request to the provider, because the earlier token would expire with the new one.
    let leased = store.write(|write| write.lease_refresh(linked.id, now(), until, true).map(drop));
    assert!(refused(leased.await));
    let found = linked_one(store, world.team).await.expect("tokens");
    assert_eq!((found.tokens, found.refreshing_until), (tokens(1), None));
    // Other writes are not affected.
    world
        .write(|write| write.put_redirect_urls(world.team, &["https://app.example/".to_owned()]))
        .await;
}

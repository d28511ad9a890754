//! Keys as operators see them.

use chrono::{DateTime, TimeDelta};
use serde_json::json;
use wearlab_store::{KeyHash, KeyRecord, KeyScope, KeyScopes, StoreError};

use crate::keys::{of_organisation, of_team};
use crate::world::{World, exported, value};

#[tokio::test]
async fn keys_are_listed_by_owner_and_then_by_age() {
    let world = World::new().await;
    let made = |key: KeyRecord, name: &str, at: &str| KeyRecord {
        name: Some(name.to_owned()),
        created_on: Some(at.parse().expect("a time")),
        ..key
    };
    let put = [
        made(of_organisation(&world.theirs, "k1"), "theirs", "2024-01-01T00:00:00Z"),
        made(of_team(world.sister, "k2"), "sister", "2024-01-01T00:00:00Z"),
        // As text, these times sort differently.
        made(of_team(world.team, "k3"), "third", "2024-01-01T03:00:00Z"),
        made(of_team(world.team, "k4"), "first", "2024-01-01T09:00:00+09:00"),
        made(of_team(world.team, "k5"), "second", "2024-01-01T01:00:00Z"),
        of_team(world.team, "k6"),
        made(
            of_organisation(&world.ours, "k7"),
            "ours",
            "2024-01-01T00:00:00.000000001-11:30",
        ),
    ];
    world
        .write(|write| put.iter().try_for_each(|key| write.put_key(key)))
        .await;
    let listed = world.store.keys().await.expect("reads");
    let names: Vec<_> = listed
        .iter()
        .map(|key| key.record.name.as_deref().unwrap_or("none"))
        .collect();
    assert_eq!(names, ["none", "first", "second", "third", "sister", "ours", "theirs"]);
    for key in &put {
        let hash = KeyHash::of(key.key.as_ref().expect("a key").expose());
        let seen = listed
            .iter()
            .find(|seen| seen.record.hash == Some(hash))
            .expect("is listed");
        let expected = KeyRecord {
            key: None,
            hash: Some(hash),
            scopes: Some(KeyScopes::READ),
            ..key.clone()
        };
        assert_eq!(seen.record, expected);
        assert_eq!(seen.id, String::from(hash)[..16]);
    }
}

#[tokio::test]
async fn the_id_of_the_list_revokes() {
    let world = World::new().await;
    world
        .write(|write| {
            write.put_key(&of_team(world.team, "one"))?;
            write.put_key(&of_team(world.team, "two"))
        })
        .await;
    let listed = world.store.keys().await.expect("reads");
    let one = listed.iter().find(|key| key.record.hash == Some(KeyHash::of("one")));
    let id = one.expect("is listed").id.clone();
    for wrong in [
        "",
        "one",
        &id[..15],
        &format!("{id}0"),
        &id.to_uppercase().replace(char::is_numeric, "A"),
    ] {
        assert!(
            !world.write(|write| write.revoke_key(wrong, DateTime::UNIX_EPOCH)).await,
            "{wrong:?}"
        );
    }
    let first = DateTime::UNIX_EPOCH + TimeDelta::seconds(5);
    for now in [first, first + TimeDelta::days(1)] {
        assert!(world.write(|write| write.revoke_key(&id, now)).await);
    }
    let listed = world.store.keys().await.expect("reads");
    let revoked: Vec<_> = listed.iter().filter_map(|key| key.record.revoked_on).collect();
    assert_eq!(revoked, [first.fixed_offset()], "the first time counts");
    assert_eq!(world.store.team_of_key("one").await.expect("reads"), None);
    assert_eq!(world.store.team_of_key("two").await.expect("reads"), Some(world.team));
}

#[tokio::test]
async fn a_key_that_is_put_again_keeps_what_it_was() {
    let world = World::new().await;
    let first = KeyRecord {
        name: Some("first".to_owned()),
        created_on: Some("2024-01-01T00:00:00+02:00".parse().expect("a time")),
        revoked_on: Some("2024-06-01T00:00:00-07:00".parse().expect("a time")),
        ..of_team(world.team, "key")
    };
    world.write(|write| write.put_key(&first)).await;
    let before = exported(&world.store).await;
    let bare = of_team(world.team, "key");
    let by_hash = KeyRecord {
        key: None,
        hash: Some(KeyHash::of("key")),
        ..bare.clone()
    };
    let later = KeyRecord {
        created_on: Some("2025-01-01T00:00:00Z".parse().expect("a time")),
        revoked_on: Some("2025-06-01T00:00:00Z".parse().expect("a time")),
        ..bare.clone()
    };
    for again in [first, bare.clone(), by_hash, later] {
        world.write(|write| write.put_key(&again)).await;
        assert_eq!(exported(&world.store).await, before);
        assert_eq!(world.store.team_of_key("key").await.expect("reads"), None);
    }
    let renamed = KeyRecord {
        name: Some("second".to_owned()),
        ..bare
    };
    world.write(|write| write.put_key(&renamed)).await;
    let listed = world.store.keys().await.expect("reads");
    assert_eq!(listed[0].record.name.as_deref(), Some("second"));
    assert!(listed[0].record.revoked_on.is_some());
}

#[tokio::test]
async fn a_key_has_the_scopes_that_it_was_given_last() {
    let world = World::new().await;
    let given = |scopes: &[KeyScope]| KeyRecord {
        scopes: Some(scopes.iter().copied().collect()),
        ..of_team(world.team, "key")
    };
    let of_key = async || world.store.team_key("key").await.expect("reads").expect("a key").scopes;
    for (put, scopes) in [
        (of_team(world.team, "key"), &[KeyScope::Read][..]),
        (
            given(&[KeyScope::Ingest, KeyScope::Write]),
            &[KeyScope::Write, KeyScope::Ingest],
        ),
        (of_team(world.team, "key"), &[KeyScope::Write, KeyScope::Ingest]),
        (given(&[KeyScope::Admin]), &[KeyScope::Admin]),
    ] {
        world.write(|write| write.put_key(&put)).await;
        assert_eq!(of_key().await, scopes.iter().copied().collect());
    }
    let organisation = KeyRecord {
        scopes: Some([KeyScope::Admin].into_iter().collect()),
        ..of_organisation(&world.ours, "other")
    };
    world.write(|write| write.put_key(&organisation)).await;
    let found = world
        .store
        .management_key("other")
        .await
        .expect("reads")
        .expect("a key");
    assert!(
        found.owner == world.ours && found.scopes.contains(KeyScope::Admin) && !found.scopes.contains(KeyScope::Read)
    );
    let lines = exported(&world.store).await;
    let keys: Vec<_> = lines
        .iter()
        .filter(|line| line.contains(r#""scopes":["admin"]"#))
        .collect();
    assert_eq!(keys.len(), 2, "{lines:?}");
}

#[tokio::test]
async fn times_of_any_year_come_out_again() {
    let world = World::new().await;
    for (number, at) in [
        "-0044-03-15T00:00:00Z",
        "+12024-01-01T00:00:00+14:00",
        "1969-12-31T23:59:59.999999999Z",
    ]
    .into_iter()
    .enumerate()
    {
        let at: DateTime<chrono::FixedOffset> = at.parse().expect("a time");
        let key = KeyRecord {
            created_on: Some(at),
            revoked_on: Some(at),
            ..of_team(world.team, &number.to_string())
        };
        world.write(|write| write.put_key(&key)).await;
        let listed = world.store.keys().await.expect("reads");
        let hash = Some(KeyHash::of(&number.to_string()));
        let seen = listed.iter().find(|key| key.record.hash == hash).expect("is listed");
        assert_eq!((seen.record.created_on, seen.record.revoked_on), (Some(at), Some(at)));
    }
    let before = exported(&world.store).await;
    let again: Vec<wearlab_store::Record> = before
        .iter()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    crate::records::put(&world.store, &again).await.expect("writes");
    assert_eq!(exported(&world.store).await, before);
}

#[tokio::test]
async fn a_key_says_once_whose_and_what_it_is() {
    let world = World::new().await;
    let hash = "0f".repeat(32);
    let (team, org) = (world.team.uuid(), world.ours.as_str());
    let wrong = [
        (json!({"team_id": team}), "exactly one of `key` and `hash`"),
        (
            json!({"team_id": team, "key": "secret-text", "hash": hash}),
            "exactly one of `key` and `hash`",
        ),
        (json!({"key": "secret-text"}), "exactly one of `team_id` and `org_id`"),
        (
            json!({"team_id": team, "org_id": org, "hash": hash}),
            "exactly one of `team_id` and `org_id`",
        ),
    ];
    for (key, reason) in wrong {
        let key: KeyRecord = value(key, json!({}));
        let error = world
            .store
            .write(|write| write.put_key(&key))
            .await
            .expect_err("is refused");
        assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!format!("{error}{error:?}").contains("secret-text"), "{error:?}");
    }
    for hash in ["", "0f", &"0g".repeat(32), &"0f".repeat(33), &"\u{e9}".repeat(32)] {
        let error =
            serde_json::from_value::<KeyRecord>(json!({"team_id": team, "hash": hash})).expect_err("is refused");
        assert!(error.to_string().contains("64 hexadecimal digits"), "{error}");
    }
    let upper: KeyRecord = value(json!({"team_id": team, "hash": hash.to_uppercase()}), json!({}));
    assert_eq!(upper.hash.map(String::from), Some(hash));
}

#[tokio::test]
async fn debug_shows_no_key() {
    let world = World::new().await;
    let key = of_team(world.team, "wl_team_thisTextMustNotBeSeen");
    world.write(|write| write.put_key(&key)).await;
    let hash = String::from(KeyHash::of("wl_team_thisTextMustNotBeSeen"));
    let listed = world.store.keys().await.expect("reads");
    let shown = format!("{key:?} {listed:?} {:?}", wearlab_store::Record::Key(key.clone()));
    assert!(!shown.contains("thisText"), "{shown}");
    assert!(!shown.contains(&hash), "{shown}");
}

//! Lookup of API keys and link tokens.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_store::{KeyHash, KeyRecord, OrganisationId, StoreError, TeamId};

use crate::world::World;

pub(crate) fn of_team(team: TeamId, key: &str) -> KeyRecord {
    KeyRecord::of_team(team.uuid(), key)
}

pub(crate) fn of_organisation(organisation: &OrganisationId, key: &str) -> KeyRecord {
    KeyRecord::of_organisation(organisation.as_str(), key)
}

/// Returns the id of a key, by which it is listed and revoked.
fn id_of(key: &str) -> String {
    String::from(KeyHash::of(key))[..16].to_owned()
}

#[tokio::test]
async fn a_key_stands_for_its_team() {
    let world = World::new().await;
    world
        .write(|write| {
            write.put_key(&of_team(world.team, "one"))?;
            write.put_key(&of_team(world.team, "two"))?;
            write.put_key(&of_team(world.stranger, "three"))?;
            write.put_key(&of_organisation(&world.ours, "four"))
        })
        .await;
    let team_of = async |key| world.store.team_of_key(key).await.expect("reads");
    assert_eq!(team_of("one").await, Some(world.team));
    assert_eq!(team_of("two").await, Some(world.team), "a team may have several keys");
    assert_eq!(team_of("three").await, Some(world.stranger));
    for other in ["", "One", "one ", "four", "nobody's"] {
        assert_eq!(team_of(other).await, None, "{other:?}");
    }
    let organisation_of = async |key| world.store.organisation_of_key(key).await.expect("reads");
    assert_eq!(organisation_of("four").await, Some(world.ours.clone()));
    assert_eq!(organisation_of("one").await, None, "a team key is no management key");
}

#[tokio::test]
async fn a_revoked_key_stays_revoked() {
    let world = World::new().await;
    world
        .write(|write| {
            write.put_key(&of_team(world.team, "one"))?;
            write.put_key(&of_team(world.team, "two"))?;
            write.put_key(&of_organisation(&world.ours, "three"))
        })
        .await;
    for key in ["one", "three"] {
        assert!(
            world
                .write(|write| write.revoke_key(&id_of(key), DateTime::UNIX_EPOCH))
                .await
        );
    }
    assert!(
        !world
            .write(|write| write.revoke_key(&id_of("nobody's"), DateTime::UNIX_EPOCH))
            .await
    );
    world.write(|write| write.put_key(&of_team(world.team, "one"))).await;
    assert_eq!(world.store.team_of_key("one").await.expect("reads"), None);
    assert_eq!(world.store.team_of_key("two").await.expect("reads"), Some(world.team));
    assert_eq!(world.store.organisation_of_key("three").await.expect("reads"), None);
}

#[tokio::test]
async fn a_link_token_expires() {
    let world = World::new().await;
    let expires: DateTime<Utc> = "2024-05-01T12:00:00Z".parse().expect("a time");
    world
        .write(|write| write.put_link_token(world.team, "token", expires))
        .await;
    let team_at = async |now| world.store.team_of_link_token("token", now).await.expect("reads");
    assert_eq!(team_at(expires - TimeDelta::nanoseconds(1)).await, Some(world.team));
    assert_eq!(team_at(expires).await, None);
    // A token of a team lives for at most a day: a longer one was created by a clock that is ahead.
    assert_eq!(team_at(expires - TimeDelta::days(1)).await, Some(world.team));
    assert_eq!(
        team_at(expires - TimeDelta::days(1) - TimeDelta::minutes(5)).await,
        Some(world.team)
    );
    assert_eq!(
        team_at(expires - TimeDelta::days(1) - TimeDelta::minutes(6)).await,
        None
    );
    assert_eq!(team_at(expires - TimeDelta::days(365)).await, None);
    assert_eq!(team_at(DateTime::<Utc>::MIN_UTC).await, None);
    assert_eq!(team_at(DateTime::<Utc>::MAX_UTC).await, None);
    assert_eq!(
        world.store.team_of_link_token("other", expires).await.expect("reads"),
        None
    );
    assert_eq!(
        world.store.team_of_key("token").await.expect("reads"),
        None,
        "a token is no key"
    );
}

#[tokio::test]
async fn a_key_has_one_owner() {
    let world = World::new().await;
    let now = DateTime::UNIX_EPOCH;
    world
        .write(|write| {
            write.put_key(&of_team(world.team, "key"))?;
            write.put_key(&of_organisation(&world.ours, "other"))?;
            write.put_link_token(world.team, "key", now)
        })
        .await;
    let others = [
        of_team(world.sister, "key"),
        of_organisation(&world.ours, "key"),
        of_organisation(&world.theirs, "other"),
        of_team(world.team, "other"),
    ];
    for other in others {
        let result = world.store.write(|write| write.put_key(&other)).await;
        assert!(matches!(result, Err(StoreError::Conflict { .. })), "{result:?}");
    }
    // A hash with the id of another key is always refused in the same way, so that nobody learns the owner of that key.
    let with_id_of = |key: &str, owner: KeyRecord| {
        let hash = id_of(key) + &"0".repeat(48);
        KeyRecord {
            key: None,
            hash: Some(hash.try_into().expect("a hash")),
            ..owner
        }
    };
    let mut messages = Vec::new();
    for other in [
        with_id_of("key", of_team(world.team, "key")),
        with_id_of("key", of_team(world.sister, "key")),
        with_id_of("other", of_organisation(&world.theirs, "other")),
        of_organisation(&world.theirs, "other"),
    ] {
        let result = world.store.write(|write| write.put_key(&other)).await;
        let Err(StoreError::Conflict { what }) = result else {
            panic!("{result:?}");
        };
        messages.push(what);
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");
    let token = world
        .store
        .write(|write| write.put_link_token(world.sister, "key", now))
        .await;
    assert!(matches!(token, Err(StoreError::Conflict { .. })), "{token:?}");
}

#[tokio::test]
async fn keys_are_not_in_the_file() {
    let world = World::new().await;
    let key = "wl_team_thisTextMustNotBeFound";
    world.write(|write| write.put_key(&of_team(world.team, key))).await;
    for entry in std::fs::read_dir(world.directory.path()).expect("a directory") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("reads");
        assert!(!bytes.windows(key.len()).any(|window| window == key.as_bytes()));
    }
}

//! Who is calling.

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_store::StoreError;

use crate::world::World;

#[tokio::test]
async fn a_key_stands_for_its_team() {
    let world = World::new().await;
    world
        .write(|write| {
            write.put_team_key(world.team, "one")?;
            write.put_team_key(world.team, "two")?;
            write.put_team_key(world.stranger, "three")?;
            write.put_management_key(&world.ours, "four")
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
            write.put_team_key(world.team, "one")?;
            write.put_team_key(world.team, "two")?;
            write.put_management_key(&world.ours, "three")
        })
        .await;
    for key in ["one", "three"] {
        assert!(world.write(|write| write.revoke_key(key)).await);
    }
    assert!(!world.write(|write| write.revoke_key("nobody's")).await);
    world.write(|write| write.put_team_key(world.team, "one")).await;
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
    assert_eq!(team_at(DateTime::<Utc>::MIN_UTC).await, Some(world.team));
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
            write.put_team_key(world.team, "key")?;
            write.put_management_key(&world.ours, "key")?;
            write.put_link_token(world.team, "key", now)
        })
        .await;
    let team_key = world.store.write(|write| write.put_team_key(world.sister, "key")).await;
    let management_key = world
        .store
        .write(|write| write.put_management_key(&world.theirs, "key"))
        .await;
    let token = world
        .store
        .write(|write| write.put_link_token(world.sister, "key", now))
        .await;
    for result in [team_key, management_key, token] {
        assert!(matches!(result, Err(StoreError::Conflict { .. })), "{result:?}");
    }
}

#[tokio::test]
async fn keys_are_not_in_the_file() {
    let world = World::new().await;
    let key = "wl_team_thisTextMustNotBeFound";
    world.write(|write| write.put_team_key(world.team, key)).await;
    for entry in std::fs::read_dir(world.folder.path()).expect("a folder") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("reads");
        assert!(!bytes.windows(key.len()).any(|window| window == key.as_bytes()));
    }
}

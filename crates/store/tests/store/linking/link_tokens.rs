//! Link tokens: users and expiry.

use chrono::TimeDelta;
use wearlab_store::{KeyHash, LinkOptions};

use super::{TOKEN, linking, now, user_id};

#[tokio::test]
async fn a_link_token_is_of_its_user_and_its_time() {
    let world = linking().await;
    let found = world
        .store
        .link_token(TOKEN, now())
        .await
        .expect("reads")
        .expect("good");
    assert_eq!((found.team, found.user_id), (world.team, Some(user_id())));
    assert_eq!(found.options, LinkOptions::default());
    for (token, minutes) in [("other", 0), (TOKEN, 60)] {
        let found = world.store.link_token(token, now() + TimeDelta::minutes(minutes)).await;
        assert_eq!(found.expect("reads"), None, "{token} {minutes}");
    }
    // Tokens of teams as a whole are unchanged.
    let expires = now() + TimeDelta::hours(1);
    world
        .write(|write| write.put_link_token(world.team, "of the team", expires))
        .await;
    let found = world
        .store
        .link_token("of the team", now())
        .await
        .expect("reads")
        .expect("good");
    assert_eq!((found.team, found.user_id), (world.team, None));
    let page = world
        .store
        .link_tokens(world.team, now(), None, 1)
        .await
        .expect("reads");
    assert_eq!(page.link_tokens.len(), 1);
    let page = world
        .store
        .link_tokens(world.team, now(), page.next, 1)
        .await
        .expect("reads");
    assert_eq!((page.link_tokens.len(), page.next), (1, None));
    let others = world
        .store
        .link_tokens(world.sister, now(), None, 9)
        .await
        .expect("reads");
    assert!(others.link_tokens.is_empty());

    let id = KeyHash::of(TOKEN).id();
    for (team, id, deleted) in [
        (world.sister, id.as_str(), false),
        (world.team, "0000000000000000", false),
        (world.team, "no id", false),
        (world.team, id.as_str(), true),
        (world.team, id.as_str(), false),
    ] {
        assert_eq!(world.write(|write| write.delete_link_token(team, id)).await, deleted);
    }
    assert_eq!(world.store.link_token(TOKEN, now()).await.expect("reads"), None);
}

#[tokio::test]
async fn a_link_token_of_a_clock_that_is_ahead_is_not_valid() {
    let world = linking().await;
    for (minutes, is_valid) in [
        (60, true),
        (65, true),
        (66, false),
        (60 * 24, false),
        (60 * 24 * 365, false),
    ] {
        let (token, expires) = (format!("for {minutes}"), now() + TimeDelta::minutes(minutes));
        world
            .write(|write| write.put_user_link_token(world.team, user_id(), &token, &LinkOptions::default(), expires))
            .await;
        let found = world.store.link_token(&token, now()).await.expect("reads");
        assert_eq!(found.is_some(), is_valid, "{minutes} minutes");
        let listed = world
            .store
            .link_tokens(world.team, now(), None, 100)
            .await
            .expect("reads");
        let is_listed = listed.link_tokens.iter().any(|found| found.hash == KeyHash::of(&token));
        assert_eq!(is_listed, is_valid, "{minutes} minutes");
    }
}

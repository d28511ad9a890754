//! Authorization requests, and interrupted exchanges of codes.

use chrono::TimeDelta;
use wearlab_store::{KeyHash, Returned};

use super::{
    TOKEN, begin, events, first, ingestion, link, linked_one, linking, now, returned, secrets, tokens, user_id,
};
use crate::world::connection;

#[tokio::test]
async fn a_state_is_good_once_for_its_browser_and_its_time() {
    let world = linking().await;
    begin(&world, "state", Some("session")).await;
    assert!(matches!(
        returned(&world, "other", Some("session"), 1).await,
        Returned::Unknown
    ));
    let Returned::First(pending) = returned(&world, "state", Some("session"), 1).await else {
        panic!("it is the first")
    };
    assert_eq!((pending.team, pending.user_id), (world.team, user_id()));
    assert_eq!(
        (&pending.organisation, pending.provider.as_str()),
        (&world.ours, "stridewell")
    );
    assert_eq!(pending.secrets, secrets());
    assert!(matches!(
        returned(&world, "state", Some("session"), 1).await,
        Returned::Again(_)
    ));
    assert!(matches!(
        returned(&world, "state", Some("other"), 1).await,
        Returned::OtherBrowser
    ));
    assert!(matches!(
        returned(&world, "state", Some("session"), 1).await,
        Returned::Again(_)
    ));

    begin(&world, "late", None).await;
    assert!(matches!(returned(&world, "late", None, 10).await, Returned::Unknown));
    for session in [None, Some("another")] {
        begin(&world, "elsewhere", Some("session")).await;
        assert!(matches!(
            returned(&world, "elsewhere", session, 1).await,
            Returned::OtherBrowser
        ));
        let spoilt = returned(&world, "elsewhere", Some("session"), 1).await;
        assert!(matches!(spoilt, Returned::Unknown), "{spoilt:?}");
    }
}

#[tokio::test]
async fn only_so_many_users_are_under_way_by_one_token() {
    let world = linking().await;
    for number in 0..25 {
        begin(&world, &format!("state {number}"), None).await;
    }
    let mut good = 0;
    for number in 0..25 {
        good += i32::from(matches!(
            returned(&world, &format!("state {number}"), None, 1).await,
            Returned::First(_)
        ));
    }
    assert_eq!(good, 20);
}

#[tokio::test]
async fn a_link_is_one_transaction_and_needs_its_request() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    assert_eq!(linked.tokens, tokens(1));
    assert_eq!((linked.team, linked.user_id), (world.team, user_id()));
    assert_eq!(events(&world).await, ["provider.connection.created"]);
    let pending = first(&world, "gone").await;
    let id = KeyHash::of(TOKEN).id();
    assert!(world.write(|write| write.delete_link_token(world.team, &id)).await);
    let made = connection("stridewell", "2026-05-01T10:02:00Z");
    let kept = world
        .write(|write| write.link(&pending, made, &tokens(2), None, &ingestion(now())))
        .await;
    assert!(!kept);
    assert_eq!(
        linked_one(&world.store, world.team).await.expect("tokens").tokens,
        tokens(1)
    );
    assert_eq!(events(&world).await.len(), 1);
}

#[tokio::test]
async fn an_exchange_that_was_cut_short_is_found() {
    let world = linking().await;
    let pending = first(&world, "state").await;
    let (before, after) = (now(), now() + TimeDelta::minutes(1));
    assert!(!world.store.has_interrupted_authorizations(before).await.expect("reads"));
    assert!(world.store.has_interrupted_authorizations(after).await.expect("reads"));
    let found = world.write(|write| write.interrupted_authorizations(after)).await;
    assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), [pending.id]);
    // Its token stays until then, and is deleted afterwards.
    let late = now() + TimeDelta::days(1);
    begin(&world, "not back", None).await;
    assert_eq!(world.write(|write| write.delete_link_tokens(late)).await, 0);
    assert!(world.write(|write| write.end_authorization(pending.id)).await);
    assert_eq!(world.write(|write| write.delete_link_tokens(late)).await, 1);
}

//! Refreshes of tokens: before their expiry, by a single process, and without silent loss on failures.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use serde_json::json;
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linking, Refresher};
use wearlab_store::{DeprecatedForms, Store};
use wearlab_tests::linking_settings;

use super::browser::Browser;
use super::world::World;

/// Returns a clock that is ahead by about this number of seconds.
pub(super) fn later(seconds: i64) -> fn() -> DateTime<Utc> {
    match seconds {
        0 => Utc::now,
        // Tokens live for an hour.
        1..3600 => || Utc::now() + TimeDelta::minutes(55),
        3600..86_400 => || Utc::now() + TimeDelta::hours(2),
        _ => || Utc::now() + TimeDelta::hours(26),
    }
}

/// Creates a refresher with a clock.
pub(super) fn refresher(store: &Store, now: fn() -> DateTime<Utc>) -> Refresher {
    refresher_with(store, linking_settings(), now)
}

/// Creates one with other settings.
pub(super) fn refresher_with(store: &Store, settings: LinkingSettings, now: fn() -> DateTime<Utc>) -> Refresher {
    let linking = Arc::new(Linking::new(settings, "http://127.0.0.1:1"));
    Refresher::new(linking, store.clone(), now, DeprecatedForms::default())
}

pub(super) async fn linked_world() -> World {
    let world = World::new().await;
    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200, "{}", done.text);
    world
}

#[tokio::test]
async fn a_token_is_refreshed_ahead_of_its_end_and_not_before() {
    let world = linked_world().await;
    let first = world.linked().await.tokens;
    refresher(&world.running.store, later(0)).look().await.expect("looks");
    assert_eq!(world.provider.token_requests("refresh_token"), 0);
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    assert_eq!(world.provider.token_requests("refresh_token"), 1);
    let second = world.linked().await.tokens;
    assert_ne!(second.access_token, first.access_token);
    let (old, new) = (first.refresh_token.expect("one"), second.refresh_token.expect("one"));
    assert!(
        !world.provider.knows(old.expose()) && world.provider.knows(new.expose()),
        "it rotates"
    );
    assert_eq!(second.scopes, first.scopes);
    assert_eq!(
        world.events().await,
        ["provider.connection.created"],
        "a refresh is no news"
    );
}

#[tokio::test]
async fn a_provider_that_does_not_rotate_keeps_its_refresh_token() {
    let world = linked_world().await;
    let first = world.linked().await.tokens;
    world.provider.behave(|behaviour| behaviour.rotates = false);
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    let second = world.linked().await.tokens;
    assert_ne!(second.access_token, first.access_token);
    assert_eq!(second.refresh_token, first.refresh_token);
}

#[tokio::test]
async fn of_several_services_on_a_store_one_refreshes() {
    let world = linked_world().await;
    world
        .provider
        .behave(|behaviour| behaviour.delay = Duration::from_millis(300));
    let services: Vec<_> = (0..4).map(|_| refresher(&world.running.store, later(60))).collect();
    let looks = services.iter().map(Refresher::look);
    for look in futures_util::future::join_all(looks).await {
        look.expect("looks");
    }
    assert_eq!(world.provider.token_requests("refresh_token"), 1);
    let refresh_token = world.linked().await.tokens.refresh_token.expect("one");
    assert!(world.provider.knows(refresh_token.expose()));
}

#[tokio::test]
async fn a_connector_gets_a_token_that_is_refreshed_first() {
    let world = World::new().await;
    world.provider.behave(|behaviour| behaviour.lifetime = Some(2));
    Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    let first = world.provider.last_access_token();
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let path = world.access_token_path();
    let asks = (0..5).map(|_| world.send(Method::GET, &path, None));
    for (status, token) in futures_util::future::join_all(asks).await {
        assert_eq!(status, 200, "{token}");
        assert!(token["expires_at"].is_string());
    }
    assert_eq!(world.provider.token_requests("refresh_token"), 1);
    assert_ne!(world.provider.last_access_token(), first);
}

#[tokio::test]
async fn a_token_that_has_expired_when_it_comes_is_refreshed_before_it_is_given_and_not_without_end() {
    for lifetime in [-1, -3600] {
        let world = World::new().await;
        world.provider.behave(|behaviour| behaviour.lifetime = Some(lifetime));
        Browser::new().link(&world.page(json!({})).await, &world.slug).await;
        let first = world.provider.last_access_token();
        let path = world.access_token_path();
        let (status, token) = world.send(Method::GET, &path, None).await;
        assert_eq!(status, 200, "{token}");
        assert_ne!(token["access_token"], json!(first));
        // The new token has expired, too: the request is repeated after a pause.
        for _ in 0..3 {
            refresher(&world.running.store, Utc::now).look().await.expect("looks");
        }
        let (status, _) = world.send(Method::GET, &path, None).await;
        assert_eq!((status, world.provider.token_requests("refresh_token")), (503, 1));
        refresher(&world.running.store, later(2)).look().await.expect("looks");
        assert_eq!(world.provider.token_requests("refresh_token"), 2);
        assert_eq!(world.connection().await.expect("a connection")["status"], "connected");
    }
}

#[tokio::test]
async fn a_refresh_that_is_refused_fails_the_connection_once_and_a_link_repairs_it() {
    let world = linked_world().await;
    world.provider.forget();
    for _ in 0..3 {
        refresher(&world.running.store, later(60)).look().await.expect("looks");
    }
    assert_eq!(
        world.provider.token_requests("refresh_token"),
        1,
        "it is not tried again"
    );
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["status"], "error");
    assert_eq!(connection["error_details"]["error_type"], "token_refresh_refused");
    assert!(connection["error_details"]["errored_at"].is_string());
    let created = "provider.connection.created";
    assert_eq!(world.events().await, [created, "provider.connection.error"]);
    let payload = world.payloads().await.remove(1);
    assert_eq!(payload["data"]["provider"], world.slug.as_str());
    assert_eq!(payload["data"]["user_id"], world.user.to_string());
    assert_eq!(payload["data"]["error_details"], connection["error_details"]);
    let (status, problem) = world.send(Method::GET, &world.access_token_path(), None).await;
    assert_eq!(status, 409, "{problem}");

    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200);
    let connection = world.connection().await.expect("a connection");
    assert_eq!(
        (&connection["status"], &connection["error_details"]),
        (&json!("connected"), &json!(null))
    );
    assert_eq!(world.events().await, [created, "provider.connection.error", created]);
    assert_eq!(world.send(Method::GET, &world.access_token_path(), None).await.0, 200);
}

#[tokio::test]
async fn a_provider_that_is_down_changes_nothing_until_a_day_has_passed() {
    let world = linked_world().await;
    let first = world.linked().await.tokens;
    world.provider.behave(|behaviour| behaviour.failure = Some(503));
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    let linked = world.linked().await;
    assert_eq!((linked.failures, &linked.tokens), (1, &first));
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    assert_eq!(world.linked().await.failures, 1, "not at once again");
    assert_eq!(world.provider.token_requests("refresh_token"), 1);
    let (status, token) = world.send(Method::GET, &world.access_token_path(), None).await;
    assert_eq!(status, 200, "it is still good: {token}");
    refresher(&world.running.store, later(7200))
        .look()
        .await
        .expect("looks");
    assert_eq!(world.linked().await.failures, 2);
    assert_eq!(world.connection().await.expect("one")["status"], "connected");

    for _ in 0..2 {
        refresher(&world.running.store, later(90_000))
            .look()
            .await
            .expect("looks");
    }
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["error_details"]["error_type"], "token_refresh_failed");
    let created = "provider.connection.created";
    assert_eq!(world.events().await, [created, "provider.connection.error"]);
    assert_eq!(world.linked().await.tokens, first, "its token may still be good there");
}

#[tokio::test]
async fn a_process_that_died_in_a_refresh_loses_nothing_where_the_provider_still_takes_the_token() {
    let world = linked_world().await;
    let linked = world.linked().await;
    let now = later(60)();
    // The process is killed after it has taken the lease, and before the request to the provider.
    let dead = world
        .running
        .store
        .write(|write| write.lease_refresh(linked.id, now, now + TimeDelta::minutes(2), true));
    assert!(dead.await.expect("writes").is_some());
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    assert_eq!(
        world.provider.token_requests("refresh_token"),
        0,
        "it may still be at it"
    );
    refresher(&world.running.store, later(7200))
        .look()
        .await
        .expect("looks");
    assert_eq!(world.provider.token_requests("refresh_token"), 1);
    assert_ne!(world.linked().await.tokens.access_token, linked.tokens.access_token);
    assert_eq!(world.connection().await.expect("one")["status"], "connected");
}

#[tokio::test]
async fn a_process_that_died_behind_a_refresh_leaves_an_error_and_no_silence() {
    let world = linked_world().await;
    let linked = world.linked().await;
    let now = later(60)();
    let store = &world.running.store;
    let dead = store.write(|write| write.lease_refresh(linked.id, now, now + TimeDelta::minutes(2), true));
    assert!(dead.await.expect("writes").is_some());
    // The provider had responded, and no longer accepts the earlier token.
    world.provider.forget();
    refresher(store, later(7200)).look().await.expect("looks");
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["status"], "error");
    assert_eq!(connection["error_details"]["error_type"], "token_refresh_interrupted");
    assert_eq!(
        world.events().await,
        ["provider.connection.created", "provider.connection.error"]
    );
}

#[tokio::test]
async fn a_process_that_died_in_an_exchange_leaves_an_error_and_no_silence() {
    let world = World::new().await;
    let browser = Browser::new();
    let back = browser.up_to_callback(&world.page(json!({})).await, &world.slug).await;
    let url = reqwest::Url::parse(&back).expect("a URL");
    let state = url.query_pairs().find(|(name, _)| name == "state").expect("a state").1;
    let cookie = browser.session();
    // The process is killed before it sends the code.
    let returned = world
        .running
        .store
        .write(|write| write.return_from_provider(&state, Some(&cookie), Utc::now()));
    assert!(matches!(
        returned.await.expect("writes"),
        wearlab_store::Returned::First(_)
    ));
    let page = browser.get(&back).await;
    assert_eq!((page.status, page.title()), (400, "This page was opened before"));
    assert!(page.text.contains("Try again"), "{}", page.text);
    assert_eq!(
        world.provider.token_requests("authorization_code"),
        0,
        "no code is sent twice"
    );
    refresher(&world.running.store, later(0)).look().await.expect("looks");
    assert_eq!(world.connection().await, None, "it may still be at it");
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["error_details"]["error_type"], "link_interrupted");
    assert_eq!(world.events().await, ["provider.connection.error"]);

    let done = browser.link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200);
    assert_eq!(world.connection().await.expect("one")["status"], "connected");
}

#[tokio::test]
async fn a_user_who_leaves_while_the_code_is_exchanged_is_linked() {
    let world = World::new().await;
    let browser = Browser::new();
    let back = browser.up_to_callback(&world.page(json!({})).await, &world.slug).await;
    world
        .provider
        .behave(|behaviour| behaviour.delay = Duration::from_millis(600));
    let left = tokio::time::timeout(Duration::from_millis(200), browser.get(&back)).await;
    assert!(left.is_err(), "the user waits no longer");
    for _ in 0..100 {
        if world.connection().await.is_some() {
            assert_eq!(
                Some(world.linked().await.tokens.access_token.expose()),
                world.provider.last_access_token().as_deref()
            );
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("tokens that were given are lost");
}

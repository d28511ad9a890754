//! Linking on a service without a secret key, which refuses to store tokens in plain text.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;
use wearlab::config::log::LogFormat;
use wearlab_store::StoreError;
use wearlab_tests::Running;

use super::browser::Browser;
use super::refresh::{later, refresher};
use super::world::{APP, World};
use crate::http::log::listen;

/// Creates a world without a secret key. Linking is possible until the store refuses plain text.
async fn world_without_key() -> World {
    World::of(Running::start_without_key(12).await).await
}

async fn linked_world() -> World {
    let world = world_without_key().await;
    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200, "{}", done.text);
    world
}

#[tokio::test]
async fn users_and_teams_are_told_that_linking_is_not_available() {
    let world = world_without_key().await;
    let browser = Browser::new();
    let page = world.page(json!({})).await;
    let with_redirect = world.page(json!({"redirect_url": APP, "on_error": "redirect"})).await;
    let callback = browser.up_to_callback(&page, &world.slug).await;
    let callback_of_app = browser.up_to_callback(&with_redirect, &world.slug).await;
    world.running.store.refuse_plaintext();

    for found in [
        browser.get(&page).await,
        browser.choose(&page, &world.slug).await,
        browser.get(&callback).await,
    ] {
        assert_eq!(found.status, 501, "{}", found.text);
        assert_eq!(found.title(), "Linking is not available");
        assert!(!found.text.contains("Wait a little"), "{}", found.text);
        assert!(
            !found.text.contains("secret"),
            "nothing of the operator's: {}",
            found.text
        );
    }
    for found in [
        browser.get(&with_redirect).await,
        browser.choose(&with_redirect, &world.slug).await,
        browser.get(&callback_of_app).await,
    ] {
        assert!(found.to().starts_with(APP), "{}", found.to());
        assert!(found.to().ends_with("error=linking_not_available"), "{}", found.to());
    }
    assert_eq!(
        world.provider.token_requests("authorization_code"),
        0,
        "no code is used up"
    );
    let unknown = browser.get(&page.replace("token=", "token=x")).await;
    assert_eq!(unknown.status, 404, "an unknown token tells nothing");

    let body = json!({"user_id": world.user});
    let (status, problem) = world.send(Method::POST, "/v2/link/token", Some(body)).await;
    assert_eq!(status, 403, "{problem}");
    let detail = problem["detail"].as_str().expect("text");
    assert!(detail.contains("set secret_key_file"), "{detail}");
}

#[tokio::test]
async fn a_token_that_is_valid_is_returned_although_it_is_due() {
    let world = linked_world().await;
    let linked = world.linked().await;
    let put = |expires_in: i64| {
        let mut tokens = linked.tokens.clone();
        tokens.expires_at = Some(Utc::now() + TimeDelta::seconds(expires_in));
        let due = Some(Utc::now() - TimeDelta::seconds(1));
        let (team, user, slug) = (linked.team, world.user, world.slug.clone());
        let store = world.running.store.clone();
        async move {
            let put = store.write(|write| write.put_tokens(team, user, &slug, &tokens, due, Uuid::from_u128(7)));
            put.await.expect("writes");
        }
    };
    put(4).await;
    world.running.store.refuse_plaintext();
    let (status, token) = world.send(Method::GET, &world.access_token_path(), None).await;
    assert_eq!(status, 200, "{token}");
    assert_eq!(token["access_token"], linked.tokens.access_token.expose());
    tokio::time::sleep(Duration::from_secs(4)).await;
    let (status, problem) = world.send(Method::GET, &world.access_token_path(), None).await;
    assert_eq!(status, 403, "{problem}");
    assert!(problem["detail"].as_str().expect("text").contains("secret_key_file"));
    assert_eq!(world.provider.token_requests("refresh_token"), 0);
}

#[tokio::test]
async fn the_refresher_warns_once_and_asks_no_provider() {
    let (lines, _guard) = listen("warn", LogFormat::Text);
    let world = linked_world().await;
    world.running.store.refuse_plaintext();
    let refresher = refresher(&world.running.store, later(60));
    let error = refresher.look().await.expect_err("no key");
    assert!(matches!(error, StoreError::NoSecretKey { .. }), "{error}");
    refresher.run(tokio::time::sleep(Duration::from_secs(4))).await;
    let text = lines.text();
    assert_eq!(text.matches("cannot refresh tokens").count(), 1, "{text}");
    assert!(text.contains("set secret_key_file"), "{text}");
    assert_eq!(world.provider.token_requests("refresh_token"), 0);
    assert!(world.linked().await.refreshing_until.is_none(), "nothing is written");
}

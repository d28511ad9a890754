//! Providers that issue tokens only after an action of the user there, such as the renewal of a membership.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use super::browser::Browser;
use super::refresh::{later, refresher};
use super::world::{APP, World};

const CREATED: &str = "provider.connection.created";
const ERROR: &str = "provider.connection.error";

async fn world() -> World {
    let world = World::new().await;
    let mut settings = world.provider.settings();
    settings["token_errors"] = json!([{"path": "/error", "equals": "membership_lapsed", "meaning": "user_action"}]);
    world.set_up(&settings).await;
    world
}

#[tokio::test]
async fn a_connection_waits_for_the_user_and_keeps_its_tokens() {
    let world = world().await;
    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200, "{}", done.text);
    let before = world.linked().await.tokens;
    world
        .provider
        .behave(|behaviour| behaviour.refusal = Some("membership_lapsed"));
    for _ in 0..2 {
        refresher(&world.running.store, later(60)).look().await.expect("looks");
    }
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["status"], "error");
    assert_eq!(connection["error_details"]["error_type"], "user_action_required");
    assert_eq!(world.events().await, [CREATED, ERROR], "once");
    assert_eq!(world.linked().await.tokens.refresh_token, before.refresh_token);
    let (status, _) = world.send(Method::GET, &world.access_token_path(), None).await;
    assert_eq!(status, 200, "the access token is still valid");

    world.provider.behave(|behaviour| behaviour.refusal = None);
    refresher(&world.running.store, later(3600))
        .look()
        .await
        .expect("looks");
    let connection = world.connection().await.expect("a connection");
    assert_eq!(
        (&connection["status"], &connection["error_details"]),
        (&json!("connected"), &json!(null))
    );
    assert_eq!(world.events().await, [CREATED, ERROR, CREATED]);
}

/// Also between two attempts to refresh the token.
#[tokio::test]
async fn a_connector_is_told_that_the_user_must_act() {
    let world = world().await;
    world.provider.behave(|behaviour| behaviour.lifetime = Some(1));
    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200, "{}", done.text);
    world
        .provider
        .behave(|behaviour| behaviour.refusal = Some("membership_lapsed"));
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    for _ in 0..3 {
        let (status, problem) = world.send(Method::GET, &world.access_token_path(), None).await;
        assert_eq!(status, 409, "{problem}");
    }
}

#[tokio::test]
async fn a_user_who_links_is_told_to_act_at_the_provider() {
    let world = world().await;
    world
        .provider
        .behave(|behaviour| behaviour.refusal = Some("membership_lapsed"));
    let browser = Browser::new();
    let done = browser.link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 400);
    assert!(done.text.contains("check your consents"), "{}", done.text);
    let page = world.page(json!({"redirect_url": APP})).await;
    let done = browser.link(&page, &world.slug).await;
    assert!(done.to().ends_with("error=user_action_required"), "{}", done.to());
    assert!(world.connection().await.is_none());
}

//! Revocation of tokens at providers when a connection ends.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use wearlab_linking::settings::LinkingSettings;

use super::browser::Browser;
use super::refresh::{later, linked_world, refresher_with};
use super::world::World;

async fn is_revoked(world: &World, token: &str) -> bool {
    for _ in 0..100 {
        if world.provider.is_revoked(token) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

async fn disconnect(world: &World) {
    let path = format!("/v2/user/{}/{}", world.user, world.slug);
    assert_eq!(world.send(Method::DELETE, &path, None).await.0, 200);
}

#[tokio::test]
async fn a_provider_takes_an_access_token_by_query_or_by_a_bearer_delete() {
    for method in ["query", "bearer_delete"] {
        for lifetime in [3600, 1] {
            let world = World::new().await;
            let mut settings = world.provider.settings();
            settings["revocation_method"] = json!(method);
            world.set_up(&settings).await;
            world.provider.behave(|behaviour| behaviour.lifetime = Some(lifetime));
            let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
            assert_eq!(done.status, 200, "{}", done.text);
            let first = world.provider.last_access_token().expect("a token");
            if lifetime == 1 {
                tokio::time::sleep(Duration::from_millis(1200)).await;
            }
            disconnect(&world).await;
            if lifetime == 1 {
                // The token has expired, so a new one revokes the grant.
                for _ in 0..100 {
                    if world.provider.token_requests("refresh_token") > 0 {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            let token = world.provider.last_access_token().expect("a token");
            assert_eq!(token == first, lifetime != 1, "{method}");
            assert!(is_revoked(&world, &token).await, "{method} {lifetime}");
        }
    }
}

#[tokio::test]
async fn an_unknown_method_is_refused() {
    let world = World::new().await;
    let mut settings = world.provider.settings();
    settings["revocation_method"] = json!("signed");
    let (status, problem) = world.send(Method::PUT, &world.provider_path(), Some(settings)).await;
    assert_eq!(status, 422);
    assert_eq!(problem["errors"][0]["location"], "/body/revocation_method");
}

/// The operator allows fewer hosts than when the settings were written.
#[tokio::test]
async fn urls_are_checked_before_each_request() {
    let world = linked_world().await;
    let less = LinkingSettings {
        timeout: Duration::from_secs(2),
        ..LinkingSettings::default()
    };
    let refresher = refresher_with(&world.running.store, less, later(60));
    refresher.look().await.expect("looks");
    assert_eq!(world.provider.token_requests("refresh_token"), 0);
    assert_eq!(world.connection().await.expect("a connection")["status"], "connected");
    assert_eq!(world.linked().await.failures, 1, "it is tried again");
}

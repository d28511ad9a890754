//! A provider that hangs: requests that wait for it take no place of others.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use wearlab::config::http::{HttpSettings, Limits};
use wearlab_tests::Running;

use super::browser::Browser;
use super::world::World;

#[tokio::test]
async fn requests_that_wait_for_a_provider_take_no_place_of_others() {
    let limits = Limits {
        requests: 1,
        ..Limits::default()
    };
    let http = HttpSettings {
        limits,
        ..HttpSettings::default()
    };
    let world = World::of(Running::start_http(12, http).await).await;
    let users = "/v2/user/?limit=1";
    world.provider.behave(|behaviour| behaviour.lifetime = Some(2));
    let browser = Browser::new();
    let page = world.page(json!({})).await;
    let callback = browser.up_to_callback(&page, &world.slug).await;
    world
        .provider
        .behave(|behaviour| behaviour.delay = Duration::from_millis(1000));
    let returning = browser.get(&callback);
    let reading = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(world.provider.token_requests("authorization_code"), 1, "it waits");
        world.send(Method::GET, users, None).await.0
    };
    let (returned, read) = tokio::join!(returning, reading);
    assert_eq!((returned.status, read), (200, 200), "{}", returned.text);

    // The token is due after half of its life.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let path = world.access_token_path();
    let reading = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(world.provider.token_requests("refresh_token"), 1, "it waits");
        world.send(Method::GET, users, None).await.0
    };
    let (token, read) = tokio::join!(world.send(Method::GET, &path, None), reading);
    assert_eq!((token.0, read), (200, 200), "{}", token.1);
}

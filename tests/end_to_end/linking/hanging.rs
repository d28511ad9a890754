//! A hanging provider: requests that wait for it use no permit of others.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use wearlab_http::settings::{HttpSettings, Limits};
use wearlab_models::{Environment, Region};
use wearlab_service::Settings;
use wearlab_store::{KeyRecord, KeyScope, TeamRecord};
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

    // The token is due after half of its lifetime.
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

#[tokio::test]
async fn one_organisation_that_waits_for_others_leaves_places_to_the_next() {
    let mut settings = Settings::default();
    settings.limits.outbound_waits_per_organisation = 1;
    let world = World::of(Running::start_with(12, settings).await).await;
    let (running, sample) = (&world.running, &world.running.sample);
    let tests = format!("/v1/org/{}/teams/{}", sample.org_id, sample.team_id);
    let webhook = json!({"url": "http://127.0.0.1:9/"});
    let (status, webhook) = world
        .send(Method::POST, &format!("{tests}/webhooks"), Some(webhook))
        .await;
    assert_eq!(status, 201, "{webhook}");
    let webhook = format!(
        "{tests}/webhooks/{}/test",
        webhook["webhook_id"].as_str().expect("an id")
    );
    let pipeline = format!("{tests}/pipeline/test");
    let other = "wl_org_other";
    let team = wearlab_models::Uuid::from_u128(77);
    let added = running.store.write(|write| {
        write.put_organisation("org_other")?;
        write.put_team(&TeamRecord {
            team_id: team,
            org_id: "org_other".to_owned(),
            environment: Environment::Sandbox,
            region: Region::Us,
        })?;
        write.put_key(&KeyRecord {
            scopes: Some(KeyScope::ALL.into_iter().collect()),
            ..KeyRecord::of_organisation("org_other", other)
        })
    });
    added.await.expect("another organisation");

    // The tokens are due after two seconds.
    world.provider.behave(|behaviour| behaviour.lifetime = Some(4));
    let browsers = [Browser::new(), Browser::new(), Browser::new()];
    let mut callbacks = Vec::new();
    for browser in &browsers {
        let page = world.page(json!({})).await;
        callbacks.push(browser.up_to_callback(&page, &world.slug).await);
    }
    assert_eq!(
        Browser::new()
            .link(&world.page(json!({})).await, &world.slug)
            .await
            .status,
        200
    );
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let delay = Duration::from_millis(1500);
    world.provider.behave(|behaviour| behaviour.delay = delay);
    let refused = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        for path in [&webhook, &pipeline] {
            let (status, body) = world.send(Method::POST, path, None).await;
            assert_eq!(status, 429, "{path}: {body}");
        }
        // The token is valid meanwhile.
        let (status, body) = world.send(Method::GET, &world.access_token_path(), None).await;
        assert_eq!(status, 200, "{body}");
        let page = browsers[1].get(&callbacks[1]).await;
        assert_eq!(
            (page.status, &page.headers["retry-after"]),
            (429, &"1".parse().expect("a value"))
        );
        assert_eq!(page.title(), "Please try again");
        let url = format!("{}/v1/org/org_other/teams/{team}/pipeline/test", running.management_url);
        let test = wearlab_tests::http().post(url).header("x-management-key", other);
        assert_eq!(test.send().await.expect("a response").status(), 200);
    };
    let (returned, ()) = tokio::join!(browsers[0].get(&callbacks[0]), refused);
    assert_eq!(returned.status, 200, "{}", returned.text);
    // The permit is free again, and the state of the refused user is still valid.
    let returned = browsers[1].get(&callbacks[1]).await;
    assert_eq!(returned.status, 200, "{}", returned.text);
    world.provider.behave(|behaviour| behaviour.delay = Duration::ZERO);
    for path in [&webhook, &pipeline] {
        let (status, body) = world.send(Method::POST, path, None).await;
        assert_eq!(status, 200, "{path}: {body}");
    }

    // Expired tokens are not served meanwhile.
    tokio::time::sleep(Duration::from_millis(4100)).await;
    world.provider.behave(|behaviour| behaviour.delay = delay);
    let refused = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let (status, body) = world.send(Method::GET, &world.access_token_path(), None).await;
        assert_eq!(status, 429, "{body}");
    };
    let (returned, ()) = tokio::join!(browsers[2].get(&callbacks[2]), refused);
    assert_eq!(returned.status, 200, "{}", returned.text);
}

/// A caller who disconnects does not end an exchange at the provider: it counts until the provider has responded.
#[tokio::test]
async fn an_exchange_is_counted_until_it_ends_although_nobody_waits_for_it() {
    let mut settings = Settings::default();
    settings.limits.outbound_waits_per_organisation = 1;
    let world = World::of(Running::start_with(12, settings).await).await;
    let sample = &world.running.sample;
    let test = format!("/v1/org/{}/teams/{}/pipeline/test", sample.org_id, sample.team_id);
    let status = async || world.send(Method::POST, &test, None).await.0;
    // The tokens are due after two seconds.
    world.provider.behave(|behaviour| behaviour.lifetime = Some(4));
    let browser = Browser::new();
    let callback = browser.up_to_callback(&world.page(json!({})).await, &world.slug).await;
    let delay = Duration::from_millis(1500);
    world.provider.behave(|behaviour| behaviour.delay = delay);

    let returned = tokio::time::timeout(Duration::from_millis(300), browser.get(&callback)).await;
    assert!(returned.is_err(), "the provider hangs");
    assert_eq!(world.provider.token_requests("authorization_code"), 1);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(status().await, 429, "the code is exchanged");
    tokio::time::sleep(delay).await;
    assert_eq!(status().await, 200);

    let path = world.access_token_path();
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let token = tokio::time::timeout(Duration::from_millis(300), world.send(Method::GET, &path, None)).await;
    assert!(token.is_err(), "the provider hangs");
    assert_eq!(world.provider.token_requests("refresh_token"), 1);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(status().await, 429, "the token is refreshed");
    tokio::time::sleep(delay).await;
    assert_eq!(status().await, 200);
    let (status, body) = world.send(Method::GET, &path, None).await;
    assert_eq!(status, 200, "{body}");
}

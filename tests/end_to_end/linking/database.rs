//! Two services on one PostgreSQL server: users start at one and return to the other, and one of them refreshes tokens.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use wearlab_tests::Running;

use super::browser::Browser;
use super::refresh::{later, refresher};
use super::world::World;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn on_postgres_a_user_comes_back_to_another_service_and_one_refreshes() {
    let one = Running::start_on_database(5).await;
    let other = one.beside().await;
    let world = World::of(one).await;
    let browser = Browser::new();
    let back = browser.up_to_callback(&world.page(json!({})).await, &world.slug).await;
    let there = back.replace(&world.running.url, &other.url);
    assert_ne!(there, back);
    let done = browser.get(&there).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert_eq!(browser.get(&back).await.status, 400, "it is used here, too");

    world
        .provider
        .behave(|behaviour| behaviour.delay = Duration::from_millis(300));
    let services = [&world.running.store, &other.store, &world.running.store, &other.store];
    let services = services.map(|store| refresher(store, later(60)));
    for look in futures_util::future::join_all(services.iter().map(|one| one.look())).await {
        look.expect("looks");
    }
    assert_eq!(world.provider.token_requests("refresh_token"), 1);
    let token = async |running: &Running| {
        let request = wearlab_tests::http()
            .request(
                Method::GET,
                format!("{}{}", running.management_url, world.access_token_path()),
            )
            .header("x-management-key", &running.sample.management_key);
        let response = request.send().await.expect("a response");
        assert_eq!(response.status(), 200);
        response.json::<serde_json::Value>().await.expect("JSON")
    };
    assert_eq!(token(&world.running).await, token(&other).await);
    assert_eq!(world.events().await, ["provider.connection.created"]);
}

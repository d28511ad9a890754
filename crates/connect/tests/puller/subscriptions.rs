//! Subscriptions to the notices of a provider: one process makes them, and renews them in time.

use chrono::TimeDelta;
use wearlab_connect::Refusal;

use crate::provider::Fault;
use crate::world::{World, advance, path_secret};

const URL: &str = "https://link.example.com";

#[tokio::test]
async fn one_process_subscribes_and_renews() {
    let world = World::new().await;
    let (first, second) = (world.puller_at(URL), world.puller_at(URL));
    first.subscribe_due().await.expect("a store");
    second.subscribe_due().await.expect("a store");
    let url = format!("{URL}/v1/providers/ringlet/notices/{}", path_secret());
    assert_eq!(world.ringlet.subscriptions(), std::slice::from_ref(&url));
    advance(TimeDelta::hours(25));
    second.subscribe_due().await.expect("a store");
    first.subscribe_due().await.expect("a store");
    assert_eq!(world.ringlet.subscriptions().len(), 2, "a renewal");
    world
        .puller_at("https://other.example.com")
        .subscribe_due()
        .await
        .expect("a store");
    assert_eq!(world.ringlet.subscriptions().len(), 3, "another URL");
    assert_eq!(world.ringlet.subscriptions()[1], url);
}

#[tokio::test]
async fn a_plain_public_url_gets_no_notices() {
    let world = World::new().await;
    world.puller().subscribe_due().await.expect("a store");
    assert_eq!(world.ringlet.subscriptions(), [""; 0]);
}

#[tokio::test]
async fn a_refusal_is_followed_by_another_attempt() {
    let world = World::new().await;
    let puller = world.puller_at(URL);
    let refusal = || Fault::Refused(Refusal::Failed("the URL does not answer".to_owned()));
    world.ringlet.fail([refusal(), refusal()]);
    for (minutes, subscriptions) in [(0, 0), (0, 0), (10, 0), (60, 1)] {
        advance(TimeDelta::minutes(minutes));
        puller.subscribe_due().await.expect("a store");
        assert_eq!(world.ringlet.subscriptions().len(), subscriptions);
    }
    // Polling goes on.
    world.settle(&puller).await;
    assert_eq!(world.open_tasks().await, ["recent:activity", "recent:heart"]);
}

#[tokio::test]
async fn a_killed_process_is_followed_by_another_one() {
    let world = World::new().await;
    world.ringlet.fail([Fault::Hangs]);
    let killed = world.puller_at(URL);
    let killed = tokio::time::timeout(std::time::Duration::from_millis(50), killed.subscribe_due());
    assert!(killed.await.is_err());
    let puller = world.puller_at(URL);
    puller.subscribe_due().await.expect("a store");
    assert_eq!(world.ringlet.subscriptions(), [""; 0], "it may still work");
    advance(TimeDelta::minutes(11));
    puller.subscribe_due().await.expect("a store");
    assert_eq!(world.ringlet.subscriptions().len(), 1);
}

//! Brokers and connections that end in the middle.

use std::time::Duration;

use tokio::time::sleep;
use wearlab_delivery::{Destination, Outcome};

use super::client::{Client, assert_in_order};
use super::proxy::{Proxy, Way};
use super::{broker, down, exchange, interleaved, message, until_delivered};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn what_is_delivered_survives_the_broker() {
    let _turn = broker::alone().await;
    let mut client = Client::start();
    let name = client.topology();
    let destination = exchange(&broker::uri(), &name);
    let messages = interleaved("survives", 500, 30);
    let outage = async {
        for action in ["stop", "kill"] {
            sleep(Duration::from_millis(300)).await;
            broker::script(action, &[]).await;
            sleep(Duration::from_millis(300)).await;
            broker::script("start", &[]).await;
        }
    };
    let (downs, ()) = tokio::join!(until_delivered(&destination, &messages), outage);
    assert!(downs >= 2, "{downs}");
    assert_in_order(&client.take_all(&name), 500, 30);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn what_is_delivered_survives_the_connection() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let destination = exchange(&broker::uri_at(proxy.port), &name);
    let messages = interleaved("cut", 200, 20);
    let outage = async {
        for bytes in [10_000, 50_000, 123_456, 200_000, 300_001] {
            proxy.after(bytes).await;
            proxy.set(Way::Cut);
            sleep(Duration::from_millis(20)).await;
            proxy.set(Way::Open);
        }
    };
    let (downs, ()) = tokio::join!(until_delivered(&destination, &messages), outage);
    assert!(downs >= 5, "{downs}");
    assert_in_order(&client.take_all(&name), 200, 20);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_cut_is_down_at_once_and_then_over() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let destination = exchange(&broker::uri_at(proxy.port), &name);
    let messages = interleaved("at-once", 10, 2);
    assert_eq!(destination.deliver(&messages).await, vec![Outcome::Delivered; 20]);
    proxy.set(Way::Mute);
    let cut = async {
        sleep(Duration::from_millis(500)).await;
        proxy.set(Way::Cut);
    };
    let (outcomes, ()) = tokio::join!(destination.deliver(&messages), cut);
    assert!(
        down(&outcomes).starts_with("the connection to the broker"),
        "{outcomes:?}"
    );
    assert_eq!(
        outcomes[10..],
        vec![Outcome::Held; 10],
        "a user's second waits for the first"
    );
    assert!(down(&destination.deliver(&messages).await).contains("connection"));
    proxy.set(Way::Open);
    assert_eq!(destination.deliver(&messages).await, vec![Outcome::Delivered; 20]);
    assert_in_order(&client.take_all(&name), 10, 2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn whoever_gives_up_half_way_disturbs_nobody() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let destination = exchange(&broker::uri_at(proxy.port), &name);
    let messages = interleaved("half-way", 100, 10);
    for milliseconds in [1, 5, 10, 20, 40] {
        let sending = destination.deliver(&messages);
        let _ = tokio::time::timeout(Duration::from_millis(milliseconds), sending).await;
    }
    assert_eq!(destination.deliver(&messages).await, vec![Outcome::Delivered; 1000]);
    assert_in_order(&client.take_all(&name), 100, 10);
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(proxy.connections(), 1, "those that were given up are closed");
    drop(destination);
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn calls_at_the_same_time_share_the_connection() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let destination = exchange(&broker::uri_at(proxy.port), &name);
    let (one, other) = ([message(1, "same-1-0")], [message(2, "same-2-0")]);
    let (sent, checked) = tokio::join!(destination.deliver(&one), destination.check(&other[0]));
    assert_eq!(sent, [Outcome::Delivered]);
    assert_eq!(checked[0].outcome, Outcome::Delivered);
    assert_eq!(proxy.connections(), 1);
    client.take(&name, 2);
}

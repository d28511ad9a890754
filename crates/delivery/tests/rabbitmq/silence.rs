//! Brokers that are silent, block, or are missing.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;
use wearlab_delivery::rabbitmq::{Exchange, Settings};
use wearlab_delivery::{Destination, Outcome};

use super::client::{Client, assert_in_order};
use super::proxy::{Proxy, Way};
use super::{block, broker, down, interleaved, local, message};

fn impatient(uri: &str, name: &str) -> Exchange {
    let settings = Settings {
        connect_timeout: Duration::from_secs(1),
        timeout: Duration::from_secs(2),
        heartbeat: Duration::from_secs(30),
        policy: local(),
        ..Settings::default()
    };
    Exchange::new(&block(uri, name), settings).expect("an exchange")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_broker_that_falls_silent_is_given_up() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let destination = impatient(&broker::uri_at(proxy.port), &name);
    assert_eq!(
        destination.deliver(&[message(1, "silent-1-0")]).await,
        [Outcome::Delivered]
    );
    proxy.set(Way::Mute);
    let begun = Instant::now();
    let messages = interleaved("silent", 300, 3);
    let outcomes = destination.deliver(&messages).await;
    assert!(
        down(&outcomes).starts_with("the broker did not confirm in time"),
        "{outcomes:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(outcomes[300..], vec![Outcome::Held; 600]);
    assert_eq!(
        down(&destination.deliver(&messages).await),
        "no connection to the broker within 1s"
    );
    proxy.set(Way::Open);
    assert_eq!(destination.deliver(&messages).await, vec![Outcome::Delivered; 900]);
    assert_in_order(&client.take_all(&name), 300, 3);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(proxy.connections(), 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn missing_heartbeats_end_an_idle_connection() {
    let _turn = broker::shared().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let settings = Settings {
        heartbeat: Duration::from_secs(1),
        policy: local(),
        ..Settings::default()
    };
    let destination = Exchange::new(&block(&broker::uri_at(proxy.port), &name), settings).expect("an exchange");
    assert_eq!(
        destination.deliver(&[message(1, "idle-1-0")]).await,
        [Outcome::Delivered]
    );
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(proxy.connections(), 1, "both sides say that they are there");
    proxy.set(Way::Mute);
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(proxy.connections(), 0);
    proxy.set(Way::Open);
    assert_eq!(
        destination.deliver(&[message(1, "idle-1-1")]).await,
        [Outcome::Delivered]
    );
    client.take(&name, 2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn a_broker_that_lets_wait_is_not_pressed() {
    let _turn = broker::alone().await;
    let mut client = Client::start();
    let name = client.topology();
    let proxy = Proxy::start(broker::port()).await;
    let destination = impatient(&broker::uri_at(proxy.port), &name);
    assert_eq!(destination.deliver(&[message(1, "first")]).await, [Outcome::Delivered]);
    broker::script("ctl", &["set_vm_memory_high_watermark", "0.0000001"]).await;
    let waits = "the broker blocks publishers: its memory or disk is low; see its alarms";
    let messages = interleaved("alarm", 100, 2);
    let mut begun = Instant::now();
    for limit in [3, 1, 1, 1] {
        assert_eq!(down(&destination.deliver(&messages).await), waits);
        assert!(begun.elapsed() < Duration::from_secs(limit), "{:?}", begun.elapsed());
        begun = Instant::now();
    }
    assert_eq!(proxy.connections(), 1);
    broker::script("ctl", &["set_vm_memory_high_watermark", "0.6"]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(destination.deliver(&messages).await, vec![Outcome::Delivered; 200]);
    let received = client.take_all(&name);
    assert!(
        received.len() <= 1 + 300,
        "each is sent once during the alarm, at most: {}",
        received.len()
    );
    assert_in_order(&received[1..], 100, 2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn what_is_no_broker_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    // It accepts connections, and is silent until they end.
    let silent = tokio::spawn(async move {
        let mut ended = 0;
        while ended < 4 {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut received = Vec::new();
            stream.read_to_end(&mut received).await.expect("an end");
            ended += 1;
        }
    });
    for uri in [
        format!("amqp://u:hunter2@127.0.0.1:{port}"),
        format!("amqps://u:hunter2@127.0.0.1:{port}"),
    ] {
        let destination = impatient(&uri, "events");
        for _ in 0..2 {
            let outcomes = destination.deliver(&[message(1, "nobody-1-0")]).await;
            assert_eq!(down(&outcomes), "no connection to the broker within 1s");
        }
    }
    let ended = timeout(Duration::from_secs(3), silent).await;
    ended.expect("each connection ends").expect("no panic");

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    for (uri, part) in [
        (format!("amqp://u:hunter2@127.0.0.1:{port}"), "does not speak AMQP"),
        (
            "amqp://u:hunter2@127.0.0.1:1".to_owned(),
            "no connection to the broker: Connection refused",
        ),
        (
            "amqp://u:hunter2@nowhere.invalid".to_owned(),
            "no connection to the broker: the host has no public address",
        ),
    ] {
        let outcomes = impatient(&uri, "events").deliver(&[message(1, "nobody-1-0")]).await;
        assert!(down(&outcomes).contains(part), "{outcomes:?}");
    }
}

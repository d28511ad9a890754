//! Requests that a receiver gets, and the validity of their signatures.

use std::time::{Duration, SystemTime};

use wearlab_delivery::webhook::{Sender, Signer, Webhook};
use wearlab_delivery::{Destination, Outcome};
use wearlab_models::Event;
use wearlab_models::webhook::verify;

use super::receiver::{Receiver, status};
use super::{loopback, message, now, secret};

#[tokio::test]
async fn an_event_arrives_whole_and_signed_with_each_secret() {
    let receiver = Receiver::start(|_| async { status(204) }).await;
    let sender = Sender::new(loopback(), now).expect("a sender");
    let signer = Signer::new(secret(2)).and(secret(1));
    let url = format!("{}/a%20b?key=1", receiver.url);
    let webhook = Webhook::new(&sender, &url, signer).expect("an endpoint");
    assert_eq!(webhook.deliver(&[message("evt_1")]).await, [Outcome::Delivered]);

    let [request] = &receiver.received()[..] else {
        panic!("one request")
    };
    assert_eq!(request.method, "POST");
    assert_eq!(request.uri, "/hook/a%20b?key=1");
    assert_eq!(request.body, message("evt_1").payload);
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("webhook-id"), Some("evt_1"));
    assert_eq!(request.header("webhook-timestamp"), Some("1800000000"));
    let agent = request.header("user-agent").expect("a user agent");
    assert!(agent.starts_with("wearlab/"), "{agent}");

    let clock = SystemTime::from(now()) + Duration::from_secs(2);
    for byte in [1, 2] {
        let event = verify(|name| request.header(name), &request.body, &secret(byte), clock).expect("signed");
        assert!(matches!(event, Event::DailyDataCreated(_)));
    }
    verify(|name| request.header(name), &request.body, &secret(3), clock).expect_err("another secret");
}

#[tokio::test]
async fn ids_that_cannot_be_signed_are_refused() {
    let receiver = Receiver::start(|_| async { status(204) }).await;
    let sender = Sender::new(loopback(), now).expect("a sender");
    let webhook = Webhook::new(&sender, &receiver.url, Signer::new(secret(1))).expect("an endpoint");
    let messages = ["", "evt.1", "evt 1", "evt\r\nx: y", "évt"].map(message);
    for outcome in webhook.deliver(&messages).await {
        assert!(matches!(outcome, Outcome::Refused { .. }), "{outcome:?}");
    }
    assert_eq!(receiver.connections(), 0);
}

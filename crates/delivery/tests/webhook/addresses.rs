//! Forbidden addresses of webhooks, with a receiver there that must receive nothing.

use wearlab_delivery::Outcome;
use wearlab_delivery::webhook::{Sender, Settings, Signer, UrlError, Webhook};

use super::receiver::{Receiver, status};
use super::{deliver, loopback, now, secret};

fn no_networks() -> Settings {
    Settings {
        allow_networks: Vec::new(),
        ..loopback()
    }
}

fn refused(settings: Settings, url: &str) -> UrlError {
    let sender = Sender::new(settings, now).expect("a sender");
    Webhook::new(&sender, url, Signer::new(secret(1))).expect_err(url)
}

#[tokio::test]
async fn the_name_of_this_machine_is_no_endpoint() {
    let receiver = Receiver::start(|_| async { status(200) }).await;
    let url = receiver.url.replace("127.0.0.1", "localhost");
    let error = refused(no_networks(), &url);
    assert!(matches!(error, UrlError::NotPublic { .. }), "{error}");
    assert_eq!(receiver.connections(), 0);

    assert_eq!(
        deliver(loopback(), &url).await,
        Outcome::Delivered,
        "where it is allowed"
    );
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_private_address_is_no_endpoint() {
    let receiver = Receiver::start(|_| async { status(200) }).await;
    for host in ["127.0.0.1", "127.1", "2130706433", "[::ffff:127.0.0.1]"] {
        let url = receiver.url.replace("127.0.0.1", host);
        let error = refused(no_networks(), &url);
        assert!(matches!(error, UrlError::NotPublic { .. }), "{host}: {error}");
    }
    let mapped = receiver.url.replace("127.0.0.1", "[::ffff:127.0.0.1]");
    assert_eq!(
        deliver(loopback(), &mapped).await,
        Outcome::Delivered,
        "where it is allowed"
    );
}

#[tokio::test]
async fn plain_http_must_be_allowed() {
    let https_only = Settings {
        allow_http: false,
        ..loopback()
    };
    let setting = "webhooks.allow_http";
    assert_eq!(refused(https_only, "http://127.0.0.1:1/"), UrlError::Http { setting });
}

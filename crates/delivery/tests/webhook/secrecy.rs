//! Secrecy of secrets, payloads, and URLs with secrets in logs and errors.

use wearlab_delivery::Destination;
use wearlab_delivery::webhook::{Sender, Settings, Signer, Webhook};

use super::receiver::{Receiver, says, status};
use super::{loopback, message, now, secret};
use crate::log::Log;

#[tokio::test]
async fn nothing_shows_a_secret_or_the_payload() {
    let log = Log::capture();

    let receiver = Receiver::start(|request| async move {
        // The endpoint repeats everything.
        (
            status(500),
            [(
                "x-echo",
                request.header("webhook-signature").unwrap_or_default().to_owned(),
            )],
            request.body,
        )
    })
    .await;
    let echo = says(format!("schön 7031982645 {}", secret(1).expose())).await;
    let settings = Settings {
        extra_roots: vec![b"-----BEGIN PRIVATE KEY-----".to_vec()],
        ..loopback()
    };
    let mut shown = format!("{settings:?}");
    let sender = Sender::new(loopback(), now).expect("a sender");
    let signer = Signer::new(secret(1)).and(secret(2));
    for url in [
        receiver.url.as_str(),
        &echo,
        "http://127.0.0.1:1/",
        "http://nowhere.invalid/",
    ] {
        let url = url.replacen("://", "://user:hunter2@", 1) + "?token=hunter3";
        let webhook = Webhook::new(&sender, &url, signer.clone()).expect("an endpoint");
        let outcomes = webhook.deliver(&[message("evt_1"), message("evt.2")]).await;
        shown += &format!("{outcomes:?} {webhook:?} {sender:?} {signer:?} {:?}", message("evt_1"));
    }
    for url in [
        "http://u:hunter2@10.0.0.1/hunter3",
        "ftp://u:hunter2@x/hunter3",
        "hunter2 hunter3",
    ] {
        let error = Webhook::new(&sender, url, signer.clone()).expect_err(url);
        shown += &format!("{error} {error:?}");
    }
    let logged = log.end();
    shown += &logged;

    let signature = secret(1).sign("evt_1", 1_800_000_000, &message("evt_1").payload);
    let (first, second) = (secret(1).expose(), secret(2).expose());
    let (first, second) = (&first["whsec_".len()..], &second["whsec_".len()..]);
    for hidden in [
        first,
        second,
        &signature,
        "schön",
        "7031982645",
        "hunter2",
        "hunter3",
        "PRIVATE KEY",
    ] {
        assert!(!shown.contains(hidden), "{hidden} shows in {shown}");
    }
}

//! Keys and shared access signatures that a namespace rejects.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use sha2::Sha256;
use wearlab_delivery::Outcome;
use wearlab_delivery::azure_amqp::{Namespace, Settings};

use super::faults::{two_more, typed};
use super::peers::EventHubs;
use super::{block, deliver, message, namespace, reason, settings};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn a_bad_key_is_down_whatever_the_hub() {
    let hubs = EventHubs::start(&["events", "one", "two"]);
    let good = hubs.connection_string();
    let messages = [message(1, 0), typed("one.x", 2, 0), typed("two.x", 3, 0)];
    let late = Settings {
        now: || SystemTime::UNIX_EPOCH,
        ..settings()
    };
    for (text, settings) in [
        (good.replace("c2VjcmV0", "d3Jvbmc"), settings()),
        (good.replace("KeyName=send", "KeyName=nobody"), settings()),
        (good, late),
    ] {
        let namespace = Namespace::new(&block(&text, two_more()), settings).expect("a namespace");
        for outcome in deliver(&namespace, &messages).await {
            let reason = reason(&outcome, "Down");
            assert!(
                reason.contains("rejected the credentials (401)") && reason.contains("clock"),
                "{reason}"
            );
        }
    }
}

/// A client without a key may have a signed token, for one hub or for all.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn a_shared_access_signature_is_used_until_it_ends() {
    let hubs = EventHubs::start(&["events", "one"]);
    let later = SystemTime::now() + Duration::from_secs(3600);
    let later = later
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    for (audience, until, good) in [
        ("sb://127.0.0.1/events", later, true),
        ("sb://127.0.0.1/", later, true),
        ("sb://127.0.0.1/one", later, false),
        ("sb://127.0.0.1/events", 1, false),
    ] {
        let signature = signature(audience, until);
        let text = format!(
            "Endpoint=sb://127.0.0.1:{};SharedAccessSignature={signature};UseDevelopmentEmulator=true",
            hubs.port
        );
        let namespace = namespace(&text, json!({}));
        let outcomes = deliver(&namespace, &[message(1, 0)]).await;
        match good {
            true => assert_eq!(outcomes[0], Outcome::Delivered, "{audience} {until}"),
            false => assert!(
                reason(&outcomes[0], "Down").contains("rejected the credentials (401)"),
                "{audience} {until}: {outcomes:?}"
            ),
        }
    }
    assert_eq!(hubs.receive("events").exactly(2).len(), 2);
}

/// A token as Microsoft describes it, with the peer's key.
fn signature(audience: &str, until: u64) -> String {
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let audience = encode(audience);
    let mut mac = Hmac::<Sha256>::new_from_slice(b"c2VjcmV0LWtleQ==").expect("a key of any length");
    mac.update(format!("{audience}\n{until}").as_bytes());
    let signature = encode(&STANDARD.encode(mac.finalize().into_bytes()));
    format!("SharedAccessSignature sr={audience}&sig={signature}&se={until}&skn=send")
}

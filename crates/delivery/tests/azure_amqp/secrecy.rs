//! Secrecy of keys, tokens and payloads in logs and errors.

use serde_json::json;
use wearlab_delivery::Destination;
use wearlab_delivery::azure_amqp::{Namespace, Settings};

use super::log::Log;
use super::peers::{EventHubs, Storage};
use super::{block, message, settings};

// One thread, whose log is captured.
#[tokio::test]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn nothing_shows_a_secret_or_the_payload() {
    let log = Log::capture();

    let (mut hubs, storage) = (EventHubs::start(&["events"]), Storage::start());
    storage.create("events");
    let good = hubs.connection_string();
    let settings = Settings {
        extra_roots: vec![b"-----BEGIN PRIVATE KEY-----".to_vec()],
        ..settings()
    };
    let mut shown = format!("{settings:?}");
    let tls = good.replace("UseDevelopmentEmulator=true", "");
    let token = "SharedAccessSignature=SharedAccessSignature sr=hunter2&sig=hunter3&se=1900000000&skn=send";
    let token = format!(
        "Endpoint=sb://127.0.0.1:{};{token};UseDevelopmentEmulator=true",
        hubs.port
    );
    let bad = good.replace("c2VjcmV0LWtleQ", "aHVudGVyNA");
    for text in [&good, &bad, &tls, &token] {
        for account in [
            storage.connection_string.clone(),
            storage.connection_string.replace("=Eby8", "=Abcd"),
        ] {
            let container = json!({ "connection_string": account, "container_name": "events" });
            let matchers = json!([{ "event_type_prefix": "daily.", "event_hub": "events", "blob_storage": container }]);
            let block = block(text, json!({ "event_hub_matchers": matchers }));
            let namespace = Namespace::new(&block, settings.clone()).expect("a namespace");
            for fault in ["accept", "reject:amqp:internal-error", "detach:amqp:internal-error"] {
                hubs.say(&format!("fault events {fault}"));
                let outcomes = namespace.deliver(&[message(1, 7031), message(2, 7031)]).await;
                let checked = namespace.check(&message(3, 7031)).await;
                shown += &format!("{outcomes:?} {checked:?} {namespace:?} {block:?}\n");
            }
        }
    }
    let logged = log.end();
    assert!(
        shown.contains("Delivered") && shown.contains("401"),
        "much happened: {shown}"
    );
    shown += &logged;
    for hidden in [
        "c2VjcmV0LWtleQ",
        "aHVudGVyNA",
        "hunter",
        "sig=",
        "SharedAccessSignature s",
        "Eby8vdM",
        "Abcd8vdM",
        "AbcdvdM",
        "7031}",
        "PRIVATE KEY",
    ] {
        assert!(!shown.contains(hidden), "{hidden} shows in {shown}");
    }
}

//! Blobs: content, single writes, and outcomes of messages whose blob is not written.

use axum::Router;
use axum::http::StatusCode;
use serde_json::{Value, json};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::Event;

use super::arrivals::body;
use super::peers::{EventHubs, Storage};
use super::{deliver, events, message, namespace, reason, text};

/// Matchers that send everything to a container, and types with `daily.` to the default hub, too.
fn matchers(storage: &str) -> Value {
    let blob_storage = json!({ "connection_string": storage, "container_name": "events" });
    json!([
        { "event_type_prefix": "daily.", "event_hub": "events", "blob_storage": blob_storage },
        { "event_type_regex": ".", "blob_storage": blob_storage },
    ])
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn every_type_is_written_whatever_the_compression() {
    let (hubs, storage) = (EventHubs::start(&["events"]), Storage::start());
    storage.create("events");
    let mut arrived = 0;
    for (compression, suffix) in [("none", ".json"), ("always", ".json.gz")] {
        let more = json!({ "compression": compression, "event_hub_matchers": matchers(&storage.connection_string) });
        let namespace = namespace(&hubs.connection_string(), more);
        let messages = events::of_every_type().await;
        assert_eq!(
            deliver(&namespace, &messages).await,
            vec![Outcome::Delivered; messages.len()]
        );
        let day = messages[0].created_on.to_utc().format("%Y-%m-%d");
        let blobs = storage.list("events", &format!("{}/{day}/", messages[0].team_id));
        for message in &messages {
            let name = format!(
                "{}/{day}/{}/{}{suffix}",
                message.team_id, message.event_type, message.event_id
            );
            let blob = blobs.iter().find(|blob| blob["name"] == json!(name));
            let blob = blob.unwrap_or_else(|| panic!("{name} is there"));
            assert_eq!(body(blob), message.payload);
            let event: Event = serde_json::from_slice(&body(blob)).expect("an event");
            assert_eq!(event.event_type(), message.event_type);
            assert_eq!(text(blob, "content_type"), "application/json");
            let encoding = (compression == "always").then_some("gzip");
            assert_eq!(blob["content_encoding"].as_str(), encoding);
        }
        arrived += messages
            .iter()
            .filter(|message| message.event_type.starts_with("daily."))
            .count();
    }
    hubs.receive("events").exactly(arrived);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn a_repeat_changes_no_blob() {
    let (mut hubs, storage) = (EventHubs::start(&["events"]), Storage::start());
    storage.create("events");
    let more = json!({ "event_hub_matchers": matchers(&storage.connection_string) });
    let namespace = namespace(&hubs.connection_string(), more);
    let messages: Vec<_> = (0..20).map(|number| message(1, number)).collect();

    // The hub accepts none: a message with two targets is not delivered, although its blob exists.
    hubs.say("fault events release");
    let outcomes = deliver(&namespace, &messages).await;
    assert!(reason(&outcomes[0], "Retry").contains("released the event"));
    assert_eq!(outcomes[1..], vec![Outcome::Held; 19]);
    let before = storage.list("events", "");
    assert_eq!(before.len(), 20);

    hubs.say("fault events accept");
    for _ in 0..2 {
        assert_eq!(deliver(&namespace, &messages).await, vec![Outcome::Delivered; 20]);
    }
    assert_eq!(storage.list("events", ""), before, "the same, down to their tags");
    let lines = hubs.receive("events").exactly(40);
    let of_first = lines
        .iter()
        .filter(|line| line["message_id"] == json!(messages[0].event_id));
    assert_eq!(of_first.count(), 2, "a repeat has the same id");
    // The day is that of UTC.
    assert!(
        text(&before[0], "name").contains("/2026-02-01/"),
        "{}",
        before[0]["name"]
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn what_is_not_written_is_not_delivered() {
    let (hubs, storage) = (EventHubs::start(&["events"]), Storage::start());
    let good = &storage.connection_string;
    let bad_key = good.replace("AccountKey=Eby8", "AccountKey=Abcd");
    let gone = "AccountName=a;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:9/a";
    let signature = "AccountName=devstoreaccount1;SharedAccessSignature=?sv=2022-11-02&sp=c&sig=hunter2";
    let endpoint = good
        .split(';')
        .find(|part| part.starts_with("BlobEndpoint="))
        .expect("it has one");
    let refused = "the storage account rejected the credentials for container events";
    for (text, words) in [
        (good.as_str(), "container events does not exist"),
        (&bad_key, refused),
        (&format!("{signature};{endpoint}"), refused),
        (
            gone,
            "no response from blob storage for container events: connection refused",
        ),
    ] {
        let more = json!({ "event_hub_matchers": matchers(text) });
        let namespace = namespace(&hubs.connection_string(), more);
        let messages = [
            message(1, 0),
            message(1, 1),
            Message {
                event_type: "x".to_owned(),
                ..message(2, 0)
            },
        ];
        let outcomes = deliver(&namespace, &messages).await;
        for failed in [0, 2] {
            let reason = reason(&outcomes[failed], "Retry");
            assert!(reason.starts_with(words) && !reason.contains("hunter2"), "{reason}");
        }
        assert_eq!(outcomes[1], Outcome::Held);
        let checked = namespace.check(&message(3, 0)).await;
        assert_eq!(
            (checked.len(), checked[1].target.as_str()),
            (2, "container events"),
            "{checked:?}"
        );
        assert_eq!(checked[0].outcome, Outcome::Delivered);
        assert!(reason(&checked[1].outcome, "Down").starts_with(words));
    }
    // Nothing but the test messages came to the hub.
    assert_eq!(hubs.receive("events").exactly(4).len(), 4);

    storage.create("events");
    let more = json!({ "event_hub_matchers": matchers(good) });
    let namespace = namespace(&hubs.connection_string(), more);
    assert_eq!(deliver(&namespace, &[message(1, 0)]).await, [Outcome::Delivered]);
    storage.delete("events");
    let outcomes = deliver(&namespace, &[message(1, 1)]).await;
    assert!(reason(&outcomes[0], "Retry").contains("does not exist"));
}

/// Conflicts and errors that the emulator does not produce.
#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_no_delivery_unless_the_blob_is_there() {
    for (status, code, outcome) in [
        (409, "BlobAlreadyExists", "Delivered"),
        (412, "ConditionNotMet", "Delivered"),
        (409, "ContainerBeingDeleted", "Retry"),
        (409, "AccountBeingCreated", "Retry"),
        (412, "LeaseIdMissing", "Retry"),
        (404, "ResourceNotFound", "Retry"),
        (413, "RequestBodyTooLarge", "Refused"),
        (503, "ServerBusy", "Retry"),
        (500, "hunter 2", "Retry"),
        (302, "Found", "Retry"),
        (201, "", "Delivered"),
    ] {
        let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>hunter2</Message></Error>");
        let status = StatusCode::from_u16(status).expect("a status");
        let headers = [
            ("etag", "\"1\""),
            ("x-ms-version", "2023-11-03"),
            ("location", "http://127.0.0.1:9/hunter2"),
        ];
        let app = Router::new().fallback(move || async move { (status, headers, body) });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let serving = tokio::spawn(async move { axum::serve(listener, app).await });
        let storage = format!("AccountName=a;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:{port}/a");
        let more = json!({ "event_hub_matchers": matchers(&storage) });
        let namespace = namespace(
            "Endpoint=sb://127.0.0.1:9;SharedAccessKeyName=a;SharedAccessKey=b",
            more,
        );
        let outcomes = deliver(
            &namespace,
            &[Message {
                event_type: "x".to_owned(),
                ..message(1, 0)
            }],
        )
        .await;
        let said = format!("{:?}", outcomes[0]);
        assert!(
            said.starts_with(outcome) && !said.contains("hunter"),
            "{status} {code}: {said}"
        );
        serving.abort();
    }
}

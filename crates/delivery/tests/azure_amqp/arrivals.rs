//! Events of every type at the targets of matchers, compressed by the setting of the pipeline.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use wearlab_delivery::{Message, Outcome};
use wearlab_models::Event;

use super::peers::EventHubs;
use super::{deliver, events, message, namespace, text};

/// The payload of an event that arrived.
pub(crate) fn body(line: &Value) -> Vec<u8> {
    STANDARD.decode(text(line, "body")).expect("Base64")
}

/// Asserts that an arrived event equals a message, in all its parts.
fn assert_is(line: &Value, message: &Message, gzip: bool) {
    assert_eq!(body(line), message.payload, "{}", message.event_id);
    let event: Event = serde_json::from_slice(&body(line)).expect("an event");
    assert_eq!(event.event_type(), message.event_type);
    let user = message.user_id.expect("a user").to_string();
    let encoding = gzip.then_some("gzip");
    let mut properties = json!({
        "event-type": message.event_type, "event-id": message.event_id, "team-id": message.team_id, "user-id": user,
    });
    if gzip {
        properties["content-encoding"] = json!("gzip");
    }
    assert_eq!(line["properties"], properties);
    assert_eq!(line["partition_key"], json!(user));
    assert_eq!(line["message_id"], json!(message.event_id));
    assert_eq!(line["content_type"], json!("application/json"));
    assert_eq!(line["content_encoding"].as_str(), encoding);
}

fn by_id<'a>(lines: &'a [Value], message: &Message) -> &'a Value {
    let mut found = lines
        .iter()
        .filter(|line| line["message_id"] == json!(message.event_id));
    let line = found.next().unwrap_or_else(|| panic!("{} is there", message.event_id));
    assert_eq!(found.next(), None, "{} is there once", message.event_id);
    line
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn every_type_arrives_whatever_the_compression() {
    let messages = events::of_every_type().await;
    for compression in ["none", "auto", "always"] {
        let hubs = EventHubs::start(&["events"]);
        let namespace = namespace(&hubs.connection_string(), json!({ "compression": compression }));
        // Some are large, to be compressed by `auto`.
        let mut messages = messages.clone();
        let mut large: Value = serde_json::from_slice(&messages[1].payload).expect("JSON");
        large["later"] = json!("é".repeat(100_000));
        messages[1].payload = large.to_string().into();
        assert_eq!(
            deliver(&namespace, &messages).await,
            vec![Outcome::Delivered; messages.len()]
        );
        let lines = hubs.receive("events").exactly(messages.len());
        for message in &messages {
            let gzip = match compression {
                "none" => false,
                "auto" => message.payload.len() > 1024,
                _ => true,
            };
            assert_is(by_id(&lines, message), message, gzip);
        }
        assert!(lines.iter().any(|line| line["content_encoding"] == json!("gzip")) || compression == "none");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn the_first_matcher_that_fits_decides() {
    let hubs = EventHubs::start(&["events", "steps", "daily", "created"]);
    let matchers = json!({ "event_hub_matchers": [
        { "event_type_prefix": "daily.", "event_type_regex": r"\.steps\.", "event_hub": "steps" },
        { "event_type_prefix": "daily.", "event_hub": "daily" },
        { "event_type_regex": "^historical.*created$", "event_hub": "created" },
    ] });
    let namespace = namespace(&hubs.connection_string(), matchers);
    let table = [
        ("daily.data.steps.created", "steps"),
        ("daily.data.steps.updated", "steps"),
        ("daily.data.sleep_cycle.created", "daily"),
        ("historical.data.steps.created", "created"),
        ("historical.data.steps.created.later", "events"),
        ("provider.connection.created", "events"),
    ];
    let messages: Vec<_> = (table.iter().enumerate())
        .map(|(index, (event_type, _))| Message {
            event_type: (*event_type).to_owned(),
            ..message(7, index)
        })
        .collect();
    assert_eq!(
        deliver(&namespace, &messages).await,
        vec![Outcome::Delivered; messages.len()]
    );
    for hub in ["events", "steps", "daily", "created"] {
        let expected: Vec<_> = table
            .iter()
            .filter(|(_, to)| *to == hub)
            .map(|(event_type, _)| *event_type)
            .collect();
        let lines = hubs.receive(hub).exactly(expected.len());
        let types: Vec<_> = lines
            .iter()
            .map(|line| text(&line["properties"], "event-type"))
            .collect();
        assert_eq!(types, expected, "{hub}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn an_event_about_no_user_has_no_partition_key() {
    let hubs = EventHubs::start(&["events"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    let messages: Vec<_> = (0..4)
        .map(|number| Message {
            user_id: None,
            ..message(1, number)
        })
        .collect();
    assert_eq!(deliver(&namespace, &messages).await, vec![Outcome::Delivered; 4]);
    let lines = hubs.receive("events").exactly(4);
    for line in &lines {
        assert_eq!(line["partition_key"], Value::Null);
        assert_eq!(line["properties"]["user-id"], Value::Null);
    }
    let partitions: std::collections::BTreeSet<_> = lines.iter().map(|line| text(line, "partition")).collect();
    assert_eq!(partitions.len(), 2, "they go to all partitions");
}

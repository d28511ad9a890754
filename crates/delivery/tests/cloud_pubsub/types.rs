//! Arrival of every type of event, without changes.

use std::collections::BTreeMap;

use wearlab_delivery::Destination;
use wearlab_models::Event;

use super::consumer::Consumer;
use super::{all_delivered, events, number, topic, variable};

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn every_type_arrives_as_it_was() {
    let messages = events::of_every_type().await;
    let emulator = variable("PUBSUB_EMULATOR");
    for ordered in [true, false] {
        let name = format!("types-{}", number());
        let consumer = Consumer::start(&emulator, &name, ordered);
        let topic = topic(&emulator, &name, ordered);
        assert_eq!(topic.ordered(), ordered);
        let outcomes = topic.deliver(&messages).await;
        assert!(all_delivered(&outcomes), "{outcomes:?}");

        let received = consumer.receive(messages.len());
        assert_eq!(received.len(), messages.len());
        let received: BTreeMap<_, _> = received.iter().map(|message| (message.id(), message)).collect();
        for message in &messages {
            let got = received[message.event_id.as_str()];
            assert_eq!(got.data, message.payload, "{}", message.event_type);
            let event: Event = serde_json::from_slice(&got.data).expect("an event");
            assert_eq!(event.event_type(), message.event_type);
            let user = message.user_id.expect("a user").to_string();
            assert_eq!(got.ordering_key, if ordered { user.as_str() } else { "" });
            let expected: BTreeMap<String, String> = [
                ("content-type", "application/json".to_owned()),
                ("event-type", message.event_type.clone()),
                ("event-id", message.event_id.clone()),
                ("team-id", message.team_id.to_string()),
                ("user-id", user),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
            assert_eq!(got.attributes, expected);
        }
        let types: std::collections::BTreeSet<_> = messages.iter().map(|message| &message.event_type).collect();
        assert_eq!(types.len(), 10);
    }
}

#[tokio::test]
#[ignore = "needs Google's emulator and PyPI google-cloud-pubsub"]
async fn a_check_sends_one_message() {
    let emulator = variable("PUBSUB_EMULATOR");
    let name = format!("check-{}", number());
    let topic = topic(&emulator, &name, true);
    let message = super::message(None, "test");
    let missing = topic.check(&message).await;
    assert_eq!(missing.len(), 1);
    assert_eq!(
        missing[0].target,
        format!("topic projects/{}/topics/{name}", super::PROJECT)
    );
    assert!(super::down(&missing[0].outcome).as_str().starts_with("no such topic"));

    let consumer = Consumer::start(&emulator, &name, true);
    assert_eq!(
        topic.check(&message).await[0].outcome,
        wearlab_delivery::Outcome::Delivered
    );
    let received = consumer.receive(1);
    assert_eq!((received.len(), received[0].ordering_key.as_str()), (1, ""));
    assert!(!received[0].attributes.contains_key("user-id"));
}

//! Messages that a third-party client receives.

use serde_json::json;
use wearlab_delivery::{Checked, Destination, Outcome};
use wearlab_models::Event;

use super::client::{assert_in_order, count, create_events, read};
use super::server::Server;
use super::{events, interleaved, message, subject};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn every_type_of_event_arrives_as_it_is_documented() {
    let server = Server::start().await;
    create_events(&server.url()).await;
    let mut messages = events::of_every_type().await;
    messages[0].user_id = None;
    let destination = subject(&server.url(), &json!({"stream": "EVENTS"}));
    let outcomes = destination.deliver(&messages).await;
    assert_eq!(outcomes, vec![Outcome::Delivered; messages.len()]);

    let mut received = read(&server.url(), "EVENTS").await;
    for message in &messages {
        let at = received.iter().position(|received| received.id() == message.event_id);
        let received = received.swap_remove(at.expect("it arrived"));
        assert_eq!(received.subject, format!("events.{}", message.event_type));
        assert_eq!(received.body, message.payload);
        let mut expected = json!({
            "Nats-Msg-Id": message.event_id,
            "Nats-Expected-Stream": "EVENTS",
            "content-type": "application/json",
            "event-type": message.event_type,
            "event-id": message.event_id,
            "team-id": message.team_id,
            "user-id": message.user_id,
        });
        if message.user_id.is_none() {
            expected.as_object_mut().expect("an object").remove("user-id");
        }
        assert_eq!(json!(received.headers), expected);
        let event: Event = serde_json::from_slice(&received.body).expect("an event");
        assert_eq!(event.event_type(), message.event_type);
    }
    assert!(received.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn users_keep_their_order_and_repeats_are_stored_once() {
    let server = Server::start().await;
    create_events(&server.url()).await;
    let destination = subject(&server.url(), &json!({}));
    let messages = interleaved(300, 12);
    // The second copy is a repeat within the duplicate window, by another connection.
    for destination in [&destination, &subject(&server.url(), &json!({}))] {
        for batch in messages.chunks(destination.batch()) {
            let outcomes = destination.deliver(batch).await;
            assert_eq!(outcomes, vec![Outcome::Delivered; batch.len()]);
        }
        assert_eq!(count(&server.url(), "EVENTS").await, 3600);
    }
    assert_in_order(&read(&server.url(), "EVENTS").await, 300, 12);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_check_names_the_subject() {
    let server = Server::start().await;
    create_events(&server.url()).await;
    let checked = subject(&server.url(), &json!({})).check(&message(1, "evt-1-0")).await;
    let expected = Checked {
        target: "subject events.{event_type}".to_owned(),
        outcome: Outcome::Delivered,
    };
    assert_eq!(checked, [expected]);
}

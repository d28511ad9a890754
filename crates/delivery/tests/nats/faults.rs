//! Messages that a server rejects.

use std::time::{Duration, Instant};

use async_nats::jetstream::stream::DiscardPolicy;
use futures_util::StreamExt;
use serde_json::json;
use wearlab_delivery::nats::{Settings, Subject};
use wearlab_delivery::{Destination, Outcome};

use super::client::{connect, count, create, create_events};
use super::server::Server;
use super::{block, down, interleaved, message, settings, subject};

fn retried(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Retry {
            reason,
            not_before: None,
        } => reason.as_str(),
        other => panic!("{other:?}"),
    }
}

fn refused(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Refused { reason } => reason.as_str(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_missing_stream_is_reported_with_a_fix() {
    let server = Server::start().await;
    let by_type = subject(&server.url(), &json!({}));
    let constant = subject(&server.url(), &json!({"subject": "events.all"}));
    let messages = interleaved(20, 1);
    for outcome in by_type.deliver(&messages).await {
        let expected = "no stream listens to events.daily.data.steps.created: create one with this subject";
        assert!(retried(&outcome).starts_with(expected), "{outcome:?}");
    }
    let outcomes = constant.deliver(&messages).await;
    assert!(
        down(&outcomes).starts_with("no stream listens to events.all: "),
        "{outcomes:?}"
    );

    // A type that the stream does not listen to blocks no other.
    create(&server.url(), "DAILY", "events.daily.>", |_| ()).await;
    let mut other = message(2, "evt-other");
    other.event_type = "lab.order.created".to_owned();
    let outcomes = by_type
        .deliver(&[message(1, "evt-1"), other, message(3, "evt-3")])
        .await;
    assert_eq!([&outcomes[0], &outcomes[2]], [&Outcome::Delivered; 2]);
    assert!(retried(&outcomes[1]).starts_with("no stream listens to events.lab.order.created: "));
    create(&server.url(), "ALL", "events.all", |_| ()).await;
    assert_eq!(constant.deliver(&messages).await, vec![Outcome::Delivered; 20]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn another_stream_than_the_expected_gets_nothing() {
    let server = Server::start().await;
    create_events(&server.url()).await;
    let expected = "another stream than OTHERS listens to the subject: fix nats.stream or nats.subject";
    let constant = subject(&server.url(), &json!({"stream": "OTHERS", "subject": "events.all"}));
    assert_eq!(down(&constant.deliver(&interleaved(5, 2)).await), expected);
    let by_type = subject(&server.url(), &json!({"stream": "OTHERS"}));
    assert_eq!(retried(&by_type.deliver(&interleaved(5, 2)).await[0]), expected);
    assert_eq!(count(&server.url(), "EVENTS").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_message_that_is_too_large_is_refused_alone() {
    let server = Server::start().await;
    create(&server.url(), "EVENTS", "events.daily.>", |_| ()).await;
    create(&server.url(), "SMALL", "events.lab.>", |config| {
        config.max_message_size = 1000
    })
    .await;
    let destination = subject(&server.url(), &json!({}));
    let mut messages = interleaved(4, 2);
    // The server accepts 100,000 bytes, headers included.
    messages[1].payload = "x".repeat(100_001).into();
    messages[2].payload = "x".repeat(99_999).into();
    messages[3].event_type = "lab.order.created".to_owned();
    messages[3].payload = "x".repeat(1001).into();
    let outcomes = destination.deliver(&messages).await;
    for (index, part) in [
        (
            1,
            "the message of 100001 bytes and its headers are larger than the 100000 bytes that the server takes",
        ),
        (2, "the message of 99999 bytes and its headers are larger"),
        (
            3,
            "the stream rejected the message as too large: check its max_msg_size",
        ),
    ] {
        assert!(refused(&outcomes[index]).starts_with(part), "{:?}", outcomes[index]);
    }
    for index in [0, 4, 5, 6, 7] {
        assert_eq!(outcomes[index], Outcome::Delivered, "{index}");
    }
    assert_eq!(count(&server.url(), "EVENTS").await, 5);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_full_stream_is_no_reason_to_stop() {
    let server = Server::start().await;
    create(&server.url(), "EVENTS", "events.>", |config| {
        config.max_messages = 5;
        config.discard = DiscardPolicy::New;
    })
    .await;
    let outcomes = subject(&server.url(), &json!({})).deliver(&interleaved(20, 1)).await;
    let delivered = outcomes.iter().filter(|outcome| **outcome == Outcome::Delivered);
    assert_eq!(delivered.count(), 5);
    for outcome in outcomes.iter().filter(|outcome| **outcome != Outcome::Delivered) {
        assert!(retried(outcome).contains("it may be full"), "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn missing_permissions_are_reported_at_once() {
    let server = Server::with(
        r#"authorization { users = [
            { user: wearlab, password: pw-4711 }
            { user: reader, password: pw, permissions: { publish: { deny: "events.>" } } }
            { user: deaf, password: pw, permissions: { subscribe: { deny: "_INBOX.>" } } }
        ] }"#,
    )
    .await;
    create_events(&server.url()).await;
    for (login, part) in [
        ("reader:pw@", "grant it the permission for nats.subject"),
        ("deaf:pw@", "grant it the permission to subscribe to _INBOX.>"),
        (
            "wearlab:wrong@",
            "the server rejected the login: fix the user and password",
        ),
        ("", "the server rejected the login"),
    ] {
        let begun = Instant::now();
        let outcomes = subject(&server.url_of(login), &json!({"subject": "events.all"}))
            .deliver(&interleaved(20, 2))
            .await;
        assert!(down(&outcomes).contains(part), "{outcomes:?}");
        assert!(begun.elapsed() < settings().timeout, "{login} waits for its timeout");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_subject_that_the_user_may_not_publish_to_holds_up_no_other() {
    let server = Server::with(
        r#"authorization { users = [
            { user: wearlab, password: pw-4711 }
            { user: limited, password: pw, permissions: { publish: { deny: "events.lab.>" } } }
        ] }"#,
    )
    .await;
    create_events(&server.url()).await;
    let destination = subject(&server.url_of("limited:pw@"), &json!({}));
    let begun = Instant::now();
    // Denied the same way in each call.
    for round in 0..2 {
        let mut messages: Vec<_> = (0..50)
            .map(|user| message(user, &format!("evt-{round}-{user}")))
            .collect();
        for denied in messages.iter_mut().step_by(10) {
            denied.event_type = "lab.order.created".to_owned();
        }
        let outcomes = destination.deliver(&messages).await;
        for (index, outcome) in outcomes.iter().enumerate() {
            match index % 10 {
                0 => assert!(
                    retried(outcome).starts_with("the user may not publish to events.lab.order.created: "),
                    "{outcome:?}"
                ),
                _ => assert_eq!(*outcome, Outcome::Delivered),
            }
        }
    }
    assert_eq!(count(&server.url(), "EVENTS").await, 90);
    assert!(begun.elapsed() < settings().timeout, "a timeout was waited for");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn subscribers_are_not_taken_for_streams() {
    let server = Server::start().await;
    let settings = Settings {
        timeout: Duration::from_secs(1),
        ..settings()
    };
    let destination = Subject::new(&block(&server.url(), &json!({})), settings).expect("a subject");
    let client = connect(&server.url()).await;
    let mut silent = client.subscribe("events.daily.>").await.expect("a subscription");
    client.flush().await.expect("a response");
    let outcomes = destination.deliver(&[message(1, "evt-1")]).await;
    assert!(down(&outcomes).contains("something else than a stream listens to events.daily."));
    silent.next().await.expect("it arrived there");

    let answering = client.clone();
    tokio::spawn(async move {
        while let Some(message) = silent.next().await {
            let reply = message.reply.expect("an inbox");
            answering.publish(reply, "+OK".into()).await.expect("publishes");
        }
    });
    let outcomes = destination.deliver(&[message(1, "evt-1")]).await;
    assert!(
        retried(&outcomes[0]).starts_with("something else than a stream responded"),
        "{outcomes:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_subject_that_is_not_acknowledged_holds_up_no_other() {
    let server = Server::start().await;
    create(&server.url(), "DAILY", "events.daily.>", |_| ()).await;
    let settings = Settings {
        timeout: Duration::from_secs(1),
        ..settings()
    };
    let destination = Subject::new(&block(&server.url(), &json!({})), settings).expect("a subject");
    let client = connect(&server.url()).await;
    let _silent = client.subscribe("events.lab.>").await.expect("a subscription");
    client.flush().await.expect("a response");
    let mut messages: Vec<_> = (0..20).map(|user| message(user, &format!("evt-{user}"))).collect();
    messages[0].event_type = "lab.order.created".to_owned();
    let outcomes = destination.deliver(&messages).await;
    let expected = "something else than a stream listens to events.lab.order.created";
    assert!(retried(&outcomes[0]).contains(expected), "{outcomes:?}");
    assert_eq!(outcomes[1..], vec![Outcome::Delivered; 19]);
}

//! Messages that hubs reject, release or never confirm, and their outcomes.

use super::peers::EventHubs;
use super::{block, deliver, message, namespace, reason, settings};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use wearlab_delivery::azure_amqp::{Namespace, Settings};
use wearlab_delivery::{Destination, Message, Outcome};

/// Two hubs besides the default one.
pub(super) fn two_more() -> Value {
    json!({ "event_hub_matchers": [
        { "event_type_prefix": "one.", "event_hub": "one" }, { "event_type_prefix": "two.", "event_hub": "two" },
    ] })
}

pub(super) fn typed(event_type: &str, user: u128, number: usize) -> Message {
    Message {
        event_type: event_type.to_owned(),
        ..message(user, number)
    }
}

fn ids(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| super::text(line, "message_id")).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn the_only_hub_that_is_missing_is_down() {
    let mut hubs = EventHubs::start(&["other"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    let expected = "event hub events does not exist: create it in the namespace, or fix its name";
    let outcomes = deliver(&namespace, &[message(1, 0), message(1, 1)]).await;
    assert_eq!(reason(&outcomes[0], "Down"), expected);
    assert_eq!(outcomes[1], Outcome::Held);
    // The namespace may reject the token instead.
    hubs.say("fault $cbs status:404");
    assert_eq!(
        reason(&deliver(&namespace, &[message(1, 0)]).await[0], "Down"),
        expected
    );
    hubs.say("fault $cbs status:500");
    let said = reason(&deliver(&namespace, &[message(1, 0)]).await[0], "Down");
    assert_eq!(said, "the namespace responded 500 to the token for event hub events");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn one_hub_of_several_that_is_missing_holds_up_its_own_messages() {
    let hubs = EventHubs::start(&["events", "two"]);
    let namespace = namespace(&hubs.connection_string(), two_more());
    let messages = [
        message(1, 0),
        typed("one.x", 2, 0),
        typed("two.x", 3, 0),
        typed("two.x", 2, 1),
        message(1, 1),
    ];
    let outcomes = deliver(&namespace, &messages).await;
    assert!(
        reason(&outcomes[1], "Retry").starts_with("event hub one does not exist"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[3], Outcome::Held, "of the same user");
    for delivered in [0, 2, 4] {
        assert_eq!(outcomes[delivered], Outcome::Delivered);
    }
    assert_eq!(
        hubs.receive("events").exactly(2).len() + hubs.receive("two").exactly(1).len(),
        3
    );

    let checked = namespace.check(&message(1, 9)).await;
    let targets: Vec<_> = checked.iter().map(|checked| checked.target.as_str()).collect();
    assert_eq!(targets, ["event hub events", "event hub one", "event hub two"]);
    assert_eq!([&checked[0].outcome, &checked[2].outcome], [&Outcome::Delivered; 2]);
    assert!(reason(&checked[1].outcome, "Down").starts_with("event hub one does not exist"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn only_what_is_accepted_is_delivered() {
    let mut hubs = EventHubs::start(&["events"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    let table = [
        ("release", "Retry", "released the event"),
        ("modify", "Retry", "released the event"),
        ("reject:amqp:internal-error", "Retry", "amqp:internal-error"),
        ("reject:com.microsoft:timeout", "Retry", "com.microsoft:timeout"),
        ("reject:amqp:hunter2", "Retry", "unknown error"),
        ("reject:com.microsoft:server-busy", "Down", "throttled"),
        ("reject:amqp:unauthorized-access", "Down", "claim Send"),
        ("reject:amqp:not-found", "Down", "does not exist"),
        ("reject:amqp:resource-limit-exceeded", "Down", "at a limit"),
        ("reject:amqp:link:message-size-exceeded", "Refused", "too large"),
        ("detach:amqp:not-found", "Down", "does not exist"),
        ("detach:amqp:link:detach-forced", "Down", "amqp:link:detach-forced"),
        ("detach:amqp:unauthorized-access", "Down", "claim Send"),
    ];
    for (fault, kind, words) in table {
        hubs.say(&format!("fault events {fault}"));
        let outcomes = deliver(&namespace, &[message(1, 0)]).await;
        let reason = reason(&outcomes[0], kind);
        assert!(
            reason.contains(words) && !reason.contains("hunter2"),
            "{fault}: {reason}"
        );
    }
    hubs.say("fault events accept");
    assert_eq!(deliver(&namespace, &[message(1, 1)]).await, [Outcome::Delivered]);
    assert_eq!(
        ids(&hubs.receive("events").exactly(1)),
        [message(1, 1).event_id],
        "the others are not there"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn one_that_is_never_taken_holds_up_itself_alone() {
    let mut hubs = EventHubs::start(&["events"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    let messages: Vec<_> = (0..6).map(|number| message(1, number)).collect();
    hubs.say(&format!("fault events poison:{}", messages[3].event_id));
    let outcomes = deliver(&namespace, &messages).await;
    assert_eq!(
        outcomes[..3],
        [Outcome::Delivered, Outcome::Delivered, Outcome::Delivered]
    );
    assert!(reason(&outcomes[3], "Retry").contains("com.microsoft:argument-error"));
    assert_eq!(outcomes[4..], [Outcome::Held, Outcome::Held]);
    // After it is parked, the others are sent.
    assert_eq!(deliver(&namespace, &messages[4..]).await, vec![Outcome::Delivered; 2]);
    let lines = hubs.receive("events").exactly(5);
    let expected: Vec<_> = messages.iter().map(|message| &message.event_id).collect();
    assert_eq!(
        ids(&lines),
        [expected[0], expected[1], expected[2], expected[4], expected[5]]
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn what_is_too_large_is_refused() {
    let hubs = EventHubs::with_limit(20_000, &["events"]);
    let namespace = namespace(&hubs.connection_string(), json!({}));
    let sized = |number: usize, length: usize| Message {
        payload: json!({ "event_type": "x.y", "data": "a".repeat(length) })
            .to_string()
            .into(),
        ..message(1, number)
    };
    let messages = [
        sized(0, 10),
        sized(1, 30_000),
        sized(2, 15_000),
        sized(3, 20_000),
        sized(4, 15_000),
    ];
    let outcomes = deliver(&namespace, &messages).await;
    for delivered in [0, 2, 4] {
        assert_eq!(outcomes[delivered], Outcome::Delivered);
    }
    for refused in [1, 3] {
        let reason = reason(&outcomes[refused], "Refused");
        assert!(
            reason.ends_with("bytes, and event hub events takes 20000 at most"),
            "{reason}"
        );
    }
    assert_eq!(hubs.receive("events").exactly(3).len(), 3);
    let checked = namespace.check(&messages[1]).await;
    assert!(reason(&checked[0].outcome, "Refused").contains("takes 20000"));

    // Compressed, they fit.
    let namespace = super::namespace(&hubs.connection_string(), json!({ "compression": "auto" }));
    assert_eq!(deliver(&namespace, &messages).await, vec![Outcome::Delivered; 5]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn what_is_not_confirmed_in_time_is_down() {
    let mut hubs = EventHubs::start(&["events"]);
    let short = Settings {
        confirm_timeout: Duration::from_secs(2),
        connect_timeout: Duration::from_secs(2),
        ..settings()
    };
    let namespace = Namespace::new(&block(&hubs.connection_string(), json!({})), short).expect("a namespace");
    let messages: Vec<_> = (0..40).map(|number| message(number as u128, number)).collect();
    hubs.say("fault events hold 5");
    let began = Instant::now();
    let outcomes = deliver(&namespace, &messages).await;
    assert!(began.elapsed() < Duration::from_secs(10));
    let delivered = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Delivered)
        .count();
    assert_eq!(delivered, 5, "{outcomes:?}");
    assert_eq!(
        reason(&outcomes[39], "Down"),
        "event hub events did not confirm in time"
    );

    hubs.say("fault events accept");
    assert_eq!(deliver(&namespace, &messages).await, vec![Outcome::Delivered; 40]);

    // A hub that accepts one at a time is slow, and one that accepts none is down.
    hubs.say("credit events 1");
    let slow = super::namespace(&hubs.connection_string(), json!({}));
    assert_eq!(deliver(&slow, &messages).await, vec![Outcome::Delivered; 40]);
    hubs.say("credit events 0");
    drop(namespace);
    let namespace = Namespace::new(
        &block(&hubs.connection_string(), json!({})),
        Settings {
            confirm_timeout: Duration::from_millis(300),
            ..settings()
        },
    );
    let outcomes = deliver(&namespace.expect("a namespace"), &messages).await;
    assert!(
        outcomes
            .iter()
            .all(|outcome| reason(outcome, "Down").contains("in time")),
        "{outcomes:?}"
    );

    // Tokens without a response.
    hubs.say("fault $cbs hold");
    let namespace = Namespace::new(
        &block(&hubs.connection_string(), two_more()),
        Settings {
            connect_timeout: Duration::from_millis(300),
            ..settings()
        },
    );
    let all = [message(1, 0), typed("one.x", 2, 0)];
    for outcome in deliver(&namespace.expect("a namespace"), &all).await {
        assert_eq!(reason(&outcome, "Down"), "the namespace did not respond within 300ms");
    }
}

//! Tests of `wearlab webhooks test` and `wearlab webhooks enable`.

use std::process::{Output, Stdio};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use wearlab_models::{Event, webhook};

use crate::fixture::{Fixture, TEAM, error};
use crate::webhooks::{LOOPBACK, Served, receiver_that, walk};

const TIMEOUT: Duration = Duration::from_secs(20);

/// Creates a fixture whose team has no pipeline, with an endpoint: its id and its secret.
fn endpoint(url: &str, more: &[&str]) -> (Fixture, String, String) {
    let fixture = Fixture::new();
    let world = crate::fixture::WORLD
        .lines()
        .filter(|line| !line.contains("\"pipeline\""));
    let output = fixture.import(&world.collect::<Vec<_>>().join("\n"), &[]);
    assert!(output.status.success(), "{}", error(&output));
    let message = fixture.says(&[&["webhooks", "add", url, "--team", TEAM][..], &LOOPBACK, more].concat());
    let (id, secret) = message.trim().split_once('\n').expect("two lines");
    let (id, secret) = (id.to_owned(), secret.to_owned());
    (fixture, id, secret)
}

fn test(fixture: &Fixture, id: &str) -> Output {
    fixture.run(&[&["webhooks", "test", id][..], &LOOPBACK].concat())
}

/// Returns the event of a request, and checks its signature.
fn verified(request: &str, secret: &str) -> Event {
    let (head, body) = request.split_once("\r\n\r\n").expect("a head and a body");
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    };
    let secret = secret.parse().expect("a secret");
    webhook::verify(header, body.as_bytes(), &secret, SystemTime::now()).expect("a signed event")
}

fn next(received: &Receiver<String>) -> String {
    received.recv_timeout(TIMEOUT).expect("a request")
}

#[test]
fn a_test_event_is_sent_at_once_and_is_in_no_log() {
    let (url, received) = receiver_that(&["204 No Content"]);
    // The test is sent whatever event types the endpoint receives.
    let (fixture, id, secret) = endpoint(&url, &["--event-type", "provider."]);
    let output = test(&fixture, &id);
    assert!(output.status.success(), "{}", error(&output));
    let message = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        message.starts_with("endpoint at 127.0.0.1: delivered, answered with a 2xx after "),
        "{message}"
    );
    assert!(
        message.ends_with(" ms\n") && error(&output).is_empty(),
        "{message}{}",
        error(&output)
    );

    let request = next(&received);
    let event = verified(&request, &secret);
    // Consumers handle it like any unknown type.
    let Event::Unknown(unknown) = &event else {
        panic!("{event:?}")
    };
    let json: Value = serde_json::from_str(unknown.json()).expect("JSON");
    let event_id = json["event_id"].as_str().expect("an id");
    assert_eq!(
        json,
        json!({"event_type": "webhook.test", "team_id": TEAM, "event_id": event_id, "data": {"webhook_id": id}})
    );
    assert!(
        request.to_lowercase().contains(&format!("webhook-id: {event_id}\r\n")),
        "{request}"
    );
    assert_eq!(fixture.says(&["events", "list"]).lines().count(), 1, "a head alone");
    assert_eq!(
        fixture.says(&["events", "undelivered"]).lines().count(),
        1,
        "a head alone"
    );

    // Signed with both secrets, while there are two; each test is another event.
    let rotated = fixture.says(&["webhooks", "rotate-secret", &id]);
    assert!(test(&fixture, &id).status.success());
    let request = next(&received);
    assert_eq!(verified(&request, &secret), verified(&request, rotated.trim()));
    assert!(!request.contains(event_id), "{request}");
}

#[test]
fn what_came_of_it_is_said_with_the_reason() {
    for (responses, message) in [
        (&["500 Internal Server Error"], "responded 500"),
        (
            &["429 Too Many Requests\r\nretry-after: 60"],
            "responded 429, and asked to wait until 20",
        ),
        (
            &["302 Found\r\nlocation: /elsewhere"],
            "responded 302: redirects are not followed",
        ),
        (
            &["410 Gone"],
            "responded 410, which disables an endpoint that is sent an event",
        ),
    ] {
        let (url, received) = receiver_that(responses);
        let (fixture, id, secret) = endpoint(&url, &[]);
        let output = test(&fixture, &id);
        assert!(!output.status.success(), "{responses:?}");
        let error = error(&output);
        assert!(
            error.starts_with("wearlab: endpoint at 127.0.0.1: not delivered after "),
            "{error}"
        );
        assert!(
            error.contains(&format!(" ms: {message}")) && error.lines().count() == 1,
            "{error}"
        );
        assert!(!error.contains("a-secret-path") && !error.contains(&secret), "{error}");
        verified(&next(&received), &secret);
        assert!(
            fixture.says(&["webhooks", "list"]).contains("enabled"),
            "a test disables nothing"
        );
    }

    let (url, _) = receiver_that(&["204 No Content"]);
    let (fixture, id, _) = endpoint(&url, &[]);
    // The settings allow neither http nor the network of this machine.
    let refused = fixture.run(&["webhooks", "test", &id]);
    let message = error(&refused);
    assert!(
        !refused.status.success() && message.contains("plain http needs the setting"),
        "{message}"
    );
    assert!(!message.contains("a-secret-path"), "{message}");
    for command in ["test", "enable"] {
        let unknown = fixture.run(&["webhooks", command, "wh_none"]);
        let message = error(&unknown);
        assert!(
            !unknown.status.success() && message.contains("see `wearlab webhooks list`"),
            "{message}"
        );
    }
}

#[test]
fn a_disabled_endpoint_is_tested_and_put_back_to_work() {
    let (url, received) = receiver_that(&["410 Gone", "410 Gone", "204 No Content"]);
    let (fixture, id, secret) = endpoint(&url, &[]);
    let mut serve = fixture.command(&["serve", "--listen", "127.0.0.1:0"]);
    let _served = Served(serve.args(LOOPBACK).stderr(Stdio::null()).spawn().expect("starts"));
    let arrives = |day| fixture.says(&["ingest", &fixture.file("arrivals.ndjson", &walk(day))]);
    arrives(1);
    let disabled = || fixture.says(&["webhooks", "list"]).contains("disabled");
    let patience = Instant::now() + TIMEOUT;
    while !disabled() {
        assert!(Instant::now() < patience, "it is never disabled");
        thread::sleep(Duration::from_millis(50));
    }
    let refused = verified(&next(&received), &secret);
    let output = test(&fixture, &id);
    let message = error(&output);
    assert!(
        !output.status.success() && message.contains("responded 410"),
        "{message}"
    );
    let note = format!(
        "the webhook is disabled (the endpoint responded 410 Gone): enable it with `wearlab webhooks enable {id}`"
    );
    assert!(message.contains(&note), "{message}");
    assert!(disabled(), "a test enables nothing");
    assert_eq!(verified(&next(&received), &secret).event_type(), "webhook.test");

    arrives(2);
    let refusal = fixture.run(&["webhooks", "enable", &id]);
    assert!(
        !refusal.status.success() && error(&refusal).contains("plain http"),
        "{}",
        error(&refusal)
    );
    assert!(disabled());
    for _ in 0..2 {
        assert_eq!(
            fixture.says(&[&["webhooks", "enable", &id][..], &LOOPBACK].concat()),
            ""
        );
        assert!(!disabled());
    }
    // The events that it missed.
    let missed = [next(&received), next(&received)].map(|request| verified(&request, &secret));
    assert!(missed.contains(&refused) && missed[0] != missed[1], "{missed:?}");
    assert!(
        missed
            .iter()
            .all(|event| event.event_type() == "daily.data.steps.created")
    );
    let output = test(&fixture, &id);
    assert!(
        output.status.success() && error(&output).is_empty(),
        "{}",
        error(&output)
    );
}

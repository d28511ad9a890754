//! Tests of `wearlab webhooks`, and of the webhooks of `wearlab serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fixture::{Fixture, TEAM, USER, error};

/// Service that ends with the test.
pub(crate) struct Served(pub(crate) Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) const LOOPBACK: [&str; 4] = [
    "--set",
    "webhooks.allow_http=true",
    "--set",
    "webhooks.allow_networks=127.0.0.0/8",
];

/// Responds to every request with 204, and passes on its header and body.
fn receiver() -> (String, Receiver<String>) {
    receiver_that(&["204 No Content"])
}

/// Responds to requests in this order, repeats the last response, and passes on their headers and bodies.
pub(crate) fn receiver_that(responses: &'static [&'static str]) -> (String, Receiver<String>) {
    let mut responses = responses
        .iter()
        .chain(std::iter::repeat(responses.last().expect("a response")));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/a-secret-path", listener.local_addr().expect("an address"));
    let (sent, received) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (String::new(), 0);
            while reader.read_line(&mut head).is_ok_and(|read| read > 2) {
                let line = head.lines().last().unwrap_or_default().to_lowercase();
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.trim().parse().expect("a number");
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let response = responses.next().expect("there is always one");
            let response = format!("HTTP/1.1 {response}\r\nconnection: close\r\n\r\n");
            reader.into_inner().write_all(response.as_bytes()).expect("writes");
            let body = String::from_utf8(body).expect("text");
            if sent.send(head + &body).is_err() {
                return;
            }
        }
    });
    (url, received)
}

/// Returns data of one day, as an arrival.
pub(crate) fn walk(day: u32) -> String {
    format!(
        r#"{{"data": {{"team_id": "{TEAM}", "user_id": "{USER}", "provider": "stridewell", "resource": "steps", "date": "2026-01-{day:02}", "data": [{{"timestamp": "2026-01-{day:02}T10:00:00Z", "value": {day}}}]}}}}"#
    )
}

/// Numbers that no binary floating-point number represents are distinguished, and sent unchanged.
#[test]
fn numbers_arrive_to_the_last_digit() {
    let fixture = Fixture::with_world();
    let pipeline = fixture.export();
    let pipeline = pipeline.lines().find(|line| line.starts_with("{\"pipeline\":"));
    let mut pipeline: Value = serde_json::from_str(pipeline.expect("a pipeline")).expect("JSON");
    let block = &mut pipeline["pipeline"];
    block["preferences"] = json!({"preferred": "svix", "enabled": ["svix"]});
    block["svix"] = json!({"regional": false});
    block["provider_raw_data"] = json!(true);
    block["push_historical_data"] = json!(true);
    assert!(fixture.import(&pipeline.to_string(), &[]).status.success());
    let (url, received) = receiver();
    let mut add = vec!["webhooks", "add", &url, "--team", TEAM];
    add.extend(LOOPBACK);
    fixture.says(&add);
    let numbers = [
        "18446744073709551617",
        "18446744073709551618",
        "18446744073709551700",
        "1e-400",
        "-1.10",
    ];
    let line = |more: &str| {
        format!(
            r#"{{"data": {{"team_id": "{TEAM}", "user_id": "{USER}", "provider": "stridewell", "resource": "unheard_of", "date": "2026-01-01", {more}}}}}"#
        )
    };
    let mut lines: Vec<_> = numbers
        .map(|n| line(&format!(r#""data": [{{"value": {n}}}], "raw": {{"n": [{n}]}}"#)))
        .into();
    lines.push(line(r#""data": [{"value": -1.1}], "raw": {"n": [-1.1000]}"#));
    let pull = numbers.map(|n| format!(r#"{{"value": {n}}}"#)).join(", ");
    lines.push(line(&format!(
        r#""data": [{pull}], "pull": {{"id": "p", "chunk": 1, "chunks": 1}}"#
    )));
    lines.push(line(r#""data": [{"value": 1e400}]"#));
    lines.push(line(r#""data": [{"value": "\ud800"}]"#));
    let output = fixture.run(&["ingest", &fixture.file("numbers.ndjson", &lines.join("\n"))]);
    let message = error(&output);
    assert!(
        message.contains("numbers.ndjson:8: data.data[0]: a number is beyond"),
        "{message}"
    );
    let counts = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        message.contains("numbers.ndjson:9: data.data[0]: invalid escape in a string: half of a surrogate pair"),
        "{message}"
    );
    assert_eq!(counts, "7 lines were accepted: data 6, known 1\n");
    let mut serve = fixture.command(&["serve", "--listen", "127.0.0.1:0"]);
    let _served = Served(serve.args(LOOPBACK).stderr(Stdio::null()).spawn().expect("starts"));
    let mut bodies = String::new();
    for _ in 0..=numbers.len() {
        bodies += &received.recv_timeout(Duration::from_secs(20)).expect("a webhook");
    }
    for n in numbers {
        for expected in [
            format!(r#""data":[{{"value":{n}}}]"#),
            format!(r#""raw":{{"n":[{n}]}}"#),
        ] {
            assert!(bodies.contains(&expected), "{expected}: {bodies}");
        }
    }
    let pull = numbers.map(|n| format!(r#"{{"value":{n}}}"#)).join(",");
    assert!(bodies.contains(&format!(r#""data":[{pull}]"#)), "{bodies}");
}

#[test]
fn what_is_ingested_arrives_signed() {
    let fixture = Fixture::with_world();
    // The team's pipeline sends only to a queue.
    let pipeline = fixture.export();
    let pipeline = pipeline
        .lines()
        .find(|line| line.starts_with("{\"pipeline\":"))
        .expect("a pipeline");
    fixture.file(
        "pipeline.ndjson",
        &pipeline
            .replace("[\"rabbitmq\"]", "[\"rabbitmq\",\"svix\"]")
            .replace("\"rabbitmq\":{", "\"svix\":{\"regional\":false},\"rabbitmq\":{"),
    );
    fixture.says(&[
        "import",
        &fixture.directory.path().join("pipeline.ndjson").display().to_string(),
    ]);
    let (url, received) = receiver();
    let mut add = vec!["webhooks", "add", &url, "--team", TEAM];
    add.extend(LOOPBACK);
    let message = fixture.says(&add);
    let (id, secret) = message.trim().split_once('\n').expect("two lines");
    assert!(id.starts_with("wh_") && secret.starts_with("whsec_"), "{message}");
    let mut serve = fixture.command(&["serve", "--listen", "127.0.0.1:0"]);
    let _served = Served(serve.args(LOOPBACK).stderr(Stdio::null()).spawn().expect("starts"));
    let arrivals = fixture.file("arrivals.ndjson", &format!("{}\n{}\n", walk(1), walk(2)));
    fixture.says(&["ingest", &arrivals]);
    for _ in 0..2 {
        let request = received.recv_timeout(Duration::from_secs(20)).expect("a webhook");
        assert!(request.contains("webhook-signature: v1,"), "{request}");
        assert!(
            request.contains("\"event_type\":\"daily.data.steps.created\""),
            "{request}"
        );
    }
    let list = fixture.says(&["webhooks", "list"]);
    assert!(list.contains(id) && list.contains("enabled"), "{list}");
    assert!(!list.contains("a-secret-path") && !list.contains(secret), "{list}");
    assert!(list.contains(" http://127.0.0.1:") && list.contains("/****"), "{list}");
    let rotated = fixture.says(&["webhooks", "rotate-secret", id]);
    assert!(rotated.starts_with("whsec_") && rotated.trim() != secret, "{rotated}");
    // The service sees it within a second; until then, only the old secret is valid.
    thread::sleep(Duration::from_secs(1));
    fixture.says(&["ingest", &fixture.file("more.ndjson", &walk(3))]);
    let request = received.recv_timeout(Duration::from_secs(20)).expect("a webhook");
    assert_eq!(request.matches("v1,").count(), 2, "signed with both secrets: {request}");
    let events = fixture.says(&["events", "list"]);
    let event = events
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().nth(1))
        .expect("an event");
    assert_eq!(fixture.says(&["events", "replay", event]), "");
    let request = received
        .recv_timeout(Duration::from_secs(20))
        .expect("the same webhook");
    assert!(request.contains(event), "{request}");
    // The delivery is recorded after the response.
    let delivered = || !fixture.says(&["events", "undelivered"]).contains(event);
    assert!(
        (0..100).any(|_| delivered() || {
            thread::sleep(Duration::from_millis(50));
            false
        }),
        "it is delivered"
    );
    assert_eq!(fixture.says(&["webhooks", "remove", id]), "");
    assert!(!fixture.says(&["webhooks", "list"]).contains(id));
}

#[test]
fn an_endpoint_that_cannot_be_is_refused() {
    let fixture = Fixture::with_world();
    for (url, team, message) in [
        ("http://hooks.example/", TEAM, "https"),
        ("https://127.0.0.1/", TEAM, "127.0.0.1"),
        ("nonsense", TEAM, "not a URL"),
        (
            "https://hooks.example/",
            "00000000-0000-0000-0000-000000000009",
            "there is no such team",
        ),
    ] {
        let output = fixture.run(&["webhooks", "add", url, "--team", team]);
        assert!(!output.status.success(), "{url}");
        assert!(error(&output).contains(message), "{url}: {}", error(&output));
    }
    let unknown = fixture.run(&["webhooks", "remove", "wh_none"]);
    assert!(!unknown.status.success() && error(&unknown).contains("see `wearlab webhooks list`"));
}

#[test]
fn an_event_is_made_up_for_a_consumer_to_try() {
    let fixture = Fixture::with_world();
    let before = fixture.export();
    for event_type in [
        "daily.data.steps.created",
        "historical.data.sleep_cycle.created",
        "provider.connection.created",
    ] {
        let id = fixture.says(&["trigger", event_type, "--team", TEAM, "--user", USER]);
        let event = fixture.says(&["events", "show", id.trim()]);
        assert!(
            event.contains(event_type) && event.contains(USER) && event.contains(id.trim()),
            "{event}"
        );
    }
    assert_eq!(fixture.export(), before, "nothing else changes");
    for (event_type, user, message) in [
        ("nonsense", USER, "event_type is an unknown event type"),
        (
            "daily.data.steps.created",
            TEAM,
            "failed to create the event: no such user",
        ),
    ] {
        let output = fixture.run(&["trigger", event_type, "--team", TEAM, "--user", user]);
        assert!(
            !output.status.success() && error(&output).contains(message),
            "{}",
            error(&output)
        );
    }
    assert_eq!(
        fixture.says(&["events", "list"]).lines().count(),
        4,
        "a head and three events"
    );
}

//! Tests of listings of deliveries, and of the retention of events.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use super::service::{Serving, TIMEOUT};
use crate::fixture::{Fixture, TEAM, USER, WORLD, error};

/// Settings that allow webhooks to this machine.
const LOOPBACK: [&str; 4] = [
    "--set",
    "webhooks.allow_http=true",
    "--set",
    "webhooks.allow_networks=127.0.0.0/8",
];

/// Returns data of one day, as an arrival.
fn walk(day: u32) -> String {
    format!(
        r#"{{"data": {{"team_id": "{TEAM}", "user_id": "{USER}", "provider": "stridewell", "resource": "steps", "date": "2026-01-{day:02}", "data": [{{"timestamp": "2026-01-{day:02}T10:00:00Z", "value": {day}}}]}}}}"#
    )
}

/// Polls until a condition holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < TIMEOUT, "{what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Creates a world whose team has no pipeline, so that no broker waits for its events.
fn without_pipeline() -> Fixture {
    let fixture = Fixture::new();
    let lines: Vec<&str> = WORLD.lines().filter(|line| !line.contains("\"pipeline\"")).collect();
    fixture.import(&lines.join("\n"), &[]);
    fixture
}

/// Returns the number of events in the log.
fn events(fixture: &Fixture) -> usize {
    fixture.says(&["events", "list"]).lines().count() - 1
}

#[test]
fn a_backlog_is_counted_by_team_and_kind() {
    let fixture = without_pipeline();
    // Nothing listens there.
    let url = "http://127.0.0.1:9/";
    let mut add = vec!["webhooks", "add", url, "--team", TEAM];
    add.extend(LOOPBACK);
    fixture.says(&add);
    fixture.says(&["ingest", &fixture.file("days", &format!("{}\n{}\n", walk(1), walk(2)))]);
    let serving = Serving::start(&fixture, &LOOPBACK);
    let metric = |name: &str| -> Option<f64> {
        let text = serving.probe("/metrics").body;
        let wanted = format!("wearlab_{name}{{team_id=\"{TEAM}\",kind=\"webhook\"}} ");
        text.lines().find_map(|line| line.strip_prefix(&wanted)?.parse().ok())
    };
    until("two attempts fail", || metric("delivery_failures_total") == Some(2.0));
    assert_eq!(metric("delivery_attempts_total"), Some(2.0));
    until("the backlog is measured", || metric("delivery_backlog") == Some(2.0));
    assert_eq!(metric("delivery_parked"), Some(0.0));
    assert!(metric("delivery_oldest_seconds").is_some_and(|age| age >= 0.0));
    assert_eq!(metric("delivery_up"), Some(0.0), "the endpoint refuses connections");
    let rows = undelivered(&fixture, &LOOPBACK);
    let event = rows.iter().find(|row| row["row"] == "event").expect("an event");
    assert_eq!(event["event_type"], "daily.data.steps.created");
    let destination = rows
        .iter()
        .find(|row| row["row"] == "destination")
        .expect("it is behind");
    assert_eq!(destination["state"], "down");
    assert!(
        (destination["reason"].as_str()).is_some_and(|reason| reason.contains("no connection")),
        "{destination}"
    );
    assert!(destination["since"].is_string(), "{destination}");
    let next = rows
        .iter()
        .filter(|row| row["row"] == "event")
        .filter_map(|row| row["next_attempt"].as_str());
    assert_eq!(
        destination["next_attempt"].as_str(),
        next.min(),
        "the first event that is sent again"
    );
}

/// Returns the rows of `wearlab events undelivered`.
fn undelivered(fixture: &Fixture, arguments: &[&str]) -> Vec<serde_json::Value> {
    let message = fixture.says(&[&["events", "undelivered", "--json"], arguments].concat());
    let rows = message.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().expect("JSON")
}

#[test]
fn a_destination_that_is_not_allowed_is_listed_with_the_reason() {
    let fixture = without_pipeline();
    fixture.says(
        &[
            &["webhooks", "add", "http://127.0.0.1:9/", "--team", TEAM],
            &LOOPBACK[..],
        ]
        .concat(),
    );
    let serving = Serving::start(&fixture, &LOOPBACK);
    fixture.says(&["ingest", &fixture.file("days", &format!("{}\n", walk(1)))]);
    let is = |arguments: &[&str], row: &str, state: &str| {
        undelivered(&fixture, arguments)
            .iter()
            .any(|found| found["row"] == row && found["state"] == state)
    };
    until("it is down", || is(&LOOPBACK, "destination", "down"));
    drop(serving);
    // Settings of this command report the same as a service with these settings.
    let rows = undelivered(&fixture, &[]);
    for row in &rows {
        assert_eq!(row["state"], "unusable", "{row}");
        assert!(row["next_attempt"].is_null(), "{row}");
    }
    let destination = rows
        .iter()
        .find(|row| row["row"] == "destination")
        .expect("it is behind");
    let reason = destination["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("webhook: "), "{reason}");
    assert!(is(&LOOPBACK, "event", "waiting"));
}

#[test]
fn events_of_a_disabled_endpoint_have_no_next_attempt() {
    let fixture = without_pipeline();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        let statuses = std::iter::once("500 Internal Server Error").chain(std::iter::repeat("410 Gone"));
        for (stream, status) in listener.incoming().map_while(Result::ok).zip(statuses) {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 65_536]);
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
        }
    });
    fixture.says(&[&["webhooks", "add", &url, "--team", TEAM], &LOOPBACK[..]].concat());
    let _serving = Serving::start(&fixture, &LOOPBACK);
    fixture.says(&["ingest", &fixture.file("days", &format!("{}\n", walk(1)))]);
    let has = |row: &str, state: &str| {
        undelivered(&fixture, &LOOPBACK)
            .iter()
            .any(|found| found["row"] == row && found["state"] == state)
    };
    until("the first attempt fails", || has("event", "waiting"));
    fixture.says(&["ingest", &fixture.file("days", &format!("{}\n", walk(2)))]);
    until("it is disabled", || has("destination", "disabled"));
    let rows = undelivered(&fixture, &LOOPBACK);
    let mut events = rows.iter().filter(|row| row["row"] == "event").peekable();
    assert!(events.peek().is_some(), "{rows:?}");
    for event in events {
        assert_eq!(event["state"], "disabled", "{event}");
        assert!(event["next_attempt"].is_null(), "{event}");
    }
}

#[test]
fn events_are_kept_as_long_as_the_settings_say() {
    let fixture = without_pipeline();
    let began = Instant::now();
    fixture.says(&["ingest", &fixture.file("days", &format!("{}\n{}\n", walk(1), walk(2)))]);
    assert_eq!(events(&fixture), 2);
    // Retention counts the time that processes run; it is after both events once one ran for as long as the ingest took.
    let serving = Serving::start(&fixture, &[]);
    thread::sleep(began.elapsed());
    let (status, _) = serving.terminate();
    assert!(status.success());
    assert_eq!(events(&fixture), 2, "they are young");
    let _serving = Serving::start(&fixture, &["--set", "events.keep=0s"]);
    until("none is left", || events(&fixture) == 0);
}

#[test]
fn a_destination_that_is_down_is_listed_with_its_backlog_and_the_reason() {
    // Nothing listens at the broker of the world's pipeline.
    let fixture = Fixture::with_world();
    let undelivered = |arguments: &[&str]| undelivered(&fixture, arguments);
    assert!(undelivered(&[]).is_empty());
    // The destination must exist before the events.
    let serving = Serving::start(&fixture, &[]);
    fixture.says(&["ingest", &fixture.file("days", &format!("{}\n{}\n", walk(1), walk(2)))]);
    until("it is down", || {
        undelivered(&[]).iter().any(|row| row["state"] == "down")
    });
    let rows = undelivered(&["--team", TEAM]);
    assert_eq!(rows.len(), 1, "no event has a failed delivery of its own: {rows:?}");
    let row = &rows[0];
    assert_eq!((&row["row"], &row["kind"]), (&"destination".into(), &"rabbitmq".into()));
    assert_eq!((&row["backlog"], &row["parked"]), (&2.into(), &0.into()));
    assert!(
        row["oldest"].is_string() && row["oldest_seconds"].is_i64() && row["next_attempt"].is_string(),
        "{row}"
    );
    let reason = row["reason"].as_str().expect("a reason").to_owned();
    assert!(!reason.is_empty() && !reason.contains("hushhush"), "{reason}");
    drop(serving);
    // The same while nothing delivers.
    let message = fixture.says(&["events", "undelivered"]);
    let line = message.lines().last().expect("a line");
    assert!(
        line.starts_with(TEAM) && line.contains(" down ") && line.ends_with(&reason),
        "{message}"
    );
    let unknown = fixture.run(&["events", "undelivered", "--team", USER]);
    assert!(error(&unknown).contains("there is no such team"), "{}", error(&unknown));
}

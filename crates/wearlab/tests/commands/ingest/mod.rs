//! Tests of `wearlab ingest`: accepted and rejected lines. Streams have a file of their own.

mod notes;
mod remote;
mod replaced;
mod streams;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};
use wearlab_store::{EventFilter, LoggedEvent, Store};

pub(crate) use self::streams::{many, send_from};
use crate::fixture::{Fixture, TEAM, USER, error};

pub(crate) fn data(more: Value) -> String {
    let mut fields = json!({"team_id": TEAM, "user_id": USER, "provider": "stridewell", "resource": "steps",
        "date": "2026-05-01", "data": [sample(1)]});
    let Value::Object(more) = more else { panic!("an object") };
    fields.as_object_mut().expect("an object").extend(more);
    format!("{}\n", json!({ "data": fields }))
}

/// Returns a value of steps.
pub(crate) fn sample(value: usize) -> Value {
    json!({"timestamp": "2026-05-01T10:00:00Z", "value": value})
}

fn chunk(pull: usize, chunk: usize, chunks: usize) -> String {
    let id = format!("pull-{pull}");
    let at = format!("2026-05-01T{:02}:{:02}:{chunk:02}Z", pull / 60, pull % 60);
    let pull = json!({"id": id, "chunk": chunk, "chunks": chunks});
    let value = json!({"timestamp": at, "value": chunk, "of": id});
    data(json!({"data": [value], "pull": pull}))
}

fn log(fixture: &Fixture) -> Vec<LoggedEvent> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let store = Store::open(&fixture.data()).expect("opens");
    runtime
        .block_on(store.events(&EventFilter::default(), usize::MAX))
        .expect("reads")
}

/// Returns the type of each event, and its values.
pub(crate) fn logged(fixture: &Fixture) -> Vec<(String, Value)> {
    let values = |event: &LoggedEvent| {
        let payload: Value = serde_json::from_slice(event.payload.as_bytes()).expect("JSON");
        payload["data"]["data"].clone()
    };
    log(fixture)
        .iter()
        .map(|event| (event.event_type.clone(), values(event)))
        .collect()
}

pub(crate) fn piped(mut command: Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

/// Ingests lines from standard input.
pub(crate) fn ingest(fixture: &Fixture, lines: &str, arguments: &[&str]) -> Output {
    let mut child = piped(fixture.command(&[&["ingest", "-"], arguments].concat()));
    let mut stdin = child.stdin.take().expect("piped");
    let lines = lines.to_owned();
    let writer = thread::spawn(move || {
        // It may exit before it has read everything.
        let _ = stdin.write_all(lines.as_bytes());
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    output
}

/// Returns the numbers of the acknowledged lines, as they come.
pub(crate) fn acks(child: &mut Child) -> mpsc::Receiver<usize> {
    let (sender, receiver) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().expect("piped"));
    thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let ack: Value = serde_json::from_str(&line).expect("a line of JSON");
            assert_eq!(ack["input"], "stdin");
            let line = ack["line"].as_u64().and_then(|line| usize::try_from(line).ok());
            if sender.send(line.expect("a number")).is_err() {
                return;
            }
        }
    });
    receiver
}

#[test]
fn what_arrives_shows_at_once_and_is_counted() {
    let fixture = Fixture::with_world();
    let provider = json!({"name": "Pulsely", "slug": "pulsely", "logo": "", "status": "connected",
        "created_on": "2026-02-01T00:00:00Z", "resource_availability": {}});
    let about = |kind: &str, mut fields: Value| {
        fields["team_id"] = json!(TEAM);
        fields["user_id"] = json!(USER);
        format!("{}\n", json!({ kind: fields }))
    };
    let device = json!({"id": "00000000-0000-0000-0000-000000000071", "user_id": USER, "provider": "pulsely", "source_type": "ring"});
    let lines = [
        about("connection_made", json!({ "provider": provider })),
        data(json!({"provider": "pulsely", "resource": "heartrate"})),
        data(json!({})),
        data(json!({})),
        data(json!({"data": [sample(2)]})),
        chunk(1, 2, 2),
        chunk(1, 1, 2),
        format!("{}\n", json!({"device": {"team_id": TEAM, "device": device}})),
        about(
            "connection_failed",
            json!({"provider": "pulsely", "error_details": {"error_type": "revoked"}}),
        ),
        about("connection_ended", json!({"provider": "stridewell"})),
    ];
    let schema: Value = {
        let output = Command::new(env!("CARGO_BIN_EXE_wearlab"))
            .args(["schema", "ingest"])
            .output();
        serde_json::from_slice(&output.expect("the binary runs").stdout).expect("JSON")
    };
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    for line in &lines {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert!(schema.is_valid(&line), "{line}");
    }
    assert!(!schema.is_valid(&json!({"planet": {}})) && !schema.is_valid(&json!({"data": {}})));

    let file = fixture.file("arrivals.ndjson", &lines.concat());
    let message = fixture.says(&["ingest", &file]);
    let counts = "connection_ended 1, connection_failed 1, connection_made 1, data 5, device 1, known 1";
    assert_eq!(message, format!("10 lines were accepted: {counts}\n"));
    let types = [
        "provider.connection.created",
        "daily.data.heartrate.created",
        "daily.data.steps.created",
        "daily.data.steps.updated",
        "historical.data.steps.created",
        "provider.connection.error",
    ];
    assert_eq!(
        logged(&fixture)
            .iter()
            .map(|event| event.0.as_str())
            .collect::<Vec<_>>(),
        types
    );
    let shown = fixture.export();
    let connections: Vec<_> = shown
        .lines()
        .filter(|line| line.starts_with("{\"connection\""))
        .collect();
    assert!(
        connections.len() == 1 && connections[0].contains("\"status\":\"error\""),
        "{connections:?}"
    );
    assert!(connections[0].contains("\"heartrate\":{\"status\":\"available\"") && connections[0].contains("revoked"));
    assert!(shown.contains("000000000071"), "{shown}");

    let list = fixture.says(&["events", "list"]);
    assert!(
        list.lines().skip(1).zip(types).all(|(line, kind)| line.ends_with(kind)),
        "{list}"
    );
    let event = &log(&fixture)[0];
    let json: Value = serde_json::from_str(&fixture.says(&["events", "show", &event.event_id])).expect("JSON");
    assert_eq!(json["data"]["user_id"], USER);
    let none = fixture.run(&["events", "show", "evt_none"]);
    assert!(!none.status.success() && error(&none).contains("there is no event \"evt_none\""));
}

#[test]
fn bad_lines_are_reported_with_their_position_and_without_values() {
    let fixture = Fixture::with_world();
    let secret = "hush-4711";
    let stage = json!({"start": "2026-05-01T22:00:00Z", "end": secret, "stage": "deep"});
    let cycle = json!({"note": secret, "session_start": "2026-05-01T22:00:00Z", "session_end": "2026-05-02T06:00:00Z",
        "hypnogram": [stage]});
    let bad = [
        "{\"data\": \n".to_owned(),
        data(json!({"date": secret})),
        data(json!({"data": secret})),
        data(json!({"provider": secret})),
        data(json!({"sauce": {secret: 1}})),
        data(json!({"source": {"app_id": 4711}})),
        data(json!({"resource": format!("steps.{secret}")})),
        data(json!({"resource": "sleep_cycle", "data": [cycle]})),
        data(json!({"pull": {"id": secret, "chunk": 2, "chunks": 1}})),
        data(json!({"user_id": "00000000-0000-0000-0000-0000000004711"})),
        "{\"planet\": {}}\n".to_owned(),
    ];
    let lines = format!("{}\n{}", bad.concat(), data(json!({})));
    let output = ingest(&fixture, &lines, &[]);
    assert!(!output.status.success());
    let message = error(&output);
    for expected in [
        "stdin:1: not JSON from column 8 on",
        "stdin:2: data.date: expected a date or time of ISO 8601",
        "stdin:3: data.data: expected a list",
        "stdin:4: data: there is no such connection between the user and the provider",
        "stdin:5: data: unknown field at column ",
        "stdin:6: data.source.app_id: expected a string",
        "stdin:7: data.resource: expected a name of letters, digits, _ and -",
        "stdin:8: data.data[0].hypnogram[0].end: expected a date or time of ISO 8601",
        "stdin:9: data.pull.chunk: the number of the chunk is not from 1 to that of the chunks",
        "stdin:10: data.user_id: expected a UUID",
        "stdin:11: unknown kind; expected one of data, data_deleted, connection_made",
        "11 lines were rejected",
    ] {
        assert!(message.contains(expected), "no {expected:?} in\n{message}");
    }
    assert!(!message.contains("4711"), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 line was accepted: data 1\n");
    assert_eq!(log(&fixture).len(), 1);
}

#[test]
fn a_bad_line_among_good_ones_takes_back_itself_alone() {
    let fixture = Fixture::with_world();
    let of = |date: &str| json!({"timestamp": format!("{date}T10:00:00Z"), "value": 1, "of": date});
    let days = ["2026-05-01", "2026-05-02", "2026-05-03"].map(|date| data(json!({"date": date, "data": [of(date)]})));
    let [first, second, third] = days;
    // It conflicts with the store alone: the line before it is already written.
    let stranger = data(json!({"provider": "pulsely"}));
    let output = ingest(&fixture, &[first, stranger, second, third].concat(), &["--acks"]);
    let message = error(&output);
    let refused = "stdin:2: data: there is no such connection between the user and the provider";
    assert_eq!(message.matches(refused).count(), 1, "{message}");
    assert!(message.contains("3 lines were accepted: data 3"), "{message}");
    let acks = String::from_utf8_lossy(&output.stdout);
    let last = acks
        .lines()
        .last()
        .and_then(|line| serde_json::from_str::<Value>(line).ok());
    assert_eq!(last.expect("an ack")["line"], 4);
    let values: Vec<_> = logged(&fixture)
        .into_iter()
        .map(|(_, values)| values[0]["of"].clone())
        .collect();
    assert_eq!(values, ["2026-05-01", "2026-05-02", "2026-05-03"]);
}

/// Times of data are in the user's time zone. The time of a connection must have an offset.
#[test]
fn times_of_data_need_no_offset() {
    let fixture = Fixture::with_world();
    let cycle = json!({"session_start": "2026-03-28T23:00:00", "session_end": "2026-03-29T02:30:00",
        "hypnogram": []});
    let provider = json!({"name": "Pulsely", "slug": "pulsely", "logo": "", "status": "connected",
        "created_on": "2026-02-01T00:00:00", "resource_availability": {}});
    let made = json!({"connection_made": {"team_id": TEAM, "user_id": USER, "provider": provider}});
    let lines = format!("{made}\n{}", data(json!({"resource": "sleep_cycle", "data": [cycle]})));
    let output = ingest(&fixture, &lines, &[]);
    let message = error(&output);
    let refused = "stdin:1: connection_made.provider.created_on: expected a date or time of ISO 8601";
    assert!(
        message.contains(refused) && message.contains("1 line was rejected"),
        "{message}"
    );
    let logged = logged(&fixture);
    assert_eq!(logged[0].1[0]["session_start"], "2026-03-28T23:00:00+01:00");
    assert_eq!(logged[0].1[0]["session_end"], "2026-03-29T03:30:00+02:00");
}

#[test]
fn what_bounds_drop_is_counted() {
    let fixture = Fixture::with_world();
    let shown = fixture.export();
    let user = shown
        .lines()
        .find(|line| line.starts_with("{\"user\""))
        .expect("a user");
    let bounded = user.replacen("{\"user\":{", "{\"user\":{\"ingestion_start\":\"2026-05-01\",", 1);
    assert!(fixture.import(&bounded, &[]).status.success());
    let lines = data(json!({"date": "2026-04-30"})) + &data(json!({}));
    let output = ingest(&fixture, &lines, &[]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "2 lines were accepted: data 1, out_of_bounds 1\n"
    );
    // Standard output is for acknowledgements here, too.
    let output = ingest(&fixture, &lines, &["--acks"]);
    assert!(output.status.success());
    assert_eq!(
        error(&output),
        "wearlab: 2 lines were accepted: known 1, out_of_bounds 1\n"
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).lines().last(),
        Some(r#"{"input":"stdin","line":2}"#)
    );
}

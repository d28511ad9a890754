//! Tests of the service and the ingest on PostgreSQL whose server is down at the start, or paused later.
//!
//! `WEARLAB_POSTGRES_SERVER` is the script that starts and stops servers; each test has one of its own.
#![cfg(unix)]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Output;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::database_server::Database;
use super::service::{RawResponse, Serving, TIMEOUT, refused};
use crate::fixture::{TEAM, error};
use crate::ingest::{acks, data, piped};

const KEY: (&str, &str) = ("x-service-api-key", "wl_team_first");
const USERS: &str = "/v2/user/";

fn assert_unavailable(response: &RawResponse) {
    assert_eq!(response.status, 503, "{}", response.body);
    let head = response.head.to_lowercase();
    assert!(
        head.contains("\nretry-after: ") && head.contains("application/problem+json"),
        "{head}"
    );
    assert_eq!(response.json()["status"], 503);
}

/// Waits until a response has a status.
fn until(serving: &Serving, path: &str, status: u16) {
    let since = Instant::now();
    loop {
        let response = serving.get(path, &[KEY]);
        if response.status == status {
            return;
        }
        assert!(
            since.elapsed() < TIMEOUT,
            "{path} is still {}: {}",
            response.status,
            serving.log()
        );
        thread::sleep(Duration::from_millis(50));
    }
}

/// Starts a receiver of webhooks, which reports each delivery.
fn receiver() -> (String, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let (came, comes) = mpsc::channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 65_536];
            let read = stream.read(&mut request);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            if read.is_ok_and(|read| read > 0) && came.send(()).is_err() {
                return;
            }
        }
    });
    (url, comes)
}

const LOOPBACK: [&str; 4] = [
    "--set",
    "webhooks.allow_http=true",
    "--set",
    "webhooks.allow_networks=127.0.0.0/8",
];

#[test]
#[ignore = "needs PostgreSQL"]
fn a_service_whose_database_is_away_starts_and_waits_for_it() {
    let database = Database::with_world();
    let (url, comes) = receiver();
    database.says(&[&["webhooks", "add", &url, "--team", TEAM][..], &LOOPBACK].concat());
    database.server("kill");

    let serving = Serving::of(database.serve(&LOOPBACK));
    assert_unavailable(&serving.probe("/readyz"));
    assert_unavailable(&serving.get(USERS, &[KEY]));
    assert_unavailable(&serving.get("/v2/providers", &[KEY]));
    assert_eq!(serving.get(USERS, &[]).status, 401, "what needs no store is answered");
    assert_eq!(serving.probe("/livez").status, 200);
    thread::sleep(Duration::from_secs(1));
    assert_unavailable(&serving.probe("/readyz"));

    database.server("start");
    until(&serving, "/readyz", 200);
    assert_eq!(serving.get(USERS, &[KEY]).json()["total"], 1);
    // Events are sent, too.
    let mut child = piped(database.command(&["ingest", "-"]));
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(data(json!({})).as_bytes())
        .expect("writes");
    assert!(child.wait().expect("it ends").success());
    comes.recv_timeout(TIMEOUT).expect("a webhook");
    let (status, log) = serving.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(
        log.contains("database unavailable: retrying") && log.contains("connected to the database"),
        "{log}"
    );
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_signal_ends_at_once_what_waits_for_its_database() {
    let database = Database::new();
    for away in ["kill", "pause"] {
        database.server(away);
        let serving = Serving::of(database.serve(&[]));
        assert_unavailable(&serving.probe("/readyz"));
        let since = Instant::now();
        let (status, log) = serving.terminate();
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(
            since.elapsed() < Duration::from_secs(3),
            "{away}: {:?}",
            since.elapsed()
        );
        if away == "kill" {
            database.server("start");
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_does_not_pass_ends_a_service() {
    let database = Database::new();
    let url = database.url();
    let (before, rest) = url.split_once("wearlab:").expect("a user");
    let (_, at) = rest.split_once('@').expect("a host");
    let cases = [
        (
            format!("{before}wearlab:hunter2@{at}"),
            "password authentication failed",
        ),
        (
            url.replace("/postgres?", "/nowhere?"),
            "database \"nowhere\" does not exist",
        ),
        (
            format!("{url}&options=-c%20search_path%3Dpg_catalog"),
            "not a Wearlab store",
        ),
    ];
    for (url, why) in cases {
        let (status, message) = refused(Database::serve_at(&url, &[]));
        assert_eq!(status.code(), Some(1), "{message}");
        assert!(
            message.contains("failed to open the store at postgres://127.0.0.1:") && message.contains(why),
            "{message}"
        );
        assert!(
            !message.contains("listening") && !message.contains("hunter2"),
            "{message}"
        );
    }
    // This is detected only once the database is available.
    database.server("kill");
    let serving = Serving::of(Database::serve_at(&url.replace("/postgres?", "/nowhere?"), &[]));
    assert_unavailable(&serving.probe("/readyz"));
    database.server("start");
    let (status, log) = serving.ended();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("database \"nowhere\" does not exist"), "{log}");

    let limit = ["--set", "database.statement_timeout=0s"];
    let (status, message) = refused(database.serve(&limit));
    assert!(
        status.code() == Some(1) && message.contains("database.statement_timeout"),
        "{message}"
    );
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_that_stands_still_holds_up_nobody_beyond_the_limits() {
    let database = Database::with_world();
    let limits = ["--set", "http.timeouts.handler=3s", "--set", "http.timeouts.drain=5s"];
    let serving = Serving::of(database.serve(&limits));
    // As many connections as allowed.
    let ask_often = || {
        thread::scope(|scope| {
            let asking: Vec<_> = (0..24).map(|_| scope.spawn(|| serving.get(USERS, &[KEY]))).collect();
            asking
                .into_iter()
                .map(|asking| asking.join().expect("a response"))
                .collect::<Vec<_>>()
        })
    };
    ask_often();

    database.server("pause");
    let since = Instant::now();
    ask_often().iter().for_each(assert_unavailable);
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    // While other requests wait.
    thread::scope(|scope| {
        scope.spawn(ask_often);
        thread::sleep(Duration::from_millis(200));
        let since = Instant::now();
        assert_unavailable(&serving.probe("/readyz"));
        assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
        assert_eq!(serving.probe("/livez").status, 200);
    });

    database.server("resume");
    until(&serving, "/readyz", 200);
    // New connections may take longer than the timeout of a request, if all are made at the same time.
    let since = Instant::now();
    loop {
        let responses = ask_often();
        let good = responses.iter().filter(|response| response.status == 200);
        good.clone()
            .for_each(|response| assert_eq!(response.json()["total"], 1, "{}", response.body));
        if good.count() == responses.len() {
            break;
        }
        assert!(since.elapsed() < TIMEOUT, "{}", serving.log());
    }

    database.server("pause");
    let address = serving.address.clone();
    let asking = thread::spawn(move || super::service::get(&address, USERS, &[KEY]));
    thread::sleep(Duration::from_millis(200));
    let since = Instant::now();
    let (status, log) = serving.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    assert_unavailable(&asking.join().expect("a response"));
}

/// Ingests one line at a time, and returns the exit status and the acknowledged lines. The server pauses before the
/// second line.
fn ingest_across_a_pause(database: &Database, lines: [&str; 2]) -> (Output, Vec<usize>) {
    let limit = ["--set", "database.statement_timeout=1s"];
    let mut child = piped(database.command(&[&["ingest", "-", "--acks"][..], &limit].concat()));
    let acks = acks(&mut child);
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(lines[0].as_bytes()).expect("writes");
    assert_eq!(acks.recv_timeout(TIMEOUT), Ok(1));
    database.server("pause");
    let since = Instant::now();
    stdin.write_all(lines[1].as_bytes()).expect("writes");
    // It exits although its input stays open.
    let output = child.wait_with_output().expect("it ends");
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
    drop(stdin);
    database.server("resume");
    (output, acks.iter().collect())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_ingest_whose_database_stands_still_fails_and_may_be_repeated() {
    let database = Database::with_world();
    let lines = ["2026-05-01", "2026-05-02"].map(|date| {
        let value = json!({"timestamp": format!("{date}T10:00:00Z"), "value": 1});
        data(json!({"date": date, "data": [value]}))
    });
    let (output, further) = ingest_across_a_pause(&database, lines.each_ref().map(String::as_str));
    assert_eq!(output.status.code(), Some(1));
    let message = error(&output);
    assert!(
        message.contains("failed to reach the store's database") && message.contains("no response in time"),
        "{message}"
    );
    assert!(further.is_empty(), "{further:?}");
    // Its input may still be open when it is started again.
    let since = Instant::now();
    while database
        .command(&["events", "list"])
        .output()
        .is_ok_and(|output| !output.status.success())
    {
        assert!(since.elapsed() < TIMEOUT, "it goes on");
    }
    let mut child = piped(database.command(&["ingest", "-", "--acks"]));
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(lines.concat().as_bytes())
        .expect("writes");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(database.events(), ["daily.data.steps.created"; 2], "each once");
}

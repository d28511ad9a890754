//! Tests of senders over HTTP while the server of the database is killed.
#![cfg(unix)]

use std::io::Write;
use std::sync::mpsc;
use std::thread;

use serde_json::json;

use super::database_server::Database;
use super::service::{Serving, TIMEOUT};
use crate::fixture::{TEAM, error};
use crate::ingest::{acks, data, piped};

/// Connections stay open or are made again, while the server of the database is killed and restarted.
#[test]
#[ignore = "needs PostgreSQL"]
fn sixteen_senders_over_http_lose_nothing_and_repeat_nothing() {
    const SENDERS: usize = 16;
    const LINES: usize = 120;
    let database = Database::with_world();
    let key = json!({"key": {"team_id": TEAM, "key": "wl_team_that_takes_lines", "scopes": ["ingest"]}});
    let mut import = piped(database.command(&["import", "-"]));
    let mut stdin = import.stdin.take().expect("piped");
    stdin.write_all(format!("{key}\n").as_bytes()).expect("writes");
    drop(stdin);
    assert!(import.wait().expect("it ends").success());

    let serving = Serving::of(database.serve(&[]));
    let url = format!("http://{}", serving.management);
    let (came, comes) = mpsc::channel();
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let arguments = ["ingest", "-", "--acks", "--retries", "40", "--base-url", &url];
            let mut command = Database::command_at("", &arguments);
            command.env_remove("WEARLAB_DATABASE__URL");
            command.env("WEARLAB_API_KEY", "wl_team_that_takes_lines");
            let mut child = piped(command);
            let (acks, came) = (acks(&mut child), came.clone());
            let counting = thread::spawn(move || {
                let seen = acks.iter().inspect(|_| came.send(()).unwrap_or_default());
                seen.collect::<Vec<_>>()
            });
            let mut stdin = child.stdin.take().expect("piped");
            let writing = thread::spawn(move || {
                for number in 0..LINES {
                    // Each line has a time of its own.
                    let at = format!("2026-05-{:02}T{:02}:{:02}:00Z", sender + 1, number / 60, number % 60);
                    let values = json!([{"timestamp": at, "value": number}]);
                    let date = format!("2026-05-{:02}", sender + 1);
                    let line = data(json!({"date": date, "data": values, "arrival_id": at}));
                    stdin.write_all(line.as_bytes()).expect("writes");
                }
            });
            (child, counting, writing)
        })
        .collect();
    for _ in 0..SENDERS * LINES / 4 {
        comes.recv_timeout(TIMEOUT).expect("acknowledged");
    }
    database.server("kill");
    database.server("start");
    for (child, counting, writing) in senders {
        writing.join().expect("no panic");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", error(&output));
        assert_eq!(counting.join().expect("no panic").last(), Some(&LINES));
    }
    let (status, log) = serving.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(database.events().len(), SENDERS * LINES);
    let exported = database.says(&["export"]);
    assert_eq!(exported.matches("\"timestamp\"").count(), SENDERS * LINES);
}

//! Tests of a service whose standard error is not read, or fails: it serves and ends as usual.
#![cfg(unix)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use super::service::{Serving, TIMEOUT, ended, get};
use crate::fixture::Fixture;

/// Sends requests until the metrics report dropped lines.
fn log_too_much(serving: &Serving) {
    let before = dropped(serving);
    let begun = std::time::Instant::now();
    loop {
        let mut stream = TcpStream::connect(&serving.address).expect("a connection");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
        let mut requests = "GET /livez HTTP/1.1\r\nhost: h\r\n\r\n".repeat(999);
        requests.push_str("GET /livez HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
        let mut writer = stream.try_clone().expect("a handle");
        let writing = std::thread::spawn(move || writer.write_all(requests.as_bytes()));
        let mut received = String::new();
        stream
            .read_to_string(&mut received)
            .expect("it serves although nobody reads its log");
        writing.join().expect("no panic").expect("it is sent");
        assert_eq!(received.matches("alive").count(), 1000);
        if dropped(serving) > before {
            return;
        }
        assert!(begun.elapsed() < 4 * TIMEOUT, "nothing is dropped");
    }
}

fn dropped(serving: &Serving) -> u64 {
    let metrics = serving.probe("/metrics").body;
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix("wearlab_log_lines_dropped_total "));
    line.expect("it is counted").parse().expect("a number")
}

#[test]
fn a_pipe_that_nobody_reads_holds_up_nothing_and_tells_what_it_missed() {
    let fixture = Fixture::with_world();
    let mut serving = Serving::start(&fixture, &["--set", "log.filter=trace"]);
    let pause = serving.stop_reading();
    log_too_much(&serving);
    // Once it is read again, the log reports the dropped lines in its own format.
    drop(pause);
    serving.wait_for_log("log lines were dropped");
    let log = serving.log();
    let line = log
        .lines()
        .find(|line| line.contains("log lines were dropped"))
        .expect("the line");
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert!(line["lines"].as_u64() > Some(0), "{line}");

    let pause = serving.stop_reading();
    log_too_much(&serving);
    serving.signal("TERM");
    let status = ended(serving.child());
    assert_eq!(status.code(), Some(0), "the end does not wait for who does not read");
    drop(pause);
}

#[cfg(target_os = "linux")]
#[test]
fn standard_error_that_fails_loses_lines_and_nothing_else() {
    let fixture = Fixture::with_world();
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        free.local_addr().expect("an address").to_string()
    };
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    let mut command = fixture.command(&["serve", "--listen", &port]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(full)
        .spawn()
        .expect("the binary starts");
    let begun = std::time::Instant::now();
    while TcpStream::connect(&port).is_err() {
        assert!(begun.elapsed() < TIMEOUT, "it listens");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(get(&port, "/livez", &[]).status, 200);
    while get(&port, "/metrics", &[])
        .body
        .contains("wearlab_log_lines_dropped_total 0\n")
    {
        assert!(begun.elapsed() < TIMEOUT, "dropped lines are counted");
    }
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(ended(&mut child).code(), Some(0));
}

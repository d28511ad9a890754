//! Tests of the limit of connections, and the open files that it needs.
#![cfg(target_os = "linux")]

use std::net::TcpStream;

use super::service::{Serving, command, refused, within_shell};
use crate::fixture::Fixture;

/// Returns the soft limit of open files of a process.
fn open_files(id: u32) -> u64 {
    let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).expect("Linux has it");
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .expect("a limit");
    line.split_whitespace()
        .nth(3)
        .expect("the soft one")
        .parse()
        .expect("a number")
}

fn started(fixture: &Fixture, arguments: &[&str], limit: &str) -> Serving {
    Serving::of(within_shell(&command(fixture, arguments), limit))
}

#[test]
fn the_soft_limit_of_open_files_is_raised_to_what_connections_need() {
    let fixture = Fixture::with_world();
    let keys = fixture.file("secret.keys", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    let setting = format!("secret_key_file={keys}");
    let serving = started(&fixture, &["--set", &setting], "ulimit -Sn 200");
    assert!(open_files(serving.id()) > 1024);
    let (_, log) = serving.terminate();
    assert!(!log.contains("\"WARN\""), "{log}");
}

#[test]
fn a_hard_limit_that_is_too_low_is_reported_and_probes_are_answered_whoever_connects() {
    let fixture = Fixture::with_world();
    let serving = started(&fixture, &[], "ulimit -n 400");
    let idle: Vec<_> = (0..300)
        .map_while(|_| TcpStream::connect(&serving.address).ok())
        .collect();
    assert_eq!(serving.probe("/livez").status, 200);
    assert_eq!(
        serving
            .get("/v2/user/", &[("x-service-api-key", "wl_team_first")])
            .status,
        200
    );
    drop(idle);
    let (status, log) = serving.terminate();
    assert!(status.success());
    let warning = log
        .lines()
        .find(|line| line.contains("http.limits.connections is lowered"));
    let warning: serde_json::Value = serde_json::from_str(warning.expect("the warning is logged")).expect("JSON");
    assert_eq!(
        (&warning["configured"], &warning["connections"], &warning["allowed"]),
        (&1024.into(), &128.into(), &400.into())
    );
    assert!(log.contains("all connections are in use"), "{log}");
    assert!(!log.contains("cannot accept"), "{log}");

    let (status, message) = refused(within_shell(&command(&fixture, &[]), "ulimit -n 150"));
    assert_eq!(status.code(), Some(1));
    assert!(
        message.contains("http.limits.connections") && message.contains("ulimit -n"),
        "{message}"
    );
}

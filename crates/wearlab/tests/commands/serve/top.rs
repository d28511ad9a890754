//! Tests of `wearlab top --once` at a service.
#![cfg(feature = "top")]

use std::process::{Command, Output};

use super::service::{Serving, get};
use crate::fixture::{Fixture, TEAM, USER, error};

fn top(url: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    let command = command.args(["top", "--base-url", url, "--once"]);
    command.output().expect("the binary runs")
}

fn shown(output: &Output) -> String {
    assert!(output.status.success(), "{}", error(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn it_shows_what_the_service_does_and_has() {
    let fixture = Fixture::with_world();
    let created = fixture.says(&["keys", "create", "--team", TEAM, "--scope", "read,ingest"]);
    let key = created.trim();
    let serving = Serving::start(&fixture, &["--management-listen", "127.0.0.1:0"]);
    for _ in 0..3 {
        assert_eq!(serving.get("/v2/user/", &[("x-service-api-key", key)]).status, 200);
    }
    let url = format!("http://{}", serving.management);
    let line = format!(
        r#"{{"connection_made": {{"team_id": "{TEAM}", "user_id": "{USER}", "provider": {{"name": "Stridewell", "slug": "stridewell", "logo": "https://cdn.example.com/stridewell.svg", "status": "connected", "created_on": "2026-05-01T08:00:00Z", "resource_availability": {{}}}}}}}}"#
    );
    let lines = fixture.file("lines.ndjson", &format!("{line}\nno line\n"));
    let mut ingest = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    ingest.args(["ingest", &lines, "--base-url", &url]);
    ingest.env("WEARLAB_API_KEY", key).output().expect("the binary runs");

    let metrics = get(&serving.management, "/metrics", &[]).body;
    for sample in [
        "wearlab_intake_lines_total{outcome=\"accepted\"} 1\n",
        "wearlab_intake_lines_total{outcome=\"rejected\"} 1\n",
        "wearlab_events_last_number 1\n",
    ] {
        assert!(metrics.contains(sample), "{sample}: {metrics}");
    }
    let size = metrics
        .lines()
        .find_map(|line| line.strip_prefix("wearlab_store_size_bytes "));
    let size: u64 = size.expect("a size").parse().expect("a number");
    let files = ["wearlab.db", "wearlab.db-wal"].map(|name| fixture.data().join(name));
    assert!(files.iter().all(|file| file.exists()));
    assert!(size > 100_000, "{size}");

    let text = shown(&top(&url));
    let title = format!("wearlab {}, up ", env!("CARGO_PKG_VERSION"));
    assert!(
        text.starts_with(&title) && text.contains(&format!("at {url}\n")),
        "{text}"
    );
    let users = text
        .lines()
        .find(|line| line.starts_with("list_users "))
        .expect("a row");
    let cells: Vec<_> = users.split_whitespace().collect();
    assert_eq!(cells[..4], ["list_users", "0", "3", "0"], "{text}");
    assert!(cells[4].ends_with("ms"), "{text}");
    assert!(!text.contains("store -"), "{text}");
}

#[test]
fn a_service_that_is_not_there_is_an_error() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &["--management-listen", "127.0.0.1:0"]);
    let output = top(&format!("http://user:password@{}", serving.address));
    assert!(!output.status.success());
    assert!(
        error(&output).contains("/metrics is at the management address"),
        "{}",
        error(&output)
    );
    assert!(!error(&output).contains("password"), "{}", error(&output));
    let url = format!("http://{}", serving.management);
    drop(serving);
    let output = top(&url);
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(
        error(&output).starts_with("wearlab: cannot reach http://127.0.0.1:"),
        "{}",
        error(&output)
    );
    let mut interactive = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    let output = interactive
        .args(["top", "--base-url", &url])
        .output()
        .expect("the binary runs");
    assert!(error(&output).contains("--once"), "{}", error(&output));
}

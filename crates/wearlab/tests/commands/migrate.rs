//! Tests of `wearlab migrate`.

#[cfg(unix)]
pub(crate) mod killed;

use std::process::{Command, Output};

use serde_json::Value;

use crate::fixture::{Fixture, TEAM, USER, error};

/// Creates a `wearlab migrate` command with its URLs.
fn migrate(from: &str, to: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    command.args(["migrate", from, to]);
    command.env_remove("RUST_LOG").env_remove("WEARLAB_TEST_DATABASE");
    command
}

fn run(from: &str, to: &str) -> Output {
    migrate(from, to).output().expect("the binary runs")
}

fn sqlite(fixture: &Fixture) -> String {
    format!("sqlite:{}", fixture.data().display())
}

fn assert_fails(output: &Output, with: &str) {
    assert!(!output.status.success());
    let error = error(output);
    assert!(error.contains(with) && !error.contains("hushhush"), "{error}");
}

#[test]
fn a_store_is_moved_and_compared() {
    let (from, to) = (Fixture::with_world(), Fixture::new());
    let mut command = migrate(&sqlite(&from), &sqlite(&to));
    let output = command.arg("--json").output().expect("the binary runs");
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(to.export(), from.export());
    let lines = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let users = lines.iter().find(|line| line["table"] == "users").expect("the table");
    assert_eq!(users["source"], users["target"]);
    assert_eq!(users["source"]["rows"], 1);
    assert_eq!(users["source"]["sha256"].as_str().expect("a text").len(), 64);

    // Again, as after a kill -9 at the very end.
    assert!(run(&sqlite(&from), &sqlite(&to)).status.success());
    assert!(to.run(&["user", "delete", "--team", TEAM, USER]).status.success());
    assert_fails(&run(&sqlite(&from), &sqlite(&to)), "holds data already");
    assert_fails(&run(&sqlite(&from), &sqlite(&from)), "are the same");
    let other = Fixture::new();
    let output = run(&sqlite(&from), &sqlite(&other));
    let text = String::from_utf8(output.stdout).expect("text");
    let sum = users["source"]["sha256"].as_str().expect("a text");
    assert!(
        text.lines()
            .any(|line| line.starts_with("users ") && line.ends_with(sum)),
        "{text}"
    );
}

#[test]
fn a_store_in_use_is_not_moved() {
    let (from, to) = (Fixture::with_world(), Fixture::new());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let service = runtime.block_on(async { wearlab_store::Store::open(&from.data()).expect("a store") });
    assert_fails(&run(&sqlite(&from), &sqlite(&to)), "FROM is in use by another process");
    assert!(!to.data().join("wearlab.db").exists(), "nothing was begun");
    drop(service);
    let output = run(&sqlite(&from), &sqlite(&to));
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(to.export(), from.export());
}

#[test]
fn addresses_may_stand_in_the_environment() {
    let (from, to) = (Fixture::with_world(), Fixture::new());
    let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    command.arg("migrate").env("WEARLAB_MIGRATE_FROM", sqlite(&from));
    let output = command.output().expect("the binary runs");
    assert_fails(&output, "<TO>");
    let help = command
        .arg("--help")
        .env("WEARLAB_MIGRATE_TO", "postgres://me:hushhush@127.0.0.1/x");
    let help = String::from_utf8(help.output().expect("the binary runs").stdout).expect("text");
    assert!(
        help.contains("WEARLAB_MIGRATE_TO") && !help.contains("hushhush"),
        "{help}"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    command.arg("migrate").env("WEARLAB_MIGRATE_FROM", sqlite(&from));
    let output = command
        .env("WEARLAB_MIGRATE_TO", sqlite(&to))
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(to.export(), from.export());
    // Other commands ignore them.
    let mut command = to.command(&["export", "--with-secrets"]);
    let output = command
        .env("WEARLAB_MIGRATE_TO", "postgres://me:hushhush@127.0.0.1/x")
        .output();
    assert!(output.expect("the binary runs").status.success());
}

#[test]
fn what_cannot_be_moved_is_said_without_a_password() {
    let (from, empty) = (Fixture::with_world(), Fixture::new());
    let nowhere = "postgres://me:hushhush@127.0.0.1:1/name";
    assert_fails(&run(&sqlite(&from), nowhere), "postgres://127.0.0.1:1/name");
    assert_fails(&run(nowhere, &sqlite(&empty)), "postgres://127.0.0.1:1/name");
    assert_fails(
        &run(&sqlite(&from), "postgres://me:hushhush@127.0.0.1:port/name"),
        "its URL has an invalid port",
    );
    assert_fails(
        &run(&sqlite(&from), "mysql://me:hushhush@127.0.0.1/name"),
        "TO is not a store URL",
    );
    assert_fails(&run("me:hushhush", &sqlite(&empty)), "FROM is not a store URL");
    assert_fails(&run("sqlite:", &sqlite(&empty)), "FROM is not a store URL");
    assert_fails(
        &run("sqlite:/not/there", &sqlite(&empty)),
        "/not/there: there is no store in the directory",
    );
    assert!(!empty.data().join("wearlab.db").exists());
}

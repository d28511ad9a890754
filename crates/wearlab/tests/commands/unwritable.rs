//! Tests of commands whose output cannot be written: they fail without a panic.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::process::{Command, Stdio};

use crate::fixture::{Fixture, error};

/// Opens a file on which every write fails, like on a full disk.
fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it")
        .into()
}

fn code(command: &mut Command) -> Option<i32> {
    command.stdin(Stdio::null()).status().expect("the binary runs").code()
}

#[test]
fn standard_error_that_fails_panics_nobody() {
    let fixture = Fixture::with_world();
    let bad = fixture.file("bad.ndjson", "{\"user\": 1}\n");
    let good = fixture.file("good.ndjson", "");
    for (arguments, expected) in [
        (&["import", bad.as_str()][..], 1),
        (&["ingest", &bad], 1),
        (&["ingest", "--acks", &good], 0),
        (&["keys", "revoke", "0123456789abcdef"], 1),
        (&["keys", "list", "--unknown"], 1),
        (&["serve", "--listen", "nowhere"], 1),
        (
            &[
                "webhooks",
                "add",
                "https://example.com/",
                "--team",
                crate::fixture::TEAM,
            ],
            0,
        ),
    ] {
        let mut command = fixture.command(arguments);
        command.stdout(Stdio::null()).stderr(full());
        assert_eq!(code(&mut command), Some(expected), "{arguments:?}");
    }
    let mut api = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    api.args([
        "api",
        "--base-url",
        "http://127.0.0.1:9",
        "--api-key",
        "k",
        "list-users",
    ]);
    let usual = api.output().expect("the binary runs").status.code();
    assert!(usual.is_some_and(|code| code != 0 && code != 101), "{usual:?}");
    assert_eq!(code(api.stdout(Stdio::null()).stderr(full())), usual);
}

#[test]
fn standard_output_that_fails_is_an_error() {
    let fixture = Fixture::with_world();
    let good = fixture.file("good.ndjson", "");
    for arguments in [
        &["keys", "list"][..],
        &["import", &good],
        &["ingest", &good],
        &["export"],
        &["config"],
        &["schema", "import"],
    ] {
        let mut command = match arguments[0] {
            "config" | "schema" => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
                command.args(arguments);
                command
            }
            _ => fixture.command(arguments),
        };
        let output = command.stdout(full()).output().expect("the binary runs");
        let message = error(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
        assert!(
            message.starts_with("wearlab: ") && message.lines().count() == 1,
            "{arguments:?}: {message}"
        );
    }
    let help = Command::new(env!("CARGO_BIN_EXE_wearlab"))
        .arg("--help")
        .stdout(full())
        .output();
    assert_eq!(help.expect("the binary runs").status.code(), Some(1));
}

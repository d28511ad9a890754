//! Tests of interrupted `wearlab backup` and `wearlab restore`: they leave no files.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::fixture::{Fixture, error};

const TIMEOUT: Duration = Duration::from_secs(60);

fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let name =
        |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name().to_string_lossy().into_owned();
    entries.map(name).collect()
}

/// Runs a command that may write no file longer than so many blocks of 512 bytes.
fn within(blocks: u64, command: &Command) -> Command {
    let mut limited = Command::new("/bin/sh");
    // The shell ignores the signal of the limit, and the command inherits that.
    limited.args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh"]);
    limited
        .arg(blocks.to_string())
        .arg(command.get_program())
        .args(command.get_args());
    limited
}

fn seeded(users: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.says(&["seed", "--into-store", "--users", users]);
    fixture
}

#[test]
fn a_full_disk_leaves_nothing_of_a_copy() {
    let (fixture, elsewhere) = (seeded("300"), tempfile::tempdir().expect("a directory"));
    let copy = elsewhere.path().join("copy.db");
    let path = copy.display().to_string();
    let output = within(400, &fixture.command(&["backup", &path]))
        .output()
        .expect("it runs");
    let message = error(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.starts_with(&format!("wearlab: failed to write the copy to {path}: ")),
        "{message}"
    );
    assert_eq!(names(elsewhere.path()), [""; 0]);

    fixture.says(&["backup", &path]);
    let other = Fixture::new();
    let output = within(400, &other.command(&["restore", &path]))
        .output()
        .expect("it runs");
    let message = error(&output);
    assert!(
        message.starts_with("wearlab: failed to write the copy to "),
        "{message}"
    );
    assert!(!other.data().exists(), "the directory was made for it");
    std::fs::create_dir(other.data()).expect("a directory");
    let output = within(400, &other.command(&["restore", &path])).output();
    assert_eq!(output.expect("it runs").status.code(), Some(1));
    assert_eq!(names(&other.data()), [""; 0], "one that was there stays");
}

#[test]
fn a_signal_leaves_nothing_of_a_copy() {
    let (fixture, elsewhere) = (seeded("4000"), tempfile::tempdir().expect("a directory"));
    let copy = elsewhere.path().join("copy.db");
    let path = copy.display().to_string();
    let other = Fixture::new();
    stopped(&mut fixture.command(&["backup", &path]), elsewhere.path());
    assert_eq!(names(elsewhere.path()), [""; 0]);
    fixture.says(&["backup", &path]);
    stopped(&mut other.command(&["restore", &path]), &other.data());
    assert_eq!(names(&other.data()), [""; 0]);
}

/// Stops a command once it has begun to write.
fn stopped(command: &mut Command, directory: &Path) {
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the binary starts");
    let begun = Instant::now();
    while !names(directory).iter().any(|name| name.ends_with(".part")) {
        assert!(begun.elapsed() < TIMEOUT, "it begins");
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", error(&output));
    assert!(
        error(&output).contains("the incomplete copy was removed"),
        "{}",
        error(&output)
    );
}

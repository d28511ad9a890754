//! Tests of damaged stores: a clear message, a failure or an unready `/readyz`, and no loss.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use wearlab_sample::Sample;

use super::service::{Serving, TIMEOUT, command, refused, within_shell};
use crate::fixture::{Fixture, error};

fn store(fixture: &Fixture) -> PathBuf {
    fixture.data().join("wearlab.db")
}

/// Creates a fixture with a sample that is larger than the page cache of an open file.
fn filled() -> (Fixture, Sample) {
    let fixture = Fixture::new();
    fixture.says(&["seed", "--users", "3000", "--derived-keys", "--into-store"]);
    assert!(fs::metadata(store(&fixture)).expect("is there").len() > 4_000_000);
    (fixture, Sample::describe(1))
}

/// Overwrites a part of the store's file, as a failing disk would. Start and end are in hundredths of it.
fn overwrite(fixture: &Fixture, from: u64, to: u64) {
    let path = store(fixture);
    let size = fs::metadata(&path).expect("is there").len();
    let mut file = OpenOptions::new().write(true).open(&path).expect("opens");
    let (from, to) = (size / 100 * from, size / 100 * to);
    file.seek(SeekFrom::Start(from)).expect("is there");
    let length = usize::try_from(to - from).expect("a length");
    file.write_all(&vec![0xff; length]).expect("writes");
}

/// Reads pages of users up to the first error.
fn read_until_damage(serving: &Serving, sample: &Sample) -> u16 {
    let key = ("x-service-api-key", sample.team_api_key.as_str());
    let pages = (0..2400)
        .step_by(100)
        .map(|offset| format!("/v2/user/?offset={offset}"));
    let mut statuses = pages.map(|path| serving.get(&path, &[key]).status);
    statuses
        .find(|status| *status != 200)
        .expect("half of the file is no good")
}

fn is_red_and_says_why(serving: &Serving, fixture: &Fixture) {
    assert!(serving.probe("/readyz").status >= 500);
    assert_eq!(serving.probe("/livez").status, 200, "a restart mends nothing");
    assert_eq!(serving.probe("/metrics").status, 200);
    let message = format!("use the store at {}: the file is damaged", store(fixture).display());
    // Its log is read on another thread.
    let began = Instant::now();
    while !serving.log().contains(&message) && began.elapsed() < TIMEOUT {
        thread::sleep(Duration::from_millis(20));
    }
    let log = serving.log();
    assert!(log.contains(&message), "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn damage_from_before_is_reported_by_whoever_meets_it() {
    let (fixture, sample) = filled();
    overwrite(&fixture, 30, 80);
    let serving = Serving::start(&fixture, &[]);
    assert_eq!(read_until_damage(&serving, &sample), 500);
    is_red_and_says_why(&serving, &fixture);
    let copy = fixture.directory.path().join("copy.db");
    for arguments in [&["export"][..], &["backup", &copy.display().to_string()]] {
        let output = fixture.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let message = error(&output);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains("the file is damaged: restore a backup"), "{message}");
    }
    assert!(!copy.exists(), "no half copy stays");
}

#[test]
fn damage_while_it_serves_ends_nothing() {
    let (fixture, sample) = filled();
    let sound = fs::read(store(&fixture)).expect("reads");
    let serving = Serving::start(&fixture, &[]);
    assert_eq!(serving.probe("/readyz").status, 200);
    overwrite(&fixture, 30, 80);
    assert_eq!(read_until_damage(&serving, &sample), 500);
    is_red_and_says_why(&serving, &fixture);
    drop(serving);
    // The service works with its file restored.
    fs::remove_dir_all(fixture.data()).expect("removes");
    fs::create_dir(fixture.data()).expect("makes");
    fs::write(store(&fixture), sound).expect("writes");
    let serving = Serving::start(&fixture, &[]);
    assert_eq!(serving.probe("/readyz").status, 200);
    let key = ("x-service-api-key", sample.team_api_key.as_str());
    assert_eq!(serving.get("/v2/user/?limit=1", &[key]).json()["total"], 2400);
}

#[test]
fn a_file_that_cannot_be_opened_ends_it_with_one_line() {
    for (from, bytes, message) in [
        (0, &b"not a store of any kind"[..], "the file is not a Wearlab store"),
        (100, &[0xff; 3_996], "the file is damaged"),
        // Position of the schema's version in the file.
        (60, &[0, 0, 0, 99], "the file is damaged"),
        (60, &[], "its schema version 99 is newer than"),
    ] {
        let fixture = Fixture::with_world();
        if bytes.is_empty() {
            let newer = wearlab_checksum_vfs::open(store(&fixture), rusqlite::OpenFlags::default());
            let newer = newer.expect("a database");
            newer.pragma_update(None, "user_version", 99).expect("sets it");
        }
        let mut bad = fs::read(store(&fixture)).expect("reads");
        bad[from..from + bytes.len()].copy_from_slice(bytes);
        fs::write(store(&fixture), &bad).expect("writes");
        let (status, text) = refused(command(&fixture, &[]));
        assert_eq!(status.code(), Some(1), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(message), "{text}");
        assert!(text.contains(&store(&fixture).display().to_string()), "{text}");
        assert!(fs::read(store(&fixture)).expect("reads") == bad, "it is left alone");
    }
}

#[cfg(unix)]
#[test]
fn a_directory_that_may_only_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::with_world();
    let mode = |mode| fs::set_permissions(fixture.data(), fs::Permissions::from_mode(mode)).expect("sets the mode");
    mode(0o500);
    if fs::write(fixture.data().join("probe"), "").is_ok() {
        eprintln!("skipped: nothing is forbidden to the superuser");
        return mode(0o700);
    }
    let (status, message) = refused(command(&fixture, &[]));
    mode(0o700);
    assert_eq!(status.code(), Some(1));
    assert!(message.contains(&store(&fixture).display().to_string()), "{message}");
}

/// Limits the files of a process to so many blocks of 512 bytes.
#[cfg(unix)]
fn with_a_small_disk(command: &Command, blocks: u64) -> Command {
    // The shell ignores the signal of the limit, and the command inherits that.
    within_shell(command, &format!("trap '' XFSZ; ulimit -f {blocks}"))
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_an_import_and_not_the_service() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    let before = fixture.export();
    let other = Fixture::new();
    let lines = other.file("lines.ndjson", &other.says(&["seed", "--users", "3000"]));
    let output = with_a_small_disk(&fixture.command(&["import", "--strict", &lines]), 1500)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let message = error(&output);
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains("disk"), "{message}");
    assert_eq!(fixture.export(), before, "all of it was rolled back");
    let key = ("x-service-api-key", "wl_team_first");
    assert_eq!(serving.get("/v2/user/", &[key]).json()["total"], 1);
    assert_eq!(serving.probe("/readyz").status, 200);
    assert!(
        fixture.run(&["import", &lines]).status.success(),
        "with room again, it is taken"
    );

    let fresh = Fixture::new();
    let (status, message) = refused(with_a_small_disk(&command(&fresh, &[]), 1));
    assert_eq!(status.code(), Some(1), "{message}");
    assert!(message.contains("disk") && message.contains("wearlab.db"), "{message}");
}

//! Tests of a store whose files are removed or replaced while a service runs.
#![cfg(unix)]

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::service::{Serving, TIMEOUT};
use crate::fixture::Fixture;

const KEY: (&str, &str) = ("x-service-api-key", "wl_team_first");

/// Checks that the service is unready, and logs the reason once for any number of requests.
fn is_red_and_says_why_once(serving: &Serving) {
    serving.soon("/v2/user/", &[KEY], 503);
    assert_eq!(serving.probe("/readyz").status, 503);
    assert_eq!(serving.probe("/livez").status, 200);
    let (message, said) = (
        "the store can no longer be used",
        "its files were removed, replaced or truncated while it was open",
    );
    let began = Instant::now();
    while !serving.log().contains(message) && began.elapsed() < TIMEOUT {
        thread::sleep(Duration::from_millis(20));
    }
    for _ in 0..20 {
        assert_eq!(serving.get("/v2/user/", &[KEY]).status, 503);
    }
    let log = serving.log();
    assert_eq!(log.matches(message).count(), 1, "{log}");
    assert!(log.contains(said), "{log}");
}

#[test]
fn a_store_that_is_removed_is_no_longer_served() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    assert_eq!(serving.get("/v2/user/", &[KEY]).status, 200);
    for name in ["wearlab.db", "wearlab.db-wal", "wearlab.db-shm"] {
        fs::remove_file(fixture.data().join(name)).expect("removes");
    }
    is_red_and_says_why_once(&serving);
}

#[test]
fn a_store_that_is_replaced_by_a_copy_is_no_longer_served() {
    let fixture = Fixture::with_world();
    let copy = fixture.directory.path().join("copy.db").display().to_string();
    fixture.says(&["backup", &copy]);
    let serving = Serving::start(&fixture, &[]);
    assert_eq!(serving.get("/v2/user/", &[KEY]).status, 200);
    fs::rename(fixture.data(), fixture.directory.path().join("old")).expect("moves");
    fixture.says(&["restore", &copy]);
    let keys = fixture.says(&["keys", "list"]);
    let id = keys.lines().find(|line| line.contains("first"));
    let id = id.and_then(|line| line.split_whitespace().next()).expect("a key");
    fixture.says(&["keys", "revoke", id]);
    is_red_and_says_why_once(&serving);
    drop(serving);
    let serving = Serving::start(&fixture, &[]);
    assert_eq!(
        serving.get("/v2/user/", &[KEY]).status,
        401,
        "revoked in the one that is there"
    );
}

//! Tests of reads during writes, and of concurrent writers.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::service::{RawResponse, Serving, TIMEOUT, get};
use crate::fixture::{Fixture, TEAM, USER, WORLD, error};

const KEY: (&str, &str) = ("x-service-api-key", "wl_team_first");
const USERS: u32 = 2_000;

/// Returns lines of further users, each with a connection.
fn lines(zone: &str) -> String {
    let of_user = |line: &&str| line.contains("\"user\"") || line.contains("\"connection\"");
    let world: Vec<_> = WORLD.lines().filter(of_user).collect();
    let users = (8..8 + USERS).map(|number| {
        let lines = world.iter().map(|line| {
            line.replace("000000000007", &format!("{number:012}"))
                .replace("client-7", &format!("client-{number}"))
                .replace("Europe/Oslo", zone)
                + "\n"
        });
        lines.collect::<String>()
    });
    users.collect()
}

/// Checks the invariants of a page.
fn check(page: &Value, offset: u64, limit: u64) -> u64 {
    let users = page["users"].as_array().expect("users");
    let total = page["total"].as_u64().expect("a total");
    let expected = total.saturating_sub(offset).min(limit);
    assert_eq!(users.len() as u64, expected, "at {offset} of {total}");
    let ids: Vec<_> = users
        .iter()
        .map(|user| user["user_id"].as_str().expect("an id"))
        .collect();
    assert!(ids.is_sorted(), "all are of one time, so they come by id");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "none comes twice");
    total
}

/// Requests pages in a loop, until the writing ends; returns the number of responses and the last total.
fn ask(address: &str, writing: impl Fn() -> bool, seed: u64) -> (u64, u64) {
    let (mut responses, mut total) = (0, 0);
    let ok = |response: RawResponse| {
        assert_eq!(response.status, 200, "{}", response.body);
        response.json()
    };
    while writing() || responses < 100 {
        let (offset, limit) = ((responses * 37 + seed * 501) % 1_500, 1 + responses % 200);
        let page = ok(get(
            address,
            &format!("/v2/user/?offset={offset}&limit={limit}"),
            &[KEY],
        ));
        let now = check(&page, offset, limit);
        assert!(now >= total, "nobody leaves");
        total = now;
        assert_eq!(ok(get(address, &format!("/v2/user/{USER}"), &[KEY]))["user_id"], USER);
        // Lines are written in order: a user before the last one has all lines that came with them.
        let last = 7 + now.saturating_sub(2);
        let path = format!("/v2/user/providers/00000000-0000-0000-0000-{last:012}");
        assert_eq!(ok(get(address, &path, &[KEY]))["providers"][0]["slug"], "stridewell");
        responses += 3;
    }
    (responses, total)
}

#[test]
fn an_import_beside_it_disturbs_no_answer() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    for zone in ["Europe/Oslo", "Asia/Tokyo"] {
        let file = fixture.file("users.ndjson", &lines(zone));
        let mut import = fixture
            .command(&["import", &file])
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let (address, over) = (serving.address.as_str(), AtomicBool::new(false));
        let writing = &|| !over.load(Ordering::Relaxed);
        let answered = thread::scope(|scope| {
            let askers = [1, 2, 3].map(|seed| scope.spawn(move || ask(address, writing, seed)));
            let status = import.wait().expect("it ends");
            over.store(true, Ordering::Relaxed);
            assert!(status.success());
            askers.map(|asker| asker.join().expect("no response is wrong"))
        });
        assert!(answered.iter().all(|(responses, _)| *responses >= 100));
    }
    let list = serving.get(&format!("/v2/user/?offset={USERS}"), &[KEY]).json();
    assert_eq!(list["total"], 1 + USERS);
    assert_eq!(list["users"][0]["fallback_time_zone"]["id"], "Asia/Tokyo");
    let log = serving.log();
    assert!(!log.contains("ERROR"), "{log}");
}

/// Starts an import that holds the writer lock until its input ends.
fn holding(fixture: &Fixture, lines: &str) -> Child {
    let mut import = fixture
        .command(&["import", "-", "--strict"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let stdin = import.stdin.as_mut().expect("piped");
    // It takes the writer lock before it reads. Once this write returns, it has read most of it.
    stdin.write_all(lines.as_bytes()).expect("writes");
    stdin.flush().expect("writes");
    import
}

#[test]
fn a_writer_that_takes_long_keeps_nobody_from_reading() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    let mut import = holding(&fixture, &lines("Europe/Oslo"));
    let second = fixture
        .command(&["keys", "create", "--team", TEAM])
        .stderr(Stdio::piped())
        .spawn();
    let second = second.expect("the binary starts");
    let started = Instant::now();
    for _ in 0..50 {
        assert_eq!(
            serving.get("/v2/user/", &[KEY]).json()["total"],
            1,
            "nothing is seen before it is whole"
        );
    }
    assert!(started.elapsed() < Duration::from_secs(3), "reads wait for nobody");
    assert_eq!(serving.probe("/readyz").status, 200);
    assert!(fixture.export().contains("client-7"), "also those of commands");
    drop(Serving::start(&fixture, &[]));

    let second = second.wait_with_output().expect("it ends");
    assert!(started.elapsed() < TIMEOUT, "it waits a while, and not for ever");
    assert_eq!(second.status.code(), Some(1));
    let message = error(&second);
    assert!(
        message.contains("it is busy; retry") && message.lines().count() == 1,
        "{message}"
    );

    drop(import.stdin.take());
    assert!(import.wait().expect("it ends").success());
    serving.soon(
        &format!("/v2/user/00000000-0000-0000-0000-{:012}", 7 + USERS),
        &[KEY],
        200,
    );
    assert_eq!(serving.get("/v2/user/", &[KEY]).json()["total"], 1 + USERS);
    assert!(
        fixture.run(&["keys", "create", "--team", TEAM]).status.success(),
        "the writer is free again"
    );
}

//! Tests of user deletion over HTTP: only a receipt remains, even if the service is killed meanwhile.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::service::{Serving, TIMEOUT, try_ask};
use crate::fixture::{Fixture, TEAM, USER};

/// Creates a key of the team that may also write.
fn key(fixture: &Fixture) -> String {
    let made = fixture.says(&["keys", "create", "--team", TEAM, "--scope", "read,write"]);
    made.trim().to_owned()
}

fn delete(serving: &Serving, key: &str, user: &str) -> std::io::Result<u16> {
    let path = format!("/v2/user/{user}");
    try_ask("DELETE", &serving.address, &path, &[("x-service-api-key", key)]).map(|response| response.status)
}

/// Returns the traces of a user in the store's files. The receipt has their id as text.
fn traces(fixture: &Fixture, texts: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(fixture.data()).expect("reads") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).unwrap_or_default();
        let has = |text: &&&str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
        found.extend(
            texts
                .iter()
                .filter(has)
                .map(|text| format!("{text} in {}", path.display())),
        );
    }
    found
}

fn wait_until_gone(fixture: &Fixture, texts: &[&str]) {
    let began = Instant::now();
    while !traces(fixture, texts).is_empty() {
        assert!(began.elapsed() < TIMEOUT, "{:?}", traces(fixture, texts));
        thread::sleep(Duration::from_millis(50));
    }
}

fn log_of(fixture: &Fixture) -> Vec<Value> {
    let lines = fixture.export();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn nothing_is_left_of_a_user_who_is_deleted_while_the_service_runs() {
    let fixture = Fixture::with_world();
    let texts = ["client-7", "logos.example/s.svg", "2026-01-03T00:00:00"];
    assert!(
        !traces(&fixture, &texts[..1]).is_empty(),
        "they are looked for where they are"
    );
    let key = key(&fixture);
    let serving = Serving::start(&fixture, &[]);
    assert_eq!(delete(&serving, &key, USER).expect("a response"), 200);
    assert_eq!(
        serving
            .get(&format!("/v2/user/{USER}"), &[("x-service-api-key", &key)])
            .status,
        404
    );
    assert_eq!(delete(&serving, &key, USER).expect("a response"), 404, "once");
    wait_until_gone(&fixture, &texts);
    serving.wait_for_log("scrubbed the store's files");
    assert!(!serving.log().contains("client-7"));
    assert!(log_of(&fixture).iter().all(|record| record["user"] == Value::Null));
}

#[test]
fn a_service_that_is_killed_before_it_scrubs_does_so_when_it_runs_again() {
    let fixture = Fixture::with_world();
    let key = key(&fixture);
    let serving = Serving::start(&fixture, &[]);
    // The first check of the store is over.
    thread::sleep(Duration::from_millis(200));
    assert_eq!(delete(&serving, &key, USER).expect("a response"), 200);
    serving.kill();
    let again = Serving::start(&fixture, &[]);
    assert_eq!(
        again
            .get(&format!("/v2/user/{USER}"), &[("x-service-api-key", &key)])
            .status,
        404
    );
    wait_until_gone(&fixture, &["client-7", "logos.example/s.svg"]);
}

#[test]
fn a_user_is_deleted_whole_or_not_at_all() {
    let fixture = Fixture::with_world();
    let key = key(&fixture);
    let at = "2026-01-02T03:04:05Z";
    for round in 0..12_u32 {
        let user = format!("00000000-0000-0000-0000-0000000001{round:02}");
        let mut lines = String::new();
        let of_user = json!({"user": {"user_id": user, "team_id": TEAM, "client_user_id": format!("killed-{round}"), "created_on": at,
            "connected_sources": [], "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": at}}});
        lines += &format!("{of_user}\n");
        for number in 0..300 {
            let device = json!({"device": {"team_id": TEAM, "device": {"id": format!("00000000-0000-0001-{round:04}-{number:012}"),
                "user_id": user, "provider": "stridewell", "source_type": "watch"}}});
            lines += &format!("{device}\n");
        }
        assert!(fixture.import(&lines, &[]).status.success());
        let serving = Serving::start(&fixture, &[]);
        let (address, sent) = (serving.address.clone(), key.clone());
        let path = format!("/v2/user/{user}");
        let request = thread::spawn(move || {
            try_ask("DELETE", &address, &path, &[("x-service-api-key", &sent)]).map(|response| response.status)
        });
        thread::sleep(Duration::from_micros(u64::from(round) * 700));
        serving.kill();
        let response = request.join().expect("a request").ok();
        let records = log_of(&fixture);
        let has = |kind: &str| {
            records
                .iter()
                .filter(|record| record[kind].to_string().contains(&user))
                .count()
        };
        let (users, devices) = (has("user"), has("device"));
        assert!(
            (users, devices) == (1, 300) || (users, devices) == (0, 0),
            "{round}: {users} and {devices}"
        );
        if response == Some(200) {
            assert_eq!(users, 0, "{round}: what was confirmed is done");
        }
    }
}

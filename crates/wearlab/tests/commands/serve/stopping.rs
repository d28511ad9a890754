//! Tests of the shutdown of a service, and of its files afterwards.
#![cfg(unix)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use super::service::{Serving, TIMEOUT, command, get, within_env, within_shell};
use crate::fixture::{Fixture, TEAM, WORLD};

const KEY: (&str, &str) = ("x-service-api-key", "wl_team_first");

#[test]
fn a_signal_ends_it_with_success_and_what_is_under_way_is_answered() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    let address = serving.address.clone();
    // A request of whose header one half arrives before the signal, and the rest soon after.
    let mut stream = TcpStream::connect(&address).expect("a connection");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
    let request = format!("GET /v2/user/ HTTP/1.1\r\nhost: h\r\n{}: {}\r\n", KEY.0, KEY.1);
    stream.write_all(request.as_bytes()).expect("it is sent");
    assert_eq!(serving.get("/livez", &[]).status, 200);
    let finishing = thread::spawn(move || {
        thread::sleep(std::time::Duration::from_millis(100));
        stream.write_all(b"connection: close\r\n\r\n").expect("it is sent");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        response
    });
    let (status, log) = serving.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    let response = finishing.join().expect("it is read");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(log.contains("\"stopping\""), "{log}");
    assert!(TcpStream::connect(&address).is_err(), "nobody listens");
    let left = std::fs::read_dir(fixture.data()).expect("a directory").count();
    assert_eq!(left, 1, "the store is one file, with no log beside it");
}

#[test]
fn a_hangup_ends_it_like_any_signal_and_nohup_keeps_it() {
    let fixture = Fixture::with_world();
    // The parent process may ignore the signal, which children inherit.
    let command = |arguments: &[&str]| {
        let command = self::command(&fixture, arguments);
        match cfg!(target_os = "linux") {
            true => within_env(&command, &["--default-signal=HUP"]),
            false => command,
        }
    };
    let serving = Serving::of(command(&["--set", "http.timeouts.drain_delay=1s"]));
    let (address, management) = (serving.address.clone(), serving.management.clone());
    serving.signal("HUP");
    serving.wait_for_log("\"stopping\"");
    assert_eq!(get(&management, "/readyz", &[]).status, 503, "it drains");
    assert_eq!(get(&address, "/v2/user/", &[KEY]).status, 200);
    let (status, log) = serving.ended();
    assert_eq!(status.code(), Some(0), "{log}");

    if cfg!(target_os = "linux") {
        let serving = Serving::of(within_shell(&self::command(&fixture, &[]), "trap '' HUP"));
        serving.signal("HUP");
        assert_eq!(get(&serving.management, "/readyz", &[]).status, 200, "it goes on");
        assert_eq!(serving.get("/v2/user/", &[KEY]).status, 200);
        let (status, log) = serving.terminate();
        assert_eq!(status.code(), Some(0), "{log}");
        assert_eq!(log.matches("\"stopping\"").count(), 1, "{log}");
    }
}

#[test]
fn whatever_moment_it_is_killed_at_all_that_was_acknowledged_is_there() {
    let fixture = Fixture::with_world();
    let mut keys = vec!["wl_team_first".to_owned()];
    for round in 0..4 {
        let serving = Serving::start(&fixture, &[]);
        for key in &keys {
            assert_eq!(serving.get("/v2/user/", &[(KEY.0, key)]).status, 200, "round {round}");
        }
        let made = fixture.says(&["keys", "create", "--team", TEAM]);
        let user = WORLD.lines().find(|line| line.contains("\"user\"")).expect("a user");
        let user = user
            .replace("000000000007", &format!("{:012}", 100 + round))
            .replace("client-7", &format!("client-{}", 100 + round));
        assert!(fixture.import(&user, &["--strict"]).status.success());
        serving.kill();
        keys.push(made.trim().to_owned());
    }
    let serving = Serving::start(&fixture, &[]);
    let list = serving.get("/v2/user/", &[KEY]).json();
    assert_eq!(list["total"], 5);
    assert_eq!(list["users"].as_array().map(Vec::len), Some(5));
    for key in &keys {
        assert_eq!(serving.get("/v2/user/", &[(KEY.0, key)]).status, 200);
    }
    assert_eq!(serving.probe("/readyz").status, 200);
}

#[test]
fn a_cursor_is_good_after_a_crash() {
    let fixture = Fixture::with_world();
    let key = fixture.says(&["keys", "create", "--org", "org_one"]);
    let management = ("x-management-key", key.trim());
    let pipeline = WORLD.lines().find(|line| line.contains("\"pipeline\"")).expect("one");
    let team = WORLD.lines().find(|line| line.starts_with("{\"team\"")).expect("one");
    let lines: String = (2..=60)
        .map(|number| {
            let id = format!("{number:012}");
            [team, pipeline]
                .map(|line| line.replace("000000000001", &id) + "\n")
                .concat()
        })
        .collect();
    assert!(fixture.import(&lines, &["--strict"]).status.success());
    let path = "/v1/org/org_one/team_etl_pipelines/sandbox/eu";
    let serving = Serving::start(&fixture, &[]);
    let first = serving.get(path, &[management]).json();
    let cursor = first["next_cursor"].as_str().expect("a cursor").to_owned();
    serving.kill();
    let serving = Serving::start(&fixture, &[]);
    let second = serving.get(&format!("{path}?next_cursor={cursor}"), &[management]);
    assert_eq!(
        second.json()["pipelines"].as_array().map(Vec::len),
        Some(10),
        "{}",
        second.body
    );
}

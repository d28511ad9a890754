//! Tests of lines that are sent to a running service: the same output as on its store, and no loss if the connection
//! breaks.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::{data, ingest, logged, many, piped, sample};
use crate::fixture::{Fixture, TEAM, error};
use crate::serve::service::Serving;
use crate::test_seed::Seed;

const KEY: &str = "wl_team_that_takes_lines";

/// Creates a world with a key of all scopes, and a key that only reads.
fn fixture() -> Fixture {
    let fixture = Fixture::with_world();
    let key = json!({"key": {"team_id": TEAM, "key": KEY, "scopes": ["ingest", "admin"]}});
    let reader = json!({"key": {"team_id": TEAM, "key": "wl_team_that_only_reads", "scopes": ["read"]}});
    let output = fixture.import(&format!("{key}\n{reader}\n"), &[]);
    assert!(output.status.success(), "{}", error(&output));
    fixture
}

/// Runs a command that sends lines from standard input.
fn send(command: &str, url: &str, key: &str, lines: &str, arguments: &[&str]) -> Output {
    let mut wearlab = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
    wearlab.args([command, "-", "--base-url", url]).args(arguments);
    wearlab.env_remove("RUST_LOG").env("WEARLAB_API_KEY", key);
    let mut child = piped(wearlab);
    let mut stdin = child.stdin.take().expect("piped");
    let lines = lines.to_owned();
    let writer = thread::spawn(move || drop(stdin.write_all(lines.as_bytes())));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    output
}

#[test]
fn it_says_what_the_local_command_says() {
    let (here, there) = (fixture(), fixture());
    let serving = Serving::start(&there, &[]);
    let url = format!("http://{}", serving.management);
    let lines = [
        data(json!({})),
        data(json!({})),
        "\n".to_owned(),
        "{\"data\": \n".to_owned(),
        data(json!({"date": "hush"})),
        data(json!({"data": [sample(2)]})),
        data(json!({"provider": "pulsely"})),
        "\u{1f600}".repeat(3),
    ];
    for arguments in [&[][..], &["--acks"]] {
        let local = ingest(&here, &lines.concat(), arguments);
        let remote = send("ingest", &url, KEY, &lines.concat(), arguments);
        assert_eq!(remote.status.code(), local.status.code());
        assert_eq!(error(&remote), error(&local), "{arguments:?}");
        // Acknowledgements may arrive in groups.
        let last = |output: &Output| {
            String::from_utf8_lossy(&output.stdout)
                .lines()
                .last()
                .map(str::to_owned)
        };
        assert_eq!(last(&remote), last(&local));
    }
    assert_eq!(logged(&there), logged(&here));

    let user = json!({"user": {"user_id": "00000000-0000-0000-0000-000000000009", "team_id": TEAM,
        "client_user_id": "client-9", "created_on": "2026-01-02T03:04:05Z",
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"}}});
    let organisation = json!({"organisation": {"org_id": "org_two"}});
    let output = send("import", &url, KEY, &format!("{user}\n{organisation}\n"), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 line was accepted: user 1\n");
    assert!(error(&output).contains("stdin:2: organisation"), "{}", error(&output));
}

#[test]
fn who_may_not_send_is_told_at_once() {
    let fixture = fixture();
    let serving = Serving::start(&fixture, &[]);
    let url = format!("http://{}", serving.management);
    for (key, expected) in [("wl_team_of_nobody_at_all", "401"), ("wl_team_that_only_reads", "403")] {
        let output = send("ingest", &url, key, &data(json!({})), &[]);
        let message = error(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(expected) && !message.contains(key), "{message}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address");
    let output = send(
        "ingest",
        &format!("http://{nobody}"),
        KEY,
        &data(json!({})),
        &["--retries", "1"],
    );
    let message = error(&output);
    assert!(
        message.contains("sending again") && message.contains("after 2 attempts"),
        "{message}"
    );
    assert!(logged(&fixture).is_empty());
}

/// Forwards connections to an address, and cuts the first ones at a random position. Returns its own address.
fn cutter(to: String, seed: u64, cuts: Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for connection in listener.incoming() {
            let (Ok(near), Ok(far)) = (connection, TcpStream::connect(&to)) else {
                return;
            };
            let is_cut = cuts
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
                .is_ok();
            // Within the request, the lines, or the acknowledgements.
            let longest = [600, 60_000, 400_000, 400_000][rng.random_range(0..3)];
            let mut limit = || {
                if is_cut {
                    rng.random_range(0..longest)
                } else {
                    usize::MAX
                }
            };
            for (mut from, mut to, mut left) in [
                (
                    near.try_clone().expect("a copy"),
                    far.try_clone().expect("a copy"),
                    limit(),
                ),
                (far, near, limit()),
            ] {
                thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(count @ 1..) = from.read(&mut bytes[..left.min(4096)]) {
                        if to.write_all(&bytes[..count]).is_err() {
                            break;
                        }
                        left -= count;
                        if left == 0 {
                            break;
                        }
                    }
                    let how = if left == 0 { Shutdown::Both } else { Shutdown::Write };
                    drop(to.shutdown(how));
                    if left == 0 {
                        drop(from.shutdown(Shutdown::Both));
                    }
                });
            }
        }
    });
    address
}

/// Unacknowledged lines that are sent again have no further effect.
#[test]
fn a_connection_that_is_cut_again_and_again_loses_nothing_and_repeats_nothing() {
    let seed = Seed::one(31);
    let lines = many(&mut ChaCha8Rng::seed_from_u64(seed.number()));
    let whole = fixture();
    let output = ingest(&whole, &lines.concat(), &[]);
    assert!(output.status.success(), "{}", error(&output));

    let fixture = fixture();
    let serving = Serving::start(&fixture, &[]);
    let cuts = Arc::new(AtomicUsize::new(6));
    let address = cutter(serving.management.clone(), seed.number(), cuts.clone());
    let output = send(
        "ingest",
        &format!("http://{address}"),
        KEY,
        &lines.concat(),
        &["--acks", "--retries", "40"],
    );
    let message = error(&output);
    assert!(output.status.success(), "{message}");
    assert_eq!(cuts.load(Ordering::SeqCst), 0, "{message}");
    assert!(message.matches("sending again").count() >= 5, "{message}");
    let acks = String::from_utf8_lossy(&output.stdout);
    let acks: Vec<u64> = acks
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["line"]
                .as_u64()
                .expect("a number")
        })
        .collect();
    assert!(acks.is_sorted_by(|one, next| one < next), "{acks:?}");
    assert_eq!(acks.last().copied(), Some(lines.len() as u64));
    assert_eq!(logged(&fixture), logged(&whole));
}

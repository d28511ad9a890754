//! Tests of migrations of many and of long rows, with kill -9 at random.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rusqlite::OpenFlags;
use tokio_postgres::NoTls;

use super::{migrate, run, sqlite};
use crate::fixture::{Fixture, error};
use crate::test_seed::Seed;

/// Creates a store of many users, each with a connection and an event, and some long events.
fn large(users: u32, long: u32) -> Fixture {
    let fixture = Fixture::with_world();
    let raw = wearlab_checksum_vfs::open(fixture.data().join("wearlab.db"), OpenFlags::default()).expect("a database");
    raw.execute_batch(&format!(
        "BEGIN;
        CREATE TEMP TABLE many AS WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < {users})
            SELECT n, (SELECT team_id FROM teams) AS team, randomblob(16) AS user, 1767225600000000000 + n * 10000000000 AS at
            FROM many;
        INSERT INTO users (team_id, user_id, client_user_id, created_on, document)
            SELECT team, user, 'many-' || n, at, json_object('name', hex(randomblob(150))) FROM many;
        INSERT INTO connections (user_row, slug, created_on, document)
            SELECT users.id, 'stridewell', at, json_object('name', hex(randomblob(150)))
            FROM many JOIN users ON (team_id, user_id) = (team, user);
        INSERT INTO events (event_id, team_id, user_id, event_type, created_on, payload)
            SELECT 'evt_' || n, team, user, 'daily.data.steps.created', at,
                json_object('data', hex(randomblob(iif(n <= {long}, 1000000, 150)))) FROM many;
        COMMIT;"
    ))
    .expect("fills");
    fixture
}

/// Creates a schema on the server, and returns its URL.
pub(crate) fn schema(name: &str) -> String {
    let url = std::env::var("WEARLAB_TEST_DATABASE").expect("the address of a server in WEARLAB_TEST_DATABASE");
    let make = async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        let sql = format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}");
        client.batch_execute(&sql).await.expect("a schema");
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(make);
    let mark = if url.contains('?') { '&' } else { '?' };
    format!("{url}{mark}options=-c%20search_path%3D{name}")
}

fn start(from: &str, to: &str) -> Child {
    let mut command = migrate(from, to);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary starts")
}

/// Migrates, killed at random, later each time; returns the number of kills.
fn move_under_fire(from: &str, to: &str, longest: Duration, seed: u64) -> u32 {
    let seed = Seed::one(seed);
    let mut chance = ChaCha8Rng::seed_from_u64(seed.number());
    let longest = longest.max(Duration::from_millis(100));
    for kills in 0..10 {
        let mut child = start(from, to);
        std::thread::sleep(longest.mul_f64(chance.random_range(0.02..f64::from(kills + 1) / 10.0)));
        child.kill().expect("is killed, or is over");
        let output = child.wait_with_output().expect("it ends");
        if output.status.success() {
            return kills;
        }
        assert_eq!(output.status.code(), None, "{}", error(&output));
    }
    let output = run(from, to);
    assert!(output.status.success(), "{}", error(&output));
    10
}

/// Returns the duration of an uninterrupted migration.
fn undisturbed(from: &str, to: &str) -> Duration {
    let since = Instant::now();
    let output = run(from, to);
    assert!(output.status.success(), "{}", error(&output));
    since.elapsed()
}

#[test]
fn it_goes_on_after_kill_9() {
    let (from, to) = (large(5_000, 3), Fixture::new());
    let longest = undisturbed(&sqlite(&from), &sqlite(&Fixture::new()));
    assert!(move_under_fire(&sqlite(&from), &sqlite(&to), longest, 1) > 0);
    assert_eq!(tables(&to), tables(&from));
}

/// Starts a migration, and returns once users are copied.
fn begun(from: &Fixture, to: &Fixture) -> Child {
    let child = start(&sqlite(from), &sqlite(to));
    let file = to.data().join("wearlab.db");
    let begun = || {
        wearlab_checksum_vfs::open(&file, OpenFlags::default())
            .and_then(|raw| raw.query_row("SELECT 1 FROM users LIMIT 1", [], |_| Ok(())))
    };
    let since = Instant::now();
    while !file.exists() || begun().is_err() {
        assert!(since.elapsed() < Duration::from_secs(60), "nothing is moved");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn a_signal_ends_it_with_a_message() {
    let (from, to) = (large(5_000, 0), Fixture::new());
    let child = begun(&from, &to);
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let message = "wearlab: stopped before the target was complete: run the same command again to go on\n";
    assert_eq!(error(&output), message);
    let output = run(&sqlite(&from), &sqlite(&to));
    assert!(output.status.success(), "{}", error(&output));
}

#[test]
fn what_was_cut_short_is_no_store_yet() {
    let (from, to) = (large(5_000, 0), Fixture::new());
    let mut child = begun(&from, &to);
    child.kill().expect("is killed");
    let output = child.wait_with_output().expect("it ends");
    assert!(!output.status.success(), "it was done already");
    let output = to.run(&["keys", "list"]);
    assert!(!output.status.success());
    assert!(
        error(&output).contains("a migration into it is not complete: resume it"),
        "{}",
        error(&output)
    );
    let output = run(&sqlite(&from), &sqlite(&to));
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(to.says(&["keys", "list"]), from.says(&["keys", "list"]));
}

/// Returns all rows of the tables that were filled.
fn tables(fixture: &Fixture) -> Vec<Vec<(Vec<u8>, String)>> {
    let raw = wearlab_checksum_vfs::open(fixture.data().join("wearlab.db"), OpenFlags::default()).expect("a database");
    let rows = |table: &str| {
        let columns = if table == "events" { "payload" } else { "document" };
        let user = match table {
            "connections" | "devices" => "(SELECT user_id FROM users WHERE users.id = user_row)",
            _ => "user_id",
        };
        let sql = format!("SELECT {user}, {columns} FROM {table} ORDER BY 1, 2");
        let mut rows = raw.prepare(&sql).expect("a statement");
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        rows.collect::<Result<_, _>>().expect("rows")
    };
    ["users", "connections", "devices", "events"].map(rows).into()
}

#[test]
#[ignore = "needs PostgreSQL"]
fn it_goes_on_after_kill_9_to_postgresql_and_back() {
    let (from, back) = (large(5_000, 3), Fixture::new());
    let longest = undisturbed(&sqlite(&from), &schema("migrate_undisturbed"));
    let server = schema("migrate_killed");
    assert!(move_under_fire(&sqlite(&from), &server, longest, 2) > 0);
    assert!(move_under_fire(&server, &sqlite(&back), longest, 3) > 0);
    assert_eq!(tables(&back), tables(&from));
    assert_eq!(back.says(&["keys", "list"]), from.says(&["keys", "list"]));
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs PostgreSQL"]
fn a_large_store_is_moved_within_little_memory() {
    const USERS: u32 = 200_000;
    let fixture = large(USERS, 100);
    let server = schema("migrate_large");
    let since = Instant::now();
    let mut child = start(&sqlite(&fixture), &server);
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("a process").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let took = since.elapsed();
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", error(&output));
    let rate = f64::from(USERS) * 3.0 / took.as_secs_f64();
    eprintln!("{} rows in {took:?}: {rate:.0} rows a second, {most} kB", USERS * 3);
    // The long events alone are 200 MB. A third of the memory is the program and what the allocator retains.
    assert!(most < 170_000, "{most} kB");
}

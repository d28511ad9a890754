//! Tests of upgrades of a store of an earlier version with kill -9: each is complete or not begun.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rusqlite::Connection;
use tokio_postgres::NoTls;

use crate::fixture::{Fixture, error};
use crate::migrate::killed::schema;
use crate::test_seed::Seed;

const VERSION_6: &[u8] = include_bytes!("../../../store/tests/versions/embedded-6.db");
const VERSION_2: &str = include_str!("../../../store/tests/versions/postgres-2.sql");

/// Number of users: enough for the upgrade to take a moment.
const USERS: u32 = 10_000;

/// Number and columns of connections in the earlier version and in the current one.
const BEFORE: &str =
    "SELECT CAST(count(*) AS TEXT) || ' ' || CAST(count(DISTINCT users.user_id) AS TEXT) || ' ' || max(t.document)
    FROM connections AS t JOIN users USING (team_id, user_id)";
const AFTER: &str =
    "SELECT CAST(count(*) AS TEXT) || ' ' || CAST(count(DISTINCT users.user_id) AS TEXT) || ' ' || max(t.document)
    FROM connections AS t JOIN users ON t.user_row = users.id";

/// Runs a command that opens a store, killed at random, until it is up to date. `version` and `rows` inspect it from
/// outside. Returns the number of kills after which it had the earlier version.
fn open_under_fire(
    command: impl Fn() -> Command,
    (earlier, later): (i64, i64),
    version: impl Fn() -> i64,
    rows: impl Fn(&str) -> String,
) -> u32 {
    let seed = Seed::one(4);
    let mut chance = ChaCha8Rng::seed_from_u64(seed.number());
    let (expected, mut unchanged) = (rows(BEFORE), 0);
    // Later each time, until it completes.
    let mut longest = Duration::from_millis(40);
    loop {
        let mut child = command()
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let since = Instant::now();
        let wait = longest.mul_f64(chance.random_range(0.5..1.0));
        while since.elapsed() < wait && child.try_wait().expect("is there").is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("is killed, or is over");
        let output = child.wait_with_output().expect("it ends");
        assert!(
            output.status.success() || output.status.code().is_none(),
            "{}",
            error(&output)
        );
        match version() {
            found if found == earlier => {
                assert_eq!(rows(BEFORE), expected);
                unchanged += 1;
            }
            found => {
                assert_eq!((found, rows(AFTER)), (later, expected));
                let output = command().output().expect("runs");
                assert!(output.status.success(), "{}", error(&output));
                return unchanged;
            }
        }
        longest = longest.mul_f64(1.7);
    }
}

#[test]
fn a_store_is_brought_up_to_date_as_a_whole_or_not_at_all() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.data()).expect("a directory");
    let file = fixture.data().join("wearlab.db");
    fs::write(&file, VERSION_6).expect("writes");
    let raw = || {
        let raw = Connection::open(&file).expect("a database");
        wearlab_store::add_row_checksum_functions(&raw).expect("adds them");
        raw
    };
    raw()
        .execute_batch(&format!(
            "BEGIN;
            CREATE TEMP TABLE many AS WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < {USERS})
                SELECT n, (SELECT min(team_id) FROM teams) AS team, randomblob(16) AS user FROM many;
            INSERT INTO users (team_id, user_id, client_user_id, created_on, document)
                SELECT team, user, 'many-' || n, n, hex(randomblob(150)) FROM many;
            INSERT INTO connections (team_id, user_id, slug, created_on, document)
                SELECT team, user, 'stridewell', n, hex(randomblob(150)) FROM many;
            INSERT INTO days (team_id, user_id, provider, resource, day, source, hash)
                SELECT team, user, 'stridewell', 'steps', '2026-05-01', '{{}}', randomblob(32) FROM many;
            COMMIT;"
        ))
        .expect("fills");
    let version = || {
        raw()
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .expect("a version")
    };
    let rows = |sql: &str| raw().query_row(sql, [], |row| row.get(0)).expect("rows");
    let unchanged = open_under_fire(|| fixture.command(&["keys", "list"]), (6, 23), version, rows);
    assert!(unchanged > 0, "it was never cut short");
    let damage: String = raw()
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .expect("reads");
    assert_eq!(damage, "ok");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_is_brought_up_to_date_as_a_whole_or_not_at_all() {
    let url = schema("upgrade_killed");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let client = runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        client
    });
    let many = format!(
        "CREATE TEMP TABLE many AS SELECT n, (SELECT team_id FROM teams ORDER BY team_id LIMIT 1) AS team,
            decode(md5(CAST(n AS text)), 'hex') AS id FROM generate_series(1, {USERS}) AS n;
        INSERT INTO users (team_id, user_id, client_user_id, created_on, document)
            SELECT team, id, 'many-' || n, n, '' FROM many;
        INSERT INTO connections (team_id, user_id, slug, created_on, document)
            SELECT team, id, 'stridewell', n, md5(CAST(n AS text)) FROM many;
        INSERT INTO days (team_id, user_id, provider, resource, day, source, hash)
            SELECT team, id, 'stridewell', 'steps', '2026-05-01', '', id FROM many"
    );
    runtime.block_on(client.batch_execute(VERSION_2)).expect("fills");
    runtime.block_on(client.batch_execute(&many)).expect("fills");
    let one = |sql: &str| {
        // The server first ends the statement of the killed process.
        let lock = "SELECT pg_advisory_xact_lock(1466261874, hashtext(current_schema()))";
        runtime.block_on(client.batch_execute(lock)).expect("ends");
        runtime.block_on(client.query_one(sql, &[])).expect("a row")
    };
    let version = || one("SELECT version FROM schema_version").get(0);
    let rows = |sql: &str| one(sql).get(0);
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
        command
            .args(["keys", "list"])
            .env("WEARLAB_DATABASE__URL", &url)
            .env_remove("WEARLAB_TEST_DATABASE")
            .env_remove("WEARLAB_POSTGRES_SERVER")
            .env_remove("RUST_LOG");
        command
    };
    let unchanged = open_under_fire(command, (2, 19), version, rows);
    assert!(unchanged > 0, "it was never cut short");
}

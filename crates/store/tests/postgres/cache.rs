//! Document cache: users are cached until any process changes them.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use uuid::Uuid;
use wearlab_models::User;
use wearlab_store::{Ingested, PostgresSettings, Store, StoreError, TeamId};

use crate::arriving::{AT, NO_FORMS, USER, day, ingestion};
use crate::server::{Schema, populated, wait};
use crate::world::user;

const READERS: usize = 4;
const WRITES: u32 = 200;

/// Returns the user of the tests with a number as `client_user_id`.
fn numbered(team: TeamId, number: u32) -> User {
    let mut user = user(team, USER, AT);
    user.client_user_id = number.to_string();
    user
}

fn put(store: &Store, team: TeamId, number: u32) {
    wait(store.write(|write| write.put_user(team, &numbered(team, number)))).expect("writes");
}

fn number_of(user: &Value) -> Option<u32> {
    user["client_user_id"].as_str()?.parse().ok()
}

/// Reads the number of the user by id and from a page.
fn numbers(store: &Store, team: TeamId) -> [Option<u32>; 2] {
    let one = wait(store.team(team).user(Uuid::from_u128(USER))).expect("reads");
    let page = wait(store.team(team).user_list(0, 10)).expect("reads");
    let one: Option<Value> = one.map(|user| serde_json::from_slice(user.as_bytes()).expect("JSON"));
    let page: Value = serde_json::from_slice(page.as_bytes()).expect("JSON");
    [one.as_ref().and_then(number_of), number_of(&page["users"][0])]
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_anybody_wrote_is_read_at_once() {
    let schema = Schema::new();
    let (store, other) = (schema.store(), schema.store());
    let team = populated(&store);
    let raw = schema.raw();
    for round in 1..20 {
        put(&other, team, round);
        for _ in 0..3 {
            assert_eq!(numbers(&store, team), [Some(round); 2]);
        }
        raw.run(&format!(
            "UPDATE users SET client_user_id = '{0}', document = replace(document, '\"{round}\"', '\"{0}\"')",
            round + 100
        ));
        for _ in 0..3 {
            assert_eq!(numbers(&store, team), [Some(round + 100); 2]);
        }
    }
    // Another client names the table, with a different search path.
    let schema_name = raw.texts("SELECT current_schema()").remove(0);
    raw.run(&format!(
        "BEGIN; SET LOCAL search_path = pg_catalog;
        UPDATE {schema_name}.users SET client_user_id = '7', document = replace(document, '\"119\"', '\"7\"'); COMMIT"
    ));
    assert_eq!(numbers(&store, team), [Some(7); 2]);
    assert!(wait(other.forget(team, Uuid::from_u128(USER))).expect("deletes"));
    assert_eq!(numbers(&store, team), [None; 2]);
    put(&other, team, 1);
    assert_eq!(numbers(&store, team), [Some(1); 2]);
    raw.run("TRUNCATE users CASCADE");
    let gone = wait(store.team(team).user(Uuid::from_u128(USER))).expect("reads");
    assert!(gone.is_none());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_is_rolled_back_hides_nothing_that_is_written_after_it() {
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    put(&store, team, 1);
    assert_eq!(numbers(&store, team), [Some(1); 2]);
    let undone = StoreError::Missing { what: "nothing" };
    let written = wait(store.write(|write| {
        let attempt = write.attempt(|write| {
            write.put_user(team, &numbered(team, 2))?;
            Err::<(), _>(StoreError::Missing { what: "nothing" })
        });
        assert_eq!(attempt.map_err(|error| error.to_string()), Err(undone.to_string()));
        write.put_user(team, &numbered(team, 3))
    }));
    written.expect("writes");
    assert_eq!(numbers(&store, team), [Some(3); 2]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn no_read_is_behind_a_write_that_ended_before_it() {
    let schema = Schema::new();
    let (store, writer) = (schema.store(), schema.store());
    let team = populated(&store);
    put(&writer, team, 0);
    let written = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                while written.load(Ordering::Acquire) < WRITES {
                    let before = written.load(Ordering::Acquire);
                    for read in numbers(&store, team) {
                        assert!(read >= Some(before), "{read:?} after {before}");
                    }
                }
            });
        }
        for number in 1..=WRITES {
            put(&writer, team, number);
            written.store(number, Ordering::Release);
            if number % 3 == 0 {
                // Time in which reads are served from the cache.
                thread::sleep(Duration::from_millis(3));
            }
        }
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_is_known_is_not_read_again() {
    let schema = Schema::alone();
    let settings = PostgresSettings {
        statement_timeout: Duration::from_millis(500),
        ..schema.settings()
    };
    let store = wait(Store::connect(&settings, &[])).expect("a store");
    let team = populated(&store);
    put(&store, team, 1);
    let (raw, other) = (schema.raw(), schema.store());
    // The first data of a resource change the row of the user, but no field of a read of users.
    let shows = "SELECT available FROM users";
    let before = raw.texts(shows);
    let arrivals = [(1, false), (2, true)].map(|(value, forgets)| (day("2026-05-01", value), forgets));
    for (arrival, forgets) in arrivals {
        for _ in 0..2 {
            assert_eq!(numbers(&store, team), [Some(1); 2]);
        }
        let ingestion = ingestion(NO_FORMS);
        let taken = wait(other.write(|write| write.ingest(&arrival, &ingestion)));
        assert_eq!(taken.expect("writes"), Ingested::Taken);
        wait(other.share(Uuid::from_u128(9), &[], Duration::from_secs(9))).expect("shares");
        if forgets {
            put(&other, team, 2);
        }
        // Reads of the table now block.
        raw.run("BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE");
        let one = wait(store.team(team).user(Uuid::from_u128(USER)));
        let page = wait(store.team(team).user_list(0, 10));
        let other = wait(store.team(team).user(Uuid::from_u128(USER + 1)));
        raw.run("ROLLBACK");
        assert!(matches!(other, Err(StoreError::Busy)), "{other:?}");
        for known in [one.is_ok(), page.is_ok()] {
            assert_eq!(known, !forgets);
        }
    }
    assert_ne!(raw.texts(shows), before);
}

/// A stopped process of the server, which continues on drop.
struct StoppedProcess(String);

impl StoppedProcess {
    fn new(pid: &str) -> Self {
        let stopped = Self(pid.to_owned());
        stopped.send("-STOP");
        stopped
    }

    fn send(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.0]).status();
        assert!(status.expect("runs").success(), "{signal} {}", self.0);
    }
}

impl Drop for StoppedProcess {
    fn drop(&mut self) {
        self.send("-CONT");
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn reads_go_on_where_the_question_has_no_response() {
    let schema = Schema::alone();
    let settings = PostgresSettings {
        url: format!("{}&application_name=asked", schema.url()),
        ..schema.settings()
    };
    let store = wait(Store::connect(&settings, &[])).expect("a store");
    let team = populated(&store);
    put(&store, team, 1);
    let raw = schema.raw();
    let asks = "SELECT pid::text FROM pg_stat_activity
        WHERE application_name = 'asked' AND query LIKE '%users_changed%'";
    // The server may run a statement of its own, so this is repeated until the last statement is a read.
    let asked = (0..20).find_map(|_| {
        numbers(&store, team);
        let asked = raw.texts(asks);
        (asked.len() == 1).then_some(asked)
    });
    let asked = asked.expect("a connection that asked last");
    let stopped = StoppedProcess::new(&asked[0]);
    let since = Instant::now();
    for _ in 0..20 {
        assert_eq!(numbers(&store, team), [Some(1); 2]);
    }
    // At most two queries on a slow machine, although each of 40 reads could wait for one.
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
    drop(stopped);
    put(&store, team, 2);
    assert_eq!(numbers(&store, team), [Some(2); 2]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn two_connections_suffice() {
    let schema = Schema::new();
    let settings = PostgresSettings {
        connections: 2,
        ..schema.settings()
    };
    let store = wait(Store::connect(&settings, &[])).expect("a store");
    let team = populated(&store);
    put(&store, team, 0);
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert!(numbers(&store, team).iter().all(Option::is_some));
                }
            });
        }
        for number in 1..50 {
            put(&store, team, number);
        }
    });
}

//! A server that hangs with its connections open: all waits end.

use std::thread;
use std::time::{Duration, Instant};

use wearlab_clock::deadline::within;
use wearlab_store::{PostgresSettings, Store, StoreError};

use crate::server::{Schema, elsewhere, message, populated, server, wait};

/// Time limit of a statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(1);
/// Upper bound until a waiting operation fails. Machines are slow.
const BOUND: Duration = Duration::from_secs(25);

fn store(schema: &Schema, name: &str) -> Store {
    let settings = PostgresSettings {
        statement_timeout: STATEMENT_TIMEOUT,
        ..PostgresSettings::new(format!("{}&application_name={name}", schema.url()))
    };
    wait(Store::connect(&settings, &[])).expect("a store")
}

/// Guard of a paused server, which resumes on drop, also if a test fails.
struct PausedServer;

impl PausedServer {
    fn begin() -> Self {
        server("pause");
        Self
    }
}

impl Drop for PausedServer {
    fn drop(&mut self) {
        server("resume");
    }
}

fn assert_unreachable<T>(result: Result<T, StoreError>, since: Instant) {
    let Err(error) = result else {
        panic!("the server says nothing")
    };
    assert!(
        matches!(error, StoreError::Unreachable(_) | StoreError::Busy),
        "{}",
        message(&error)
    );
    assert!(since.elapsed() < BOUND, "{:?}", since.elapsed());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn reads_and_writes_end_and_late_responses_are_nobodys() {
    let schema = Schema::alone();
    let store = store(&schema, "silent");
    let team = populated(&store);
    let names: Vec<String> = (0..8).map(|number| format!("note-{number}")).collect();
    for name in &names {
        wait(store.write(|write| write.put_meta(name, name))).expect("writes");
    }
    let read = |name: &String| wait(store.meta(name));
    // As many connections as threads. The pool has all of them when the server stops.
    let read_all = || {
        thread::scope(|scope| {
            let reads: Vec<_> = names
                .iter()
                .map(|name| scope.spawn(move || (name, read(name))))
                .collect();
            reads
                .into_iter()
                .map(|read| read.join().expect("no panic"))
                .collect::<Vec<_>>()
        })
    };
    read_all();
    let sessions = "SELECT pid::text FROM pg_stat_activity WHERE application_name = 'silent'";
    let before = schema.raw().texts(sessions);
    assert!(!before.is_empty());

    let paused = PausedServer::begin();
    let since = Instant::now();
    for (_, result) in read_all() {
        assert_unreachable(result, since);
    }
    let since = Instant::now();
    assert_unreachable(wait(store.write(|write| write.put_meta("written", "in vain"))), since);
    let since = Instant::now();
    assert_unreachable(wait(store.team(team).users(0, 1)), since);
    let since = Instant::now();
    assert_unreachable(
        wait(Store::connect(&schema.settings(), &[])).map_err(|error| match error {
            StoreError::Unavailable { source, .. } => StoreError::Unreachable(source),
            other => other,
        }),
        since,
    );
    drop(paused);

    // After the server has resumed, each read gets its own response, repeatedly.
    let since = Instant::now();
    while wait(store.check()).is_err() {
        assert!(since.elapsed() < BOUND, "it goes on");
    }
    for _ in 0..20 {
        for (name, result) in read_all() {
            assert_eq!(result.expect("reads").as_ref(), Some(name));
        }
    }
    assert_eq!(wait(store.meta("written")).expect("reads"), None);
    let after = schema.raw().texts(sessions);
    let kept: Vec<_> = after.iter().filter(|session| before.contains(session)).collect();
    // Connections with overdue responses were closed. Idle ones stay in use.
    assert!(kept.len() < before.len(), "{kept:?} of {before:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn whoever_waits_less_is_reported_sooner() {
    let schema = Schema::alone();
    // The statement time-out is thirty seconds.
    let store = schema.store();
    let team = populated(&store);
    wait(store.team(team).users(0, 1)).expect("reads");
    let paused = PausedServer::begin();
    let limit = Duration::from_millis(500);
    let since = Instant::now();
    thread::scope(|scope| {
        // There are more reads than connections, so some wait for a permit.
        for _ in 0..12 {
            scope.spawn(|| {
                let read = wait(within(limit, store.team(team).users(0, 1)));
                let Err(error) = read else {
                    panic!("the server says nothing")
                };
                assert!(error.is_transient(), "{}", message(&error));
            });
        }
    });
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    drop(paused);
    let since = Instant::now();
    while wait(within(Duration::from_secs(2), store.check())).is_err() {
        assert!(since.elapsed() < BOUND, "it goes on");
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_commit_without_a_response_is_reported_as_such_and_may_be_repeated() {
    let schema = Schema::alone();
    let store = store(&schema, "commit");
    populated(&store);
    let mut paused = None;
    let since = Instant::now();
    let put = |store: &Store| wait(store.write(|write| write.put_meta("once", "or twice")));
    let failed = wait(store.write(|write| {
        write.put_meta("once", "or twice")?;
        paused = Some(elsewhere(PausedServer::begin));
        Ok(())
    }));
    let Err(error) = failed else {
        panic!("the server says nothing")
    };
    assert!(matches!(error, StoreError::CommitUnknown(_)), "{}", message(&error));
    assert!(error.is_transient());
    assert!(since.elapsed() < BOUND, "{:?}", since.elapsed());
    drop(paused);
    let since = Instant::now();
    while put(&store).is_err() {
        assert!(since.elapsed() < BOUND, "it goes on");
    }
    assert_eq!(wait(store.meta("once")).expect("reads").as_deref(), Some("or twice"));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_write_that_was_begun_ends_at_once_when_one_response_is_overdue() {
    let schema = Schema::alone();
    let store = store(&schema, "begun");
    populated(&store);
    let mut paused = None;
    let since = Instant::now();
    let failed = wait(store.write(|write| {
        paused = Some(elsewhere(PausedServer::begin));
        // An import line by line does this: each failure rolls back a savepoint.
        for _ in 0..20 {
            let _ = write.attempt(|write| write.put_meta("never", "there"));
        }
        Ok(())
    }));
    assert_unreachable(failed, since);
    drop(paused);
    let since = Instant::now();
    while wait(store.check()).is_err() {
        assert!(since.elapsed() < BOUND, "it goes on");
    }
    assert_eq!(wait(store.meta("never")).expect("reads"), None);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_store_without_a_limit_for_statements_is_refused() {
    let schema = Schema::new();
    let settings = PostgresSettings {
        statement_timeout: Duration::ZERO,
        ..schema.settings()
    };
    let error = wait(Store::connect(&settings, &[])).expect_err("is refused");
    assert!(
        message(&error).contains("statement timeout is zero"),
        "{}",
        message(&error)
    );
}

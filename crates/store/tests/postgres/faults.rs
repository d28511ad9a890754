//! Servers that stop and restart, are full, or are paused.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use wearlab_store::{EventFilter, PostgresSettings, Store, StoreError, Transaction};

use crate::arriving::{NO_FORMS, arrival, ingestion};
use crate::server::{Raw, Schema, elsewhere, message, passes, populated, server, server_url, wait};

/// Writes a note, and data that cause an event: both or none.
fn note_and_event(write: &mut Transaction<'_>, number: u32) -> Result<(), StoreError> {
    let day = chrono::NaiveDate::from_num_days_from_ce_opt(700_000 + number.cast_signed()).expect("a day");
    let data = serde_json::json!({"date": day, "data": [{"timestamp": format!("{day}T10:00:00Z"), "value": number}]});
    write.put_meta(&format!("note-{number}"), "is here")?;
    match number % 2 {
        0 => write.ingest(&arrival("data", data), &ingestion(NO_FORMS)).map(drop),
        // Uses a savepoint, as an import and an ingest do.
        _ => write.attempt(|write| write.ingest(&arrival("data", data), &ingestion(NO_FORMS)).map(drop)),
    }
}

/// Runs an action on the server while a store is used, and starts the server again.
fn lives_through(action: &str) {
    const THREADS: u32 = 2;
    let schema = Schema::alone();
    let store = schema.store();
    let team = populated(&store);
    let (numbers, acknowledged) = (AtomicU32::new(0), Mutex::new(BTreeSet::new()));
    let (reads, failures) = (AtomicU32::new(0), AtomicU32::new(0));
    let ended = AtomicBool::new(false);
    let failed = |error: &StoreError| {
        assert!(passes(error), "{}", message(error));
        failures.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(20));
    };
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let number = numbers.fetch_add(1, Ordering::Relaxed);
                    match wait(store.write(|write| note_and_event(write, number))) {
                        Ok(()) => drop(acknowledged.lock().expect("no panic").insert(number)),
                        Err(error) => failed(&error),
                    }
                }
            });
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    match wait(store.team(team).users(0, 10)) {
                        Ok(page) => {
                            assert_eq!(page.total, 1);
                            reads.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => failed(&error),
                    }
                }
            });
        }
        let _others = EndGuard(&ended);
        let written = || acknowledged.lock().expect("no panic").len();
        for _ in 0..2 {
            let (writes_before, reads_before) = (written() + 20, reads.load(Ordering::Relaxed) + 20);
            until(|| written() > writes_before && reads.load(Ordering::Relaxed) > reads_before);
            let failures_before = failures.load(Ordering::Relaxed);
            server(action);
            until(|| failures.load(Ordering::Relaxed) > failures_before + 2 * THREADS);
            assert!(
                wait(store.check()).is_err_and(|error| passes(&error)),
                "the store says that it cannot answer"
            );
            server("start");
            until(|| wait(store.check()).is_ok());
        }
        let writes_before = written() + 20;
        until(|| written() > writes_before);
    });
    let notes = schema.raw().texts("SELECT name FROM meta WHERE name LIKE 'note-%'");
    let notes: BTreeSet<u32> = notes
        .iter()
        .map(|note| note["note-".len()..].parse().expect("a number"))
        .collect();
    let log = wait(store.events(&EventFilter::default(), usize::MAX)).expect("reads");
    let events = log.iter().map(|event| {
        let payload: Value = serde_json::from_slice(event.payload.as_bytes()).expect("JSON");
        let number = payload["data"]["data"][0]["value"].as_u64().expect("a number");
        u32::try_from(number).expect("fits")
    });
    let events: Vec<u32> = events.collect();
    assert_eq!(
        events.iter().copied().collect::<BTreeSet<_>>(),
        notes,
        "nothing is half written"
    );
    assert_eq!(events.len(), notes.len(), "nothing is written twice");
    let acknowledged = acknowledged.into_inner().expect("no panic");
    assert!(acknowledged.is_subset(&notes), "nothing that was acknowledged is lost");
}

/// Guard that ends the other threads, also if this one panics.
struct EndGuard<'a>(&'a AtomicBool);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn until(done: impl Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < Duration::from_secs(60), "it does not happen");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_is_stopped_and_started_loses_nothing() {
    lives_through("stop");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_is_killed_loses_nothing() {
    lives_through("kill");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_whose_connections_are_all_taken_is_out_of_reach_until_one_is_free() {
    let schema = Schema::alone();
    let store = schema.store();
    let team = populated(&store);
    let mut others = Vec::new();
    while let Ok(other) = Raw::connect(&server_url()) {
        others.push(other);
    }
    assert!(others.len() > 10);
    let read = || wait(store.team(team).users(0, 1));
    // The store keeps its connection.
    assert!(read().is_ok());
    let written = wait(store.write(|write| {
        write.put_meta("one", "1")?;
        let error = elsewhere(read).expect_err("there is no second one");
        assert!(matches!(error, StoreError::Unreachable(_)), "{}", message(&error));
        write.put_meta("two", "2")
    }));
    written.expect("writes");
    let refused = wait(Store::connect(&schema.settings(), &[])).expect_err("is refused");
    assert!(message(&refused).contains("too many"), "{}", message(&refused));
    others.truncate(1);
    until(|| wait(Store::connect(&schema.settings(), &[])).is_ok());
    let written = wait(store.write(|write| {
        elsewhere(read).expect("reads");
        write.put_meta("three", "3")
    }));
    written.expect("writes");
}

fn impatient(schema: &Schema) -> Store {
    let settings = PostgresSettings {
        statement_timeout: Duration::from_millis(300),
        ..schema.settings()
    };
    wait(Store::connect(&settings, &[])).expect("a store")
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_write_that_waits_too_long_is_reported_as_busy() {
    let schema = Schema::new();
    let store = impatient(&schema);
    let team = populated(&store);
    let other = schema.raw();
    other.run("BEGIN; LOCK TABLE revisions IN SHARE ROW EXCLUSIVE MODE");
    let started = Instant::now();
    let failed = wait(store.write(|write| write.put_meta("a", "b")));
    assert!(matches!(failed, Err(StoreError::Busy)), "{failed:?}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(wait(store.team(team).users(0, 1)).expect("reads go on").total, 1);
    wait(store.changes()).expect("reads go on");
    other.run("COMMIT");
    wait(store.write(|write| write.put_meta("a", "b"))).expect("writes");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_slow_statement_is_cancelled_and_reported_as_busy() {
    let schema = Schema::new();
    let store = impatient(&schema);
    let raw = schema.raw();
    raw.run(
        "ALTER TABLE cancellation_reasons RENAME TO reasons;
        CREATE VIEW cancellation_reasons AS SELECT reasons.* FROM pg_sleep(20) LEFT JOIN reasons ON true",
    );
    let started = Instant::now();
    let failed = wait(store.cancellation_reasons());
    assert!(matches!(failed, Err(StoreError::Busy)), "{failed:?}");
    assert!(started.elapsed() < Duration::from_secs(5));
    let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%cancellation_reasons%'
        AND pid <> pg_backend_pid()";
    assert_eq!(raw.number(running), 0, "the server works on it no more");
    raw.run("DROP VIEW cancellation_reasons; ALTER TABLE reasons RENAME TO cancellation_reasons");
    assert!(wait(store.cancellation_reasons()).expect("reads").is_empty());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn whoever_stops_within_a_write_holds_up_others_for_seconds_only() {
    let schema = Schema::new();
    let (store, other) = (schema.store(), schema.store());
    populated(&store);
    let paused = wait(store.write(|write| {
        write.put_meta("paused", "within")?;
        let started = Instant::now();
        elsewhere(|| wait(other.write(|write| write.put_meta("other", "went on")))).expect("writes");
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
        write.put_meta("paused", "again")
    }));
    assert!(matches!(paused, Err(StoreError::Unreachable(_))), "{paused:?}");
    assert_eq!(wait(store.meta("paused")).expect("goes on"), None);
    assert_eq!(wait(store.meta("other")).expect("reads"), Some("went on".to_owned()));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_export_may_be_read_slowly() {
    let schema = Schema::new();
    let store = schema.store();
    populated(&store);
    let mut records = 0;
    let exported = wait(store.export(|_| {
        if records == 0 {
            thread::sleep(Duration::from_secs(7));
        }
        records += 1;
        Ok::<_, StoreError>(())
    }));
    exported.expect("exports");
    assert_eq!(records, 4);
}

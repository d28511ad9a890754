//! Schema versions: older ones are upgraded completely, newer ones are refused.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use wearlab_store::{DeprecatedForms, Ingested, LabTestRecord, Record, Store, StoreError};

use crate::arriving::{AT, day, ingest, ingestion, log, made, try_ingest, world};
use crate::records::{put, records};
use crate::world::{connection, exported};

const FIRST: &str = include_str!("../../../src/migrations/sqlite/0001_initial.sql");

/// Creates a file of the first version, with all rows of a current store that it can hold.
fn first_version(of: &Path, directory: &Path) {
    let old = Connection::open(directory.join("wearlab.db")).expect("a database");
    old.execute_batch("PRAGMA foreign_keys = OFF").expect("in any order");
    old.execute_batch(FIRST).expect("the first schema");
    old.execute("ATTACH ?1 AS today", [of.join("wearlab.db").display().to_string()])
        .expect("attaches");
    let sql = "SELECT m.name, group_concat('\"' || c.name || '\"') FROM sqlite_schema m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' GROUP BY m.name";
    let mut tables = old.prepare(sql).expect("a query");
    let tables = tables
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("reads");
    let tables: Vec<(String, String)> = tables.collect::<Result<_, _>>().expect("tables");
    assert!(tables.len() > 15, "{tables:?}");
    for (table, columns) in tables {
        // Tables that refer to the row number of a user today had the ids of team and user.
        let from = match hangs_on_users(&old, &table) {
            true => format!("today.{table} AS t JOIN today.users AS u ON t.user_row = u.id"),
            false => format!("today.{table} AS t"),
        };
        let columns: Vec<_> = columns.split(',').collect();
        let selected = columns.iter().map(|column| match *column {
            "\"team_id\"" | "\"user_id\"" if from.contains(" JOIN ") => format!("u.{column}"),
            column => format!("t.{column}"),
        });
        let (selected, columns) = (selected.collect::<Vec<_>>().join(", "), columns.join(", "));
        let sql = format!("INSERT INTO main.{table} ({columns}) SELECT {selected} FROM {from}");
        old.execute_batch(&sql).expect("copies");
    }
    old.execute_batch(
        "DETACH today; PRAGMA application_id = 0x57656172; PRAGMA user_version = 1; PRAGMA journal_mode = WAL",
    )
    .expect("marks it");
}

/// Returns whether a current table refers to the rows of users.
fn hangs_on_users(old: &Connection, table: &str) -> bool {
    let sql = "SELECT count(*) FROM pragma_table_info(?1, 'today') WHERE name = 'user_row'";
    old.query_row(sql, [table], |row| row.get::<_, i64>(0)).expect("reads") > 0
}

/// Converts a record to the first version, which has no orders, and only the names of lab tests.
fn of_first_version(record: Record) -> Option<Record> {
    match record {
        Record::Order(_) => None,
        Record::LabTest(test) => Some(Record::LabTest(LabTestRecord { details: None, ..test })),
        record => Some(record),
    }
}

#[tokio::test]
async fn a_store_of_the_first_version_is_brought_up_to_date() {
    let today = world().await;
    let records: Vec<_> = records().into_iter().filter_map(of_first_version).collect();
    put(&today.store, &records).await.expect("writes");
    let before = exported(&today.store).await;
    assert!(before.len() > 20);
    let directory = tempfile::tempdir().expect("a directory");
    first_version(today.directory.path(), directory.path());
    let old = fs::read(directory.path().join("wearlab.db")).expect("reads");

    let store = Store::open(directory.path()).expect("is brought up to date");
    assert_eq!(exported(&store).await, before);
    let team = store.team(today.team);
    let tests = team
        .lab_tests(None, None, 10)
        .await
        .expect("reads")
        .expect("no account");
    assert!(tests.lab_tests.is_empty(), "what lists show of tests is not known");
    assert_eq!(team.lab_test("t2", None).await.expect("reads"), None);
    let markers = team.markers("t2", None, 1, 10).await.expect("reads").expect("the test");
    assert_eq!(markers.total, 2, "it is there");
    let taken = try_ingest(&store, &day("2026-05-01", 1), &ingestion(DeprecatedForms::default())).await;
    assert_eq!(taken.expect("is like any other"), Ingested::Taken);
    let known = connection("stridewell", AT);
    let again = try_ingest(&store, &made(&known), &ingestion(DeprecatedForms::default())).await;
    assert_eq!(again.expect("is taken"), Ingested::Taken, "what data has set is undone");
    assert_eq!(log(&store).await.len(), 1, "it was made before");
    drop(store);
    let store = Store::open(directory.path()).expect("opens again");
    assert_eq!(log(&store).await.len(), 1);

    // A copy of the first version is restored, too.
    let (copy, other) = (directory.path().join("copy.db"), directory.path().join("other"));
    fs::write(&copy, old).expect("writes");
    Store::restore(&copy, &other).expect("puts back");
    assert_eq!(exported(&Store::open(&other).expect("opens")).await, before);
}

#[tokio::test]
async fn a_newer_version_is_refused_and_left_alone() {
    let world = world().await;
    ingest(&world, &[day("2026-05-01", 1)]).await;
    let file = world.directory.path().join("wearlab.db");
    drop(world.store);
    let raw = wearlab_checksum_vfs::open(&file, rusqlite::OpenFlags::default()).expect("a database");
    let known: i64 = raw
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("a version");
    for newer in [known + 1, 99] {
        raw.pragma_update(None, "user_version", newer).expect("sets it");
        let error = Store::open(world.directory.path()).expect_err("is refused");
        let fits = matches!(&error, StoreError::NewerSchema { path, found, known: message }
            if *path == file && *found == newer && *message == known);
        assert!(fits, "{error:?}");
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    }
    raw.pragma_update(None, "user_version", known).expect("sets it");
    drop(raw);
    assert_eq!(log(&Store::open(world.directory.path()).expect("opens")).await.len(), 1);
}

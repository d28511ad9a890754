//! Upgrades of a file of an earlier version: it is complete, or the file is unchanged.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use wearlab_store::{Store, StoreError};

use crate::earlier::{EXPORT, assert_up_to_date};
use crate::world::exported;

/// A file of version 6.
const VERSION_6: &[u8] = include_bytes!("../../versions/embedded-6.db");

fn earlier() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("wearlab.db"), VERSION_6).expect("writes");
    directory
}

fn raw(directory: &Path) -> Connection {
    let raw = Connection::open(directory.join("wearlab.db")).expect("a database");
    wearlab_store::add_row_checksum_functions(&raw).expect("adds them");
    raw
}

/// Returns the rows of a table, each with the row number of its user, by the columns that refer to users.
fn rows(directory: &Path, table: &str, columns: &str, user: &str) -> Vec<String> {
    let raw = raw(directory);
    let sql = format!("SELECT concat_ws(' ', users.id, {columns}) FROM {table} AS t JOIN users {user} ORDER BY 1");
    let mut rows = raw.prepare(&sql).expect("a query");
    let rows = rows.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

#[tokio::test]
async fn a_store_of_version_6_is_brought_up_to_date() {
    let directory = earlier();
    let tables = [
        ("connections", 5, "t.id, slug, t.created_on, t.document, hex(made)"),
        ("devices", 3, "t.id, hex(t.team_id), hex(device_id), t.document"),
        ("arrivals", 3, "t.id, arrival_id, taken_on"),
        ("days", 7, "provider, resource, day, source, hex(hash)"),
        (
            "pulls",
            3,
            "t.id, provider, resource, pull_id, chunks, arrived, bytes, touched_on",
        ),
    ];
    let before = tables.map(|(table, _, columns)| rows(directory.path(), table, columns, "USING (team_id, user_id)"));
    let store = Store::open(directory.path()).expect("is brought up to date");
    for ((table, count, columns), before) in tables.into_iter().zip(before) {
        assert_eq!(before.len(), count, "{table}");
        assert_eq!(
            rows(directory.path(), table, columns, "ON user_row = users.id"),
            before,
            "{table}"
        );
    }
    assert_up_to_date(&store).await;
    let verified = store.verify().await.expect("reads");
    assert!(verified.damage.is_empty(), "{verified:?}");
    let copy = directory.path().join("copy.db");
    store.backup(&copy).await.expect("copies");
    let after = exported(&store).await;
    let restored = directory.path().join("restored");
    Store::restore(&copy, &restored).expect("restores");
    assert_eq!(exported(&Store::open(&restored).expect("opens")).await, after);
}

#[tokio::test]
async fn a_copy_of_version_6_is_restored() {
    let directory = earlier();
    let restored = directory.path().join("restored");
    Store::restore(&directory.path().join("wearlab.db"), &restored).expect("restores");
    // An earlier program would write pages without checksums into it, and so must refuse it.
    let version: i64 = raw(&restored)
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("reads");
    assert!(version > 20, "{version}");
    let store = Store::open(&restored).expect("is brought up to date");
    assert_eq!(exported(&store).await, EXPORT.lines().collect::<Vec<_>>());
}

#[test]
fn stores_that_open_it_at_the_same_time_upgrade_it_once() {
    for _ in 0..10 {
        let directory = earlier();
        let opened: Vec<_> = std::thread::scope(|scope| {
            let open = || scope.spawn(|| Store::open(directory.path()));
            let opening: Vec<_> = std::iter::repeat_with(open).take(4).collect();
            opening.into_iter().map(|one| one.join().expect("ends")).collect()
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        for store in opened {
            let store = store.expect("opens");
            let lines = runtime.block_on(exported(&store));
            assert_eq!(lines, EXPORT.lines().collect::<Vec<_>>());
        }
        let names = fs::read_dir(directory.path()).expect("a directory");
        let mut names = names.map(|entry| entry.expect("an entry").file_name());
        assert!(names.all(|name| !name.to_string_lossy().contains("upgrade")));
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_target_is_upgraded() {
    let (directory, volume) = (tempfile::tempdir().expect("a directory"), earlier());
    let (link, file) = (directory.path().join("wearlab.db"), volume.path().join("wearlab.db"));
    std::os::unix::fs::symlink(&file, &link).expect("links");
    drop(Store::open(directory.path()).expect("is brought up to date"));
    assert_eq!(fs::read_link(&link).expect("a link"), file);
    let version: i64 = raw(volume.path())
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("reads");
    assert!(version > 20, "{version}");
}

#[test]
fn what_is_damaged_is_not_brought_up_to_date() {
    for table in ["users", "connections", "days"] {
        let directory = earlier();
        let file = directory.path().join("wearlab.db");
        // A value that differs from its checksum, like after a flipped bit.
        let column = if table == "days" { "source" } else { "document" };
        let other = Connection::open(&file).expect("a database");
        let stale = |_: &rusqlite::functions::Context<'_>| Ok(1);
        let flags = rusqlite::functions::FunctionFlags::SQLITE_DETERMINISTIC;
        other
            .create_scalar_function("row_checksum", -1, flags, stale)
            .expect("adds it");
        other
            .create_scalar_function("row_intact", -1, flags, stale)
            .expect("adds it");
        let sql = format!("UPDATE {table} SET {column} = {column} || ' '");
        other.execute_batch(&sql).expect("writes");
        drop(other);

        let error = Store::open(directory.path()).expect_err("is damaged");
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        let copied = Store::restore(&file, &directory.path().join("restored")).expect_err("is damaged");
        assert!(matches!(copied, StoreError::Damaged { .. }), "{copied:?}");
        let version: i64 = raw(directory.path())
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .expect("reads");
        assert_eq!(version, 6, "{table}");
    }
}

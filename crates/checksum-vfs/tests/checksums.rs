//! Tests of round trips, and of damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

const PAGE: usize = 4096;

/// Script that adds rows, values of several pages, an index, and deletions.
const FILL: &str = "CREATE TABLE notes (id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
    CREATE INDEX notes_by_name ON notes (name);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 400)
        INSERT INTO notes SELECT n, 'name ' || (n * 7 % 400), hex(zeroblob(iif(n % 50 = 0, 9000, 40))) FROM numbers;
    DELETE FROM notes WHERE id BETWEEN 90 AND 220";

fn open(file: &Path) -> Connection {
    let connection = wearlab_checksum_vfs::open(file, OpenFlags::default()).expect("opens");
    connection.pragma_update(None, "secure_delete", true).expect("sets it");
    connection
}

/// Creates a filled file, and closes it.
fn filled(mode: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("data.db");
    let connection = open(&file);
    connection.pragma_update(None, "journal_mode", mode).expect("sets it");
    connection.execute_batch(FILL).expect("fills");
    (directory, file)
}

/// Reads all rows by the table, and all names by the index.
fn rows(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut rows = Vec::new();
    for sql in [
        "SELECT id || name || text FROM notes NOT INDEXED",
        "SELECT name FROM notes INDEXED BY notes_by_name ORDER BY name",
    ] {
        let mut statement = connection.prepare(sql)?;
        let found = statement.query_map([], |row| row.get(0))?;
        rows.extend(found.collect::<rusqlite::Result<Vec<String>>>()?);
    }
    Ok(rows)
}

#[test]
fn a_flipped_bit_in_any_page_is_found() {
    for mode in ["DELETE", "WAL"] {
        let (_directory, file) = filled(mode);
        let good = rows(&open(&file)).expect("is sound");
        let bytes = fs::read(&file).expect("reads");
        let (mut found, pages) = (0, bytes.len() / PAGE);
        for page in 0..pages {
            for at in [3, 5, 9, 20, 57, 700, 2_048, PAGE - 60, PAGE - 9, PAGE - 1] {
                let mut damaged = bytes.clone();
                damaged[page * PAGE + at] ^= 4;
                fs::write(&file, damaged).expect("writes");
                let connection = Connection::open_with_flags_and_vfs(&file, OpenFlags::default(), c"wearlab-checksums");
                match connection
                    .and_then(|connection| Ok((wearlab_checksum_vfs::has_checksums(&connection)?, rows(&connection))))
                {
                    // Byte 20 of the file is the number of reserved bytes of a page.
                    Ok((false, Ok(_))) => assert_eq!((page, at), (0, 20)),
                    Ok((true, Ok(read))) => assert_eq!(read, good, "page {page}, byte {at}"),
                    Ok((_, Err(_))) | Err(_) => found += 1,
                }
            }
        }
        assert!(found > pages * 4, "{found} of {pages} pages, {mode}");
    }
}

#[test]
fn pages_that_changed_places_are_found() {
    let (_directory, file) = filled("DELETE");
    let mut bytes = fs::read(&file).expect("reads");
    let kind = |page: usize| bytes[page * PAGE];
    let leaves: Vec<_> = (1..bytes.len() / PAGE).filter(|page| kind(*page) == 13).collect();
    let [one, other] = [leaves[0] * PAGE, leaves[1] * PAGE];
    for at in 0..PAGE {
        bytes.swap(one + at, other + at);
    }
    fs::write(&file, bytes).expect("writes");
    let error = rows(&open(&file)).expect_err("pages are misplaced");
    assert!(wearlab_checksum_vfs::is_mismatch(&error), "{error}");
}

#[test]
fn what_a_log_holds_gets_checksums_when_it_moves_into_the_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("data.db");
    let writer = open(&file);
    writer.pragma_update(None, "journal_mode", "WAL").expect("sets it");
    let reader = open(&file);
    writer.execute_batch(FILL).expect("fills");
    let good = rows(&reader).expect("reads the log");
    // Files as a killed process leaves them.
    let killed = directory.path().join("killed.db");
    for suffix in ["", "-wal"] {
        let name = |file: &Path| format!("{}{suffix}", file.display());
        fs::copy(name(&file), name(&killed)).expect("copies");
    }
    assert_eq!(rows(&open(&killed)).expect("recovers the log"), good);
    // Recovery of the log moves it into the file when the last connection is closed.
    for suffix in ["", "-wal"] {
        let name = |file: &Path| format!("{}{suffix}", file.display());
        fs::copy(name(&file), name(&killed)).expect("copies");
    }
    let other = Connection::open(&killed).expect("opens");
    assert_eq!(rows(&other).expect("recovers the log"), good);
    drop(other);
    assert!(!fs::exists(format!("{}-wal", killed.display())).expect("looks"));
    assert_eq!(rows(&open(&killed)).expect("is sound"), good);
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    writer.query_row(checkpoint, [], |_| Ok(())).expect("moves it");
    for connection in [&reader, &writer, &open(&file)] {
        assert_eq!(rows(connection).expect("reads the file"), good);
    }
    let check: String = reader
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("checks");
    assert_eq!(check, "ok");
}

#[test]
fn a_file_without_checksums_keeps_none_and_its_copy_has_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("data.db");
    Connection::open(&file)
        .and_then(|plain| plain.execute_batch(FILL))
        .expect("fills");
    let good = rows(&Connection::open(&file).expect("opens")).expect("reads");
    let connection = open(&file);
    assert!(!wearlab_checksum_vfs::has_checksums(&connection).expect("knows"));
    connection
        .execute("UPDATE notes SET name = name", [])
        .expect("writes as it is");
    assert_eq!(rows(&connection).expect("reads"), good);
    connection.execute_batch("VACUUM").expect("writes it anew");
    assert!(!wearlab_checksum_vfs::has_checksums(&connection).expect("knows"));
    let [copy, again] = ["copy.db", "again.db"].map(|name| directory.path().join(name));
    wearlab_checksum_vfs::copy(&connection, copy.to_str().expect("UTF-8")).expect("copies");
    let copied = open(&copy);
    wearlab_checksum_vfs::copy(&copied, again.to_str().expect("UTF-8")).expect("copies");
    copied.execute_batch("VACUUM").expect("writes it anew");
    drop(copied);
    for file in [&copy, &again] {
        let connection = open(file);
        assert!(wearlab_checksum_vfs::has_checksums(&connection).expect("knows"));
        assert_eq!(rows(&connection).expect("reads"), good);
        // SQLite without the VFS reads the file.
        assert_eq!(rows(&Connection::open(file).expect("opens")).expect("reads"), good);
    }
}

#[test]
fn a_copy_that_does_not_fit_into_memory_has_checksums() {
    let directory = tempfile::tempdir().expect("a directory");
    let [file, copy] = ["data.db", "copy.db"].map(|name| directory.path().join(name));
    let connection = open(&file);
    connection.execute_batch(FILL).expect("fills");
    // A large transaction spills pages to the file before the first page is written.
    let many = "WITH RECURSIVE numbers (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60000)
        INSERT INTO notes SELECT n, 'name ' || (n * 7919 % 60000), hex(randomblob(150)) FROM numbers";
    connection.execute_batch(many).expect("fills");
    connection.pragma_update(None, "cache_size", 10).expect("sets it");
    wearlab_checksum_vfs::copy(&connection, copy.to_str().expect("UTF-8")).expect("copies");
    let copied = open(&copy);
    assert!(wearlab_checksum_vfs::has_checksums(&copied).expect("reads"));
    assert_eq!(rows(&copied).expect("is sound"), rows(&connection).expect("is sound"));
}

#[test]
fn what_another_program_wrote_is_taken_for_damage() {
    let (_directory, file) = filled("DELETE");
    let other = Connection::open(&file).expect("opens");
    other
        .execute("UPDATE notes SET text = 'other' WHERE id = 1", [])
        .expect("writes");
    drop(other);
    let error = rows(&open(&file)).expect_err("has no checksum");
    assert!(wearlab_checksum_vfs::is_mismatch(&error), "{error}");
}

#[test]
fn a_flipped_bit_in_the_page_of_a_log_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("data.db");
    let writer = open(&file);
    writer.pragma_update(None, "journal_mode", "WAL").expect("sets it");
    writer.execute_batch(FILL).expect("fills");
    let good = rows(&open(&file)).expect("is sound");
    let log = format!("{}-wal", file.display());
    let bytes = fs::read(&log).expect("reads");
    let frames = (bytes.len() - 32) / (24 + PAGE);
    let mut found = 0;
    for frame in 0..frames {
        let mut damaged = bytes.clone();
        damaged[32 + frame * (24 + PAGE) + 24 + 1_000] ^= 1;
        // A disk damages a log in place.
        fs::write(&log, damaged).expect("writes");
        match rows(&open(&file)) {
            Ok(read) => assert_eq!(read, good, "frame {frame}"),
            Err(error) => {
                assert!(wearlab_checksum_vfs::is_mismatch(&error), "{error}");
                found += 1;
            }
        }
    }
    assert!(found > 5, "{found} of {frames}");
    fs::write(&log, bytes).expect("writes");
}

/// A transaction larger than the cache writes pages of the log twice. This one also rolls back to a savepoint.
#[test]
fn a_log_of_large_transactions_is_recovered_by_any_sqlite() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("data.db");
    let writer = open(&file);
    writer.pragma_update(None, "journal_mode", "WAL").expect("sets it");
    writer.pragma_update(None, "wal_autocheckpoint", 0).expect("sets it");
    writer.pragma_update(None, "cache_size", 5).expect("sets it");
    writer.execute_batch(FILL).expect("fills");
    for round in 0..6 {
        writer
            .execute_batch(&format!(
                "BEGIN;
                UPDATE notes SET name = 'round {round} ' || (id * 13 % 400);
                SAVEPOINT part; DELETE FROM notes WHERE id % 3 = 0; ROLLBACK TO part;
                UPDATE notes SET text = text || '{round}' WHERE id % 2 = 0;
                {}",
                if round % 3 == 2 { "ROLLBACK" } else { "COMMIT" }
            ))
            .expect("writes");
        let killed = directory.path().join(format!("killed-{round}.db"));
        for other in [false, true] {
            for suffix in ["", "-wal"] {
                let name = |file: &Path| format!("{}{suffix}", file.display());
                fs::copy(name(&file), name(&killed)).expect("copies");
            }
            let recovered = match other {
                true => Connection::open(&killed).expect("opens"),
                false => open(&killed),
            };
            assert_eq!(
                rows(&recovered).expect("recovers"),
                rows(&writer).expect("reads"),
                "round {round}"
            );
            drop(recovered);
            let again = rows(&open(&killed)).expect("is sound");
            assert_eq!(again, rows(&writer).expect("reads"), "round {round}");
        }
    }
}

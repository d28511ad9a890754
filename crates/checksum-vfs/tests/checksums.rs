//! Files are read as they were written, or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

const PAGE: usize = 4096;

/// Rows, values of several pages, an index, and what was deleted.
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

/// A file that is filled, and closed.
fn filled(mode: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("data.db");
    let connection = open(&file);
    connection.pragma_update(None, "journal_mode", mode).expect("sets it");
    connection.execute_batch(FILL).expect("fills");
    (directory, file)
}

/// All rows, by the table and by the index.
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
                    // Byte 20 of the file says how many bytes of a page are reserved.
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
    // The files of a process that was killed.
    let killed = directory.path().join("killed.db");
    for suffix in ["", "-wal"] {
        let name = |file: &Path| format!("{}{suffix}", file.display());
        fs::copy(name(&file), name(&killed)).expect("copies");
    }
    assert_eq!(rows(&open(&killed)).expect("recovers the log"), good);
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
fn a_file_without_checksums_gets_them_by_vacuum_and_copies_have_them() {
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
    let copy = directory.path().join("copy.db");
    connection
        .execute("VACUUM INTO ?1", [copy.to_str().expect("UTF-8")])
        .expect("copies");
    wearlab_checksum_vfs::add_checksums(&connection).expect("writes it anew");
    drop(connection);
    for file in [&file, &copy] {
        let connection = open(file);
        assert!(wearlab_checksum_vfs::has_checksums(&connection).expect("knows"));
        assert_eq!(rows(&connection).expect("reads"), good);
        // Any SQLite reads it.
        assert_eq!(rows(&Connection::open(file).expect("opens")).expect("reads"), good);
    }
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

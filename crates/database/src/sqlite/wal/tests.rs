//! Damage of every part of a log of a killed process.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::{Damage, FRAME_HEADER, HEADER, check, scan};

/// Creates a database whose log is never checkpointed.
fn database(file: &Path) -> Connection {
    let connection = wearlab_checksum_vfs::open(file, OpenFlags::default()).expect("a database");
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE a (b INTEGER, c TEXT)")
        .expect("a table");
    connection
}

/// Returns the log of a killed process, with one transaction for each number.
fn log(transactions: i64) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.db");
    let connection = database(&file);
    for number in 0..transactions {
        let sql = "INSERT INTO a VALUES (?1, ?2)";
        connection
            .execute(sql, params![number, "x".repeat(3000)])
            .expect("writes");
    }
    fs::read(super::path(&file)).expect("a log")
}

fn damage(log: &[u8]) -> Option<Damage> {
    scan(log).expect("reads").map(|(damage, _)| damage)
}

/// Returns the frame of a byte, counted from 1, and the number of frames of a log.
fn frame_of(bytes: &[u8], at: usize) -> (u64, u64) {
    let length = FRAME_HEADER + 4096;
    let number = |at: usize| ((at - HEADER) / length) as u64;
    (number(at) + 1, number(bytes.len()))
}

#[test]
fn a_flip_before_the_last_frame_is_found_wherever_it_is() {
    let good = log(8);
    assert_eq!(damage(&good), None);
    let length = FRAME_HEADER + 4096;
    let frames = (good.len() - HEADER) / length;
    assert!(frames > 8, "{frames} frames");
    let headers = (0..frames).flat_map(|frame| {
        let start = HEADER + frame * length;
        (start..start + FRAME_HEADER).chain([start + FRAME_HEADER, start + 2000, start + length - 1])
    });
    for at in (0..HEADER).chain(headers) {
        for bit in [0, 7] {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            let found = damage(&bytes);
            if at < HEADER {
                assert_eq!(found, Some(Damage::Header), "byte {at}");
                continue;
            }
            let (number, frames) = frame_of(&good, at);
            // Nothing is lost after the last frame: an interrupted write looks the same.
            let expected = (number < frames).then_some(Damage::Frame {
                number,
                start: (HEADER as u64) + (number - 1) * length as u64,
            });
            assert_eq!(found, expected, "byte {at}");
        }
    }
}

#[test]
fn a_header_that_is_overwritten_with_more_is_found() {
    for transactions in [1, 8] {
        let good = log(transactions);
        for length in [HEADER, HEADER + FRAME_HEADER, 4096, 3 * 4096] {
            for byte in [0, 0x5a, 0xff] {
                let mut bytes = good.clone();
                let length = length.min(bytes.len());
                bytes[..length].fill(byte);
                assert_eq!(damage(&bytes), Some(Damage::Header), "{length} bytes of {byte:#x}");
            }
        }
    }
    // No transaction was committed.
    for length in [0, 1, HEADER, HEADER + FRAME_HEADER] {
        assert_eq!(damage(&vec![0; length]), None, "{length} bytes");
    }
}

#[test]
fn a_write_that_was_cut_short_is_no_damage() {
    let good = log(3);
    for length in (0..good.len()).step_by(997) {
        assert_eq!(damage(&good[..length]), None, "{length} bytes");
    }
    // Frames of the previous generation, with other salts, may follow the end.
    let mut mixed = good.clone();
    mixed.extend_from_slice(&log(5)[HEADER..]);
    assert_eq!(damage(&mixed), None);
}

/// A process that is killed before it updates the index leaves frames. Their end stays behind a shorter transaction of
/// another process.
#[test]
fn the_end_of_a_transaction_that_nobody_has_is_no_damage() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.db");
    let connection = database(&file);
    let insert = |connection: &Connection, length: usize| {
        let sql = "INSERT INTO a VALUES (1, ?1)";
        connection.execute(sql, params!["x".repeat(length)]).expect("writes");
    };
    insert(&connection, 3000);
    let log = super::path(&file);
    // Write of the killed process, on a copy.
    let killed = tempfile::tempdir().expect("a directory");
    let copy = killed.path().join("a.db");
    fs::copy(&file, &copy).expect("copies");
    fs::copy(&log, super::path(&copy)).expect("copies");
    let other = wearlab_checksum_vfs::open(&copy, OpenFlags::default()).expect("a database");
    insert(&other, 100_000);
    let long = fs::read(super::path(&copy)).expect("a log");
    insert(&connection, 10);
    let mut both = fs::read(&log).expect("a log");
    let committed = both.len();
    both.extend_from_slice(&long[committed..]);
    fs::write(&log, &both).expect("writes");
    assert!(damage(&both).is_some(), "the log alone does not say");
    check(&file).expect("the index has all that was committed");
    let rows = || connection.query_row("SELECT count(*) FROM a", [], |row| row.get::<_, i64>(0));
    assert_eq!(rows().expect("reads"), 2);
    // A frame in the index.
    let mut flipped = both.clone();
    flipped[committed - 100] ^= 1;
    fs::write(&log, &flipped).expect("writes");
    check(&file).expect_err("a committed frame is damaged");
    fs::write(&log, &both).expect("writes");
    let index = super::beside(&file, "-shm");
    let bytes = fs::read(&index).expect("an index");
    for at in [0, 16, 24, 32, 40, 64] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        fs::write(&index, &flipped).expect("writes");
        check(&file).expect_err("an index that is damaged says nothing");
    }
    fs::write(&index, &bytes).expect("writes");
    check(&file).expect("as it was");
}

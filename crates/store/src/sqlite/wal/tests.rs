//! Flips every part of a log that a killed process leaves.

use std::fs;

use rusqlite::{Connection, params};

use super::{Damage, FRAME_HEADER, HEADER, scan};

/// The log of a database with a transaction for each of some numbers, as a killed process leaves it.
fn log(transactions: i64) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.db");
    let connection = Connection::open(&file).expect("a database");
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE a (b INTEGER, c TEXT)")
        .expect("a table");
    for number in 0..transactions {
        let sql = "INSERT INTO a VALUES (?1, ?2)";
        connection
            .execute(sql, params![number, "x".repeat(3000)])
            .expect("writes");
    }
    fs::read(super::path(&file)).expect("a log")
}

/// The frame of a byte, counted from 1, and how many frames a log has.
fn frame_of(bytes: &[u8], at: usize) -> (u64, u64) {
    let length = FRAME_HEADER + 4096;
    let number = |at: usize| ((at - HEADER) / length) as u64;
    (number(at) + 1, number(bytes.len()))
}

#[test]
fn a_flip_before_the_last_frame_is_found_wherever_it_is() {
    let good = log(8);
    assert_eq!(scan(&good[..]).expect("reads"), None);
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
            let found = scan(&bytes[..]).expect("reads");
            if at < HEADER {
                assert_eq!(found, Some(Damage::Header), "byte {at}");
                continue;
            }
            let (number, frames) = frame_of(&good, at);
            // Behind the last one there is nothing to lose; a write that was cut short looks the same.
            let expected = (number < frames).then_some(Damage::Frame {
                number,
                start: (HEADER as u64) + (number - 1) * length as u64,
            });
            assert_eq!(found, expected, "byte {at}");
        }
    }
}

#[test]
fn a_write_that_was_cut_short_is_no_damage() {
    let good = log(3);
    for length in (0..good.len()).step_by(997) {
        assert_eq!(scan(&good[..length]).expect("reads"), None, "{length} bytes");
    }
    // Behind the end may lie what the log held before it was begun anew, of other salts.
    let mut mixed = good.clone();
    mixed.extend_from_slice(&log(5)[HEADER..]);
    assert_eq!(scan(&mixed[..]).expect("reads"), None);
}

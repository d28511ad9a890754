//! Tests of `wearlab ingest` while the disk fills up.
//!
//! A limit of the file size stands for a full disk.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::process::{Child, Command};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::fixture::{Fixture, error};
use crate::ingest::{acks, data, ingest, logged, many, piped, send_from};
use crate::test_seed::Seed;

/// Starts `wearlab ingest - --acks`, which may write no file that is so many blocks of 512 bytes longer than the
/// store's is now.
fn within(fixture: &Fixture, blocks: u64) -> Child {
    let size = std::fs::metadata(fixture.data().join("wearlab.db"))
        .expect("is there")
        .len();
    let wearlab = fixture.command(&["ingest", "-", "--acks"]);
    let mut command = Command::new("/bin/sh");
    // The shell ignores the signal of the limit, and the command inherits that.
    command.args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh"]);
    command
        .arg((size / 512 + blocks).to_string())
        .arg(wearlab.get_program())
        .args(wearlab.get_args());
    piped(command)
}

#[test]
fn a_full_disk_ends_it_and_loses_nothing_that_was_acknowledged() {
    let fixture = Fixture::with_world();
    let note = "x".repeat(2_000);
    let lines = (0..1_500).map(|number| data(json!({"resource": "unheard_of", "data": [{"note": note, "n": number}]})));
    let lines: Vec<_> = lines.collect();
    let mut child = within(&fixture, 1_000);
    let acks = acks(&mut child);
    let writer = send_from(&lines, 0, Duration::ZERO, child.stdin.take().expect("piped"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    assert!(!output.status.success());
    assert!(error(&output).contains("disk"), "{}", error(&output));
    let acknowledged = acks.iter().last().unwrap_or(0);
    assert!((1..lines.len()).contains(&acknowledged), "{acknowledged}");
    let numbers = || {
        logged(&fixture)
            .iter()
            .map(|event| event.1[0]["n"].clone())
            .collect::<Vec<_>>()
    };
    assert!(numbers().len() >= acknowledged, "{} of {acknowledged}", numbers().len());

    // The rest, with free space again.
    let output = ingest(&fixture, &lines[acknowledged..].concat(), &[]);
    assert!(output.status.success(), "{}", error(&output));
    let once: BTreeSet<_> = numbers().iter().map(ToString::to_string).collect();
    assert_eq!(once.len(), lines.len());
}

/// Grants a little more space each time. Unacknowledged lines that are sent again have no further effect.
#[test]
fn a_disk_that_is_full_again_and_again_repeats_nothing() {
    let seed = Seed::one(7);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
    let lines = many(&mut rng);
    let whole = Fixture::with_world();
    let output = ingest(&whole, &lines.concat(), &[]);
    assert!(output.status.success(), "{}", error(&output));
    let expected = logged(&whole);

    let fixture = Fixture::with_world();
    let (mut acknowledged, mut full) = (0, 0);
    for round in 0.. {
        assert!(round < 300, "it gets no further than line {acknowledged}");
        let mut child = within(&fixture, rng.random_range(20..250));
        let acks = acks(&mut child);
        let from = acknowledged - rng.random_range(0..=acknowledged.min(100));
        let writer = send_from(
            &lines,
            from,
            Duration::from_millis(1),
            child.stdin.take().expect("piped"),
        );
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("no panic");
        acknowledged = acknowledged.max(from + acks.iter().last().unwrap_or(0));
        if output.status.success() {
            break;
        }
        full += 1;
        assert!(error(&output).contains("disk"), "{}", error(&output));
        let logged = logged(&fixture);
        assert_eq!(logged[..], expected[..logged.len()], "a beginning of what is to come");
    }
    assert!(full > 1, "it was full {full} times alone");
    assert_eq!(acknowledged, lines.len());
    assert_eq!(logged(&fixture), expected);
}

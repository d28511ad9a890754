//! Tests of streams, acknowledgements, and stores after a killed process.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use wearlab_store::Store;

use super::{acks, chunk, data, ingest, log, logged, piped, sample};
use crate::fixture::{Fixture, error};
use crate::test_seed::Seed;

/// Timeout of a wait: long enough for any machine.
const TIMEOUT: Duration = Duration::from_secs(60);

#[test]
fn a_stream_that_stays_open_is_acknowledged_without_more_lines() {
    let fixture = Fixture::with_world();
    let mut child = piped(fixture.command(&["ingest", "-", "--acks"]));
    let acks = acks(&mut child);
    let mut stdin = child.stdin.take().expect("piped");
    let mut send = |text: &str| {
        stdin.write_all(text.as_bytes()).expect("writes");
        stdin.flush().expect("writes");
    };
    let reaches = |line: usize| {
        let reached = std::iter::from_fn(|| acks.recv_timeout(TIMEOUT).ok()).find(|ack| *ack >= line);
        assert_eq!(reached, Some(line), "is acknowledged while the stream is open");
    };
    let day = |number: usize| data(json!({"date": format!("2026-05-{number:02}")}));
    send(&day(1));
    reaches(1);
    assert_eq!(log(&fixture).len(), 1, "durable, and seen by others");
    // Blank lines are skipped.
    send(&format!("{}\n\n  \n", day(2)));
    reaches(2);
    let (begin, rest) = (day(3), day(4));
    let (begin_of_next, end_of_next) = rest.split_at(20);
    send(&format!("{begin}{begin_of_next}"));
    reaches(6);
    assert_eq!(log(&fixture).len(), 3);
    send(end_of_next);
    reaches(7);
    send("not JSON\n");
    reaches(8);
    // The last line needs no line end.
    send(day(9).trim_end());
    drop(stdin);
    reaches(9);
    let output = child.wait_with_output().expect("it ends");
    assert!(!output.status.success(), "a line was refused");
    assert!(
        error(&output).contains("stdin:8: not JSON from column 1 on"),
        "{}",
        error(&output)
    );
    assert_eq!(log(&fixture).len(), 5);
}

/// A closed standard output is an error: a sender must not treat it as the end of the input.
#[cfg(unix)]
#[test]
fn acknowledgements_that_nobody_takes_end_it_with_an_error_that_names_the_line() {
    let fixture = Fixture::with_world();
    let lines = |count: usize| (1..=count).map(|number| data(json!({"data": [sample(number)]})));
    let lines = format!("{{}}\n{}", lines(20_000).collect::<String>());
    let file = fixture.file("arrivals.ndjson", &lines);
    let mut child = piped(fixture.command(&["ingest", &file, "--acks"]));
    // Like `head -1`.
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    stdout.read_line(&mut first).expect("an ack");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    let message = error(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let stored = log(&fixture).len();
    assert!(stored < 20_000, "it ends where nobody listens");
    // The first line is rejected.
    let last = stored + 1;
    let expected =
        format!("wearlab: all lines up to {file}:{last} that were not rejected are stored, and no later ones: ");
    assert!(message.contains(&expected), "{message}");
}

/// Returns days that change and change back, and pulls whose chunks come in random order, some of them twice.
pub(crate) fn many(rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut lines = Vec::new();
    for pull in 0..30 {
        lines.extend((1..=20).map(|number| chunk(pull, number, 20)));
        lines.push(chunk(pull, 1 + pull % 20, 20));
    }
    lines.shuffle(rng);
    let days = (0..1500).map(|number| {
        let (date, value) = (format!("2026-05-{:02}", 1 + number % 20), (number / 20) % 3);
        data(json!({"date": date, "data": [sample(value)], "arrival_id": format!("arrival-{number}")}))
    });
    // Days keep their order.
    let mut days = days.collect::<Vec<_>>().into_iter();
    let mut mixed = Vec::new();
    for line in lines {
        mixed.extend(days.by_ref().take(rng.random_range(0..6)));
        mixed.push(line);
    }
    mixed.extend(days);
    mixed
}

/// Writes a few lines at a time until the reader is gone, with pauses between them.
pub(crate) fn send_from(
    lines: &[String],
    from: usize,
    pause: Duration,
    mut stdin: ChildStdin,
) -> thread::JoinHandle<()> {
    let rest = lines[from..].to_vec();
    thread::spawn(move || {
        for lines in rest.chunks(7) {
            if stdin.write_all(lines.concat().as_bytes()).is_err() {
                return;
            }
            thread::sleep(pause);
        }
    })
}

/// No acknowledged line is lost. Unacknowledged lines that are sent again have no further effect.
#[cfg(unix)]
#[test]
fn a_killed_ingest_loses_nothing_and_repeats_nothing() {
    let seed = Seed::one(5);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
    let lines = many(&mut rng);
    let whole = Fixture::with_world();
    let output = ingest(&whole, &lines.concat(), &[]);
    assert!(output.status.success(), "{}", error(&output));

    let fixture = Fixture::with_world();
    let (mut acknowledged, mut killed, mut before) = (0, 0, 0);
    for round in 0.. {
        assert!(round < 300, "it gets no further than line {acknowledged}");
        let mut child = piped(fixture.command(&["ingest", "-", "--acks"]));
        let acks = acks(&mut child);
        let pause = Duration::from_millis(rng.random_range(0..3));
        // The sender saves acknowledgements only now and then, and sends the rest again.
        let from = acknowledged - rng.random_range(0..=acknowledged.min(100));
        let writer = send_from(&lines, from, pause, child.stdin.take().expect("piped"));
        // Some are killed before the start, some in the middle. Later ones live longer, so that a slow machine
        // completes.
        let wait = Duration::from_millis(rng.random_range(5..90 + 5 * round));
        thread::sleep(wait);
        killed += u32::from(child.try_wait().expect("asks").is_none());
        child.kill().expect("kills");
        let mut message = String::new();
        let mut stderr = child.stderr.take().expect("piped");
        stderr.read_to_string(&mut message).expect("reads");
        child.wait().expect("ends");
        writer.join().expect("no panic");
        let refused = message.lines().filter(|line| !line.contains("lines were accepted"));
        assert_eq!(refused.collect::<Vec<_>>(), Vec::<&str>::new());
        acknowledged = acknowledged.max(from + acks.iter().last().unwrap_or(0));
        let events = log(&fixture).len();
        assert!(events >= before, "an event is gone");
        before = events;
        if acknowledged == lines.len() {
            break;
        }
    }
    assert!(killed > 5, "hardly any was killed in time");
    let (expected, found) = (logged(&whole), logged(&fixture));
    assert_eq!(found.len(), expected.len());
    assert_eq!(found, expected);
    let historical = found.iter().filter(|event| event.0 == "historical.data.steps.created");
    let pulls: BTreeSet<_> = historical.clone().map(|event| event.1[0]["of"].to_string()).collect();
    assert_eq!((historical.count(), pulls.len()), (30, 30), "one of each pull");
}

/// Two processes share the chunks of the same pulls, and each sends some of the other's.
#[test]
fn two_at_once_do_not_disturb_each_other() {
    let fixture = Fixture::with_world();
    let lines = |rng: &mut ChaCha8Rng, odd: usize| {
        let all = (0..20).flat_map(|pull| (1..=10).map(move |number| (pull, number)));
        let own = all.filter(|(_, number)| number % 2 == odd || number % 3 == 0);
        let mut own: Vec<_> = own.map(|(pull, number)| chunk(pull, number, 10)).collect();
        own.shuffle(rng);
        own.concat()
    };
    let seed = Seed::one(6);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
    let parts = [lines(&mut rng, 0), lines(&mut rng, 1)];
    thread::scope(|scope| {
        let running = parts
            .each_ref()
            .map(|lines| scope.spawn(|| ingest(&fixture, lines, &["--acks"])));
        for ended in running {
            let output = ended.join().expect("no panic");
            assert!(output.status.success(), "{}", error(&output));
        }
    });
    let mut pulls = BTreeMap::new();
    for (event_type, values) in logged(&fixture) {
        assert_eq!(event_type, "historical.data.steps.created");
        assert_eq!(values.as_array().map(Vec::len), Some(10));
        *pulls.entry(values[0]["of"].to_string()).or_insert(0) += 1;
    }
    assert!(
        pulls.len() == 20 && pulls.values().all(|count| *count == 1),
        "{pulls:?}"
    );
}

/// Deleting a user rewrites the files, which takes longer than the busy timeout of the store.
#[test]
fn a_store_that_is_busy_for_long_is_waited_for() {
    let fixture = Fixture::with_world();
    let store = Store::open(&fixture.data()).expect("opens");
    let (begun, has_begun) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            let written = runtime.expect("a runtime").block_on(store.write(|_| {
                begun.send(()).expect("is received");
                thread::sleep(Duration::from_secs(7));
                Ok(())
            }));
            written.expect("writes");
        });
        has_begun.recv().expect("begins");
        let output = ingest(&fixture, &data(json!({})), &[]);
        assert!(output.status.success(), "{}", error(&output));
    });
    assert_eq!(log(&fixture).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_stream_that_stays_open_with_a_message() {
    let fixture = Fixture::with_world();
    let mut child = piped(fixture.command(&["ingest", "-", "--acks"]));
    let acks = acks(&mut child);
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(data(json!({})).as_bytes()).expect("is sent");
    assert_eq!(acks.recv_timeout(TIMEOUT), Ok(1));
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        error(&output),
        "wearlab: stopped: what is acknowledged is stored; ingest the same lines again\n"
    );
    drop(stdin);
}

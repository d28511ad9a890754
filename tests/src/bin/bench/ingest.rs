//! Ingest of arrivals until their events are durable.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::arrivals;
use crate::environment::Environment;
use crate::inserts::{self, Rows, TOGETHER};
use crate::measure::{alternate_cold, in_turns};
use crate::results::{Comparison, Found, Growth, Target};
use crate::service::{SENDER_KEY, start_for_senders};

/// Number of arrivals, each of another user.
const ARRIVALS: u32 = 50_000;
/// Tables with rows of an arrival, in the order of writing.
const TABLES: [(&str, &str); 5] = [
    (
        "days",
        "SELECT {columns} FROM events JOIN users USING (team_id, user_id) JOIN days ON user_row = users.id
            WHERE number BETWEEN ?1 AND ?2 ORDER BY number",
    ),
    (
        "resources",
        "SELECT {columns} FROM events JOIN users USING (team_id, user_id) JOIN resources ON user_row = users.id
            WHERE number BETWEEN ?1 AND ?2 ORDER BY number",
    ),
    (
        "summaries",
        "SELECT {columns} FROM summaries WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    ),
    (
        "events",
        "SELECT {columns} FROM events WHERE number BETWEEN ?1 AND ?2 ORDER BY number",
    ),
    (
        "arrivals",
        "SELECT {columns} FROM arrivals WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    ),
];

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let users = environment.scale.users[1];
    let count = environment.scale.of(ARRIVALS).min(users);
    let rate = |took: Duration| f64::from(count) / took.as_secs_f64();
    let lines = environment.scratch("arrivals")?.join("arrivals.ndjson");
    let filled = environment.copied(users, "ingested")?;
    write_lines(&lines, users, count)?;
    ingest(environment, &filled, &lines)?;
    let result = Comparison {
        what: format!("ingest of {count} arrivals to durable events of 1 KiB"),
        reference:
            "bare rusqlite inserts of the same rows, those of 4,000 arrivals together, into the same tables and indexes"
                .into(),
        unit: "events/s".into(),
        target: Target::AtLeast(0.7),
        rounds: alternate_cold(
            environment.scale.rounds,
            || Ok(rate(ingest(environment, &environment.copied(users, "ours")?, &lines)?)),
            || Ok(rate(bare(environment, users, &filled, count)?)),
        )?,
    };
    let over_http = Comparison {
        what: format!("ingest of {count} arrivals over HTTP"),
        reference: "the same command on the store".into(),
        unit: "events/s".into(),
        target: Target::AtLeast(0.9),
        rounds: alternate_cold(
            environment.scale.rounds,
            || {
                Ok(rate(ingest_over_http(
                    environment,
                    &environment.copied(users, "sent")?,
                    &lines,
                )?))
            },
            || Ok(rate(ingest(environment, &environment.copied(users, "ours")?, &lines)?)),
        )?,
    };
    Ok(Found {
        results: vec![result, over_http],
        growths: vec![growth(environment)?],
        ..Found::default()
    })
}

fn write_lines(file: &Path, users: u32, count: u32) -> Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 20, File::create(file)?);
    arrivals::lines(users, count).try_for_each(|line| writeln!(writer, "{line}"))?;
    Ok(writer.flush()?)
}

/// Runs `wearlab ingest` on the store of a directory.
fn ingest(environment: &Environment, directory: &Path, lines: &Path) -> Result<Duration> {
    let started = Instant::now();
    let mut command = environment
        .wearlab(directory, &["log.filter=warn"])
        .command(&["ingest"]);
    let status = command
        .arg(lines)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    ensure!(status.success(), "the command failed: {status}");
    Ok(started.elapsed())
}

/// Runs `wearlab ingest --base-url`, with a service on the store of a directory.
fn ingest_over_http(environment: &Environment, directory: &Path, lines: &Path) -> Result<Duration> {
    let (wearlab, service) = start_for_senders(environment, directory)?;
    let started = Instant::now();
    let mut command = wearlab.remote_command(&["ingest", "--base-url", &service.url()]);
    let status = command
        .arg(lines)
        .env("WEARLAB_API_KEY", SENDER_KEY)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    ensure!(status.success(), "the command failed: {status}");
    Ok(started.elapsed())
}

/// Inserts the rows of arrivals of a store into a copy of it that has none.
fn bare(environment: &Environment, users: u32, filled: &Path, count: u32) -> Result<Duration> {
    let from = inserts::open(filled)?;
    let mut to = inserts::open_to_write(&environment.copied(users, "bare")?.join("data/wearlab.db"))?;
    Rows::new(&from, &TABLES)?.insert(&mut to, count, TOGETHER)
}

/// Measures the growth with the number of users.
fn growth(environment: &Environment) -> Result<Growth> {
    let mut all = Vec::new();
    for users in environment.scale.users {
        let count = environment.scale.of(ARRIVALS).min(environment.scale.users[0]);
        let lines = environment.scratch(&format!("growth-{users}"))?.join("arrivals.ndjson");
        write_lines(&lines, users, count)?;
        all.push((users, count, lines));
    }
    let costs = in_turns(environment.scale.rounds.min(3), &mut all, |(users, count, lines)| {
        let took = ingest(environment, &environment.copied(*users, "grown")?, lines)?;
        Ok(took.as_secs_f64() * 1e6 / f64::from(*count))
    })?;
    Ok(Growth::by_users("ingest of an arrival", environment.scale.users, costs).at_most(1.4))
}

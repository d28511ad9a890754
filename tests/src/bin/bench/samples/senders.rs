//! Ingest of samples of many users until they are durable, from one sender and from several.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::task::JoinSet;

use super::rows;
use super::series::{HEART_RATE, Reading};
use crate::environment::Environment;
use crate::inserts::TOGETHER;
use crate::measure::alternate_cold;
use crate::results::{Comparison, Found, Target};
use crate::service::{KEY_HEADER, SENDER_KEY, start_for_senders};

/// Number of arrivals, each of another user.
const ARRIVALS: u32 = 2000;
/// Number of samples in an arrival: those of an hour.
const SAMPLES: usize = 720;

pub(super) fn run(environment: &Environment) -> Result<Found> {
    let count = environment.scale.of(ARRIVALS).max(16).min(environment.scale.users[0]);
    let mut samples = HEART_RATE.day(0)?;
    samples.truncate(SAMPLES);
    let lines = (0..count).map(|user| Ok(HEART_RATE.line(user, &samples)? + "\n"));
    let lines = lines.collect::<Result<Vec<_>>>()?;
    let rate = |took: Duration| f64::from(count) * samples.len() as f64 / took.as_secs_f64();
    let mut results = Vec::new();
    for senders in [1, 16] {
        results.push(Comparison {
            what: format!("ingest over HTTP of {count} arrivals of {SAMPLES} samples, senders: {senders}"),
            reference: format!("bare rusqlite inserts, a row a sample, {TOGETHER} arrivals a transaction"),
            unit: "samples/s".into(),
            target: Target::AtLeast(2.0),
            rounds: alternate_cold(
                environment.scale.rounds,
                || Ok(rate(ingest(environment, &lines, senders)?)),
                || Ok(rate(bare(environment, count, &samples)?)),
            )?,
        });
    }
    Ok(Found {
        results,
        ..Found::default()
    })
}

/// Sends lines to a separate service, and waits until each is acknowledged.
fn ingest(environment: &Environment, lines: &[String], senders: usize) -> Result<Duration> {
    let directory = environment.copied(environment.scale.users[0], "senders")?;
    let (_, service) = start_for_senders(environment, &directory)?;
    let url = format!("{}/v1/ingest", service.url());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let bodies: Vec<_> = lines
        .chunks(lines.len().div_ceil(senders))
        .map(|part| (part.concat(), part.len()))
        .collect();
    let started = Instant::now();
    runtime.block_on(async {
        let mut sending = JoinSet::new();
        for (body, count) in bodies {
            sending.spawn(send(url.clone(), body, count));
        }
        while let Some(sent) = sending.join_next().await {
            sent??;
        }
        anyhow::Ok(())
    })?;
    Ok(started.elapsed())
}

async fn send(url: String, body: String, count: usize) -> Result<()> {
    let request = reqwest::Client::new().post(url).header(KEY_HEADER, SENDER_KEY);
    let request = request.header("content-type", "application/x-ndjson").body(body);
    let text = request.send().await?.error_for_status()?.text().await?;
    let accepted = text
        .lines()
        .filter(|line| line.contains(r#""accepted":"data""#))
        .count();
    ensure!(accepted == count, "{accepted} lines of {count} were accepted");
    Ok(())
}

/// Inserts the same samples as rows.
fn bare(environment: &Environment, count: u32, samples: &[Reading]) -> Result<Duration> {
    let mut to = rows::open(&environment.scratch("rows")?.join("rows.db"))?;
    let users: Vec<_> = (0..count).map(|user| (user, samples)).collect();
    let started = Instant::now();
    for together in users.chunks(TOGETHER) {
        rows::insert(&mut to, together).context("cannot insert rows")?;
    }
    Ok(started.elapsed())
}

//! Reads of a month of samples and of a day's summaries, and the memory of slow readers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use wearlab_tests::process::Service;
use wearlab_tests::process::usage::{forget_peak, memory};

use super::pages;
use super::series::{HEART_RATE, first_day};
use crate::arrivals::{self, DAY};
use crate::environment::Environment;
use crate::load::Load;
use crate::measure::alternate;
use crate::population::{KEY, user_id};
use crate::reads::against_bare;
use crate::results::{Comparison, Found, Printed, Target};
use crate::service::{Bare, KEY_HEADER, start};

/// Number of concurrent slow readers.
const READERS: u32 = 64;
/// Maximum memory for each slow reader, in MiB.
const MAX_READER_MEMORY: f64 = 2.0;
/// Pause of a slow reader after each chunk.
const READ_PAUSE: Duration = Duration::from_millis(20);

/// Service with a month of heart rate of a user.
pub(crate) struct Month {
    service: Service,
    /// URL of the samples.
    url: String,
    days: u32,
    client: reqwest::Client,
    runtime: Runtime,
}

pub(super) fn run(environment: &Environment) -> Result<Found> {
    let users = environment.scale.users[0];
    let stored = Month::new(environment, arrivals::lines(users, users))?;
    let month = month(environment, &stored)?;
    let Month { service, url, .. } = stored;
    let memory = slow_readers(environment, &service, &url)?;
    let paths =
        (0..users).map(|user| format!("/v2/summary/activity/{}?start_date={DAY}&end_date={DAY}", user_id(user)));
    let load = Load::new(&environment.scratch("summaries")?, paths)?;
    let summaries = against_bare(
        environment,
        &service,
        &load,
        "read a day of summaries",
        Target::AtLeast(0.5),
    )?;
    Ok(Found {
        results: vec![month, summaries],
        printed: vec![memory],
        ..Found::default()
    })
}

impl Month {
    /// Stores the samples and the lines of `besides`, and starts a service.
    pub(crate) fn new(environment: &Environment, besides: impl Iterator<Item = String>) -> Result<Self> {
        let days = environment.scale.of(30);
        let directory = environment.copied(environment.scale.users[0], "month")?;
        let samples = (0..days).map(|day| HEART_RATE.line(0, &HEART_RATE.day(day)?));
        let samples = samples.collect::<Result<Vec<_>>>()?;
        let command = environment
            .wearlab(&directory, &["log.filter=warn"])
            .command(&["ingest", "-"]);
        environment.import(command, samples.into_iter().chain(besides))?;
        let service = start(&environment.wearlab(&directory, &[]))?;
        let last = first_day()? + chrono::Days::new((days - 1).into());
        let query = format!("start_date={}T00:00:00Z&end_date={last}T23:59:59.999Z", first_day()?);
        let (base, user) = (service.url(), user_id(0));
        Ok(Self {
            url: format!("{base}/v2/timeseries/{user}/heartrate/grouped?{query}"),
            days,
            service,
            client: reqwest::Client::new(),
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
        })
    }

    /// Returns the number of samples.
    pub(crate) fn count(&self) -> u32 {
        self.days * 17_280
    }

    /// Returns the description of the read in results.
    pub(crate) fn what(&self) -> String {
        format!("read {} days of {}, page by page", self.days, HEART_RATE.name)
    }

    /// Reads all pages, one after the other. Returns the samples in a second.
    pub(crate) fn rate(&self) -> Result<f64> {
        self.rate_of(&self.url, |_| ())
    }

    /// Does the same at another URL.
    fn rate_of(&self, url: &str, mut each: impl FnMut(&[u8])) -> Result<f64> {
        let (started, mut read) = (Instant::now(), 0);
        self.runtime.block_on(pages::each(&self.client, url, |page| {
            read += page.len();
            each(page);
        }))?;
        let (took, count) = (started.elapsed(), self.count());
        // Each sample has a time of 24 characters, and a value.
        ensure!(read > count as usize * 30, "{read} bytes of {count} samples");
        Ok(f64::from(count) / took.as_secs_f64())
    }
}

/// Compares reads of all pages, one after the other, with a process that has the samples as structs.
fn month(environment: &Environment, stored: &Month) -> Result<Comparison> {
    let mut lines = Vec::new();
    stored.rate_of(&stored.url, |page| {
        lines.extend_from_slice(page);
        lines.push(b'\n');
    })?;
    let bare = Bare::start_pages(&environment.scratch("pages")?, &lines)?;
    let theirs = format!("{}/pages?", bare.url());
    Ok(Comparison {
        what: stored.what(),
        reference: "the same samples as structs in memory, written by serde for each request".into(),
        unit: "samples/s".into(),
        target: Target::AtLeast(0.6),
        rounds: alternate(
            environment.scale.rounds,
            || stored.rate(),
            || stored.rate_of(&theirs, |_| ()),
        )?,
    })
}

/// Measures the additional memory of the service while many clients read pages slowly, after it has served one.
fn slow_readers(environment: &Environment, service: &Service, url: &str) -> Result<Printed> {
    let pid = service.pid().context("the service does not run")?;
    let idle = memory(pid)?.now;
    forget_peak(pid)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let read = runtime.block_on(async {
        let until = Instant::now() + environment.scale.span * 4;
        let mut readers = JoinSet::new();
        (0..READERS).for_each(|_| drop(readers.spawn(read_slowly(url.to_owned(), until))));
        let mut read = 0;
        while let Some(reader) = readers.join_next().await {
            read += reader??;
        }
        anyhow::Ok(read)
    })?;
    let each = memory(pid)?.peak.saturating_sub(idle) as f64 / 1024.0 / f64::from(READERS);
    Ok(Printed {
        what: format!(
            "memory for each of {READERS} slow readers of samples, who read {} MiB, in MiB",
            read >> 20
        ),
        value: format!("{each:.2} more than idle"),
        target: Some(format!("at most {MAX_READER_MEMORY} more")),
        met: each <= MAX_READER_MEMORY,
    })
}

/// Reads page after page until a point in time, with a pause after each chunk. Returns the number of bytes.
async fn read_slowly(url: String, until: Instant) -> Result<usize> {
    let client = reqwest::Client::new();
    let (mut next, mut read) = (url.clone(), 0);
    while Instant::now() < until {
        let mut response = client.get(&next).header(KEY_HEADER, KEY).send().await?;
        ensure!(response.status() == 200, "{url}: {}", response.status());
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            body.extend_from_slice(&piece);
            tokio::time::sleep(READ_PAUSE).await;
        }
        read += body.len();
        let cursor = pages::cursor(&body).map(|cursor| format!("{url}&next_cursor={cursor}"));
        next = cursor.unwrap_or_else(|| url.clone());
    }
    Ok(read)
}

//! Services that respond: `wearlab serve`, and a bare one that answers everything with the same bytes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use wearlab_tests::process::{Service, Wearlab};

use crate::environment::Environment;
use crate::population::{KEY, TEAM};
use crate::postgres;

/// The header of the team's key.
pub(crate) const KEY_HEADER: &str = "x-service-api-key";

/// The key of those who send lines.
pub(crate) const SENDER_KEY: &str = "wl_team_bench_ingest_key";

/// Starts the service, and waits until it is ready. What an earlier one logged goes: it may be much.
pub(crate) fn start(wearlab: &Wearlab) -> Result<Service> {
    let log = wearlab.directory().join("service.log");
    if log.exists() {
        std::fs::remove_file(log)?;
    }
    let mut service = Service::new("service")?;
    service.start(wearlab)?;
    until_answered(&format!("{}/readyz", service.url()))?;
    Ok(service)
}

/// Starts the service on the store of a directory, which gets [`SENDER_KEY`] for senders of lines.
pub(crate) fn start_for_senders(environment: &Environment, directory: &Path) -> Result<(Wearlab, Service)> {
    let wearlab = environment.wearlab(directory, &["log.filter=warn"]);
    let key = json!({"key": {"team_id": TEAM, "name": "senders", "key": SENDER_KEY, "scopes": ["ingest"]}});
    environment.import(wearlab.command(&["import", "-"]), [key.to_string()].into_iter())?;
    let service = start(&wearlab)?;
    Ok((wearlab, service))
}

/// Waits until an address answers with 200; returns how long that took.
pub(crate) fn until_answered(url: &str) -> Result<Duration> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(30) {
        if get(url).is_ok() {
            return Ok(started.elapsed());
        }
        thread::sleep(Duration::from_millis(1));
    }
    None.with_context(|| format!("{url} does not answer"))
}

/// What is answered there with 200, to the team's key.
pub(crate) fn get(url: &str) -> Result<Vec<u8>> {
    get_as(url, KEY)
}

/// What is answered there with 200, to a key.
pub(crate) fn get_as(url: &str, key: &str) -> Result<Vec<u8>> {
    get_with(url, KEY_HEADER, key)
}

/// The same, to a key in another header.
pub(crate) fn get_with(url: &str, header: &str, key: &str) -> Result<Vec<u8>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let response = reqwest::Client::new().get(url).header(header, key).send().await?;
        ensure!(response.status() == 200, "{url}: {}", response.status());
        Ok(response.bytes().await?.into())
    })
}

/// A bare axum handler in a process of its own, which ends with this.
pub(crate) struct Bare {
    child: Child,
    url: String,
}

impl Bare {
    /// Answers everything with some bytes, which are kept in a file of the directory.
    pub(crate) fn start(directory: &Path, body: &[u8]) -> Result<Self> {
        Self::spawn(directory, body, "--serve-file")
    }

    /// Answers with pages of samples, which are the lines of a file of the directory.
    pub(crate) fn start_pages(directory: &Path, lines: &[u8]) -> Result<Self> {
        Self::spawn(directory, lines, "--serve-pages")
    }

    /// Answers with users of a database of PostgreSQL.
    pub(crate) fn start_postgres(database: &str) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        // Not as an argument, where others of the machine see its password.
        command.arg("--serve-postgres").env(postgres::DATABASE, database);
        Self::run(command)
    }

    fn spawn(directory: &Path, content: &[u8], how: &str) -> Result<Self> {
        let file = directory.join("bare.json");
        std::fs::write(&file, content)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(how).arg(&file);
        Self::run(command)
    }

    fn run(mut command: Command) -> Result<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut url = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut url)?;
        let url = url.trim().to_owned();
        Ok(Self { child, url })
    }

    /// Where it answers.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

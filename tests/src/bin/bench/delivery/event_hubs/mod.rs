//! Test double of Event Hubs in Python, and a bare sender with the same AMQP library.

mod bare;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, ensure};
use axum::body::Bytes;
use serde_json::{Value, json};

use super::sink::Sink;
use crate::environment::Environment;

/// Script that installs Python packages for the test double.
const INSTALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/event_hubs-python");
const PEER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/delivery/tests/peers/event_hubs.py"
);
const HUB: &str = "events";
/// Maximum size of an envelope in bytes, as in the standard tier of the service.
const MAX_ENVELOPE: usize = 1024 * 1024;
/// Name and key of the policy that may send, as in the test double.
const POLICY: [&str; 2] = ["send", "c2VjcmV0LWtleQ=="];

/// Namespace with one hub, which is stopped on drop.
pub(super) struct Namespace {
    child: Child,
    line: Mutex<Line>,
    port: u16,
    /// Event ids and payloads that another sink received.
    events: Vec<(String, Bytes)>,
}

/// Pipes to the test double.
struct Line {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Namespace {
    /// Returns the Python of the test double, which is installed once, unless the environment names one.
    pub(super) fn python(environment: &Environment) -> Result<String> {
        if let Ok(python) = std::env::var("AZURE_AMQP_PYTHON") {
            return Ok(python);
        }
        let directory = environment.target()?.join("azure_amqp");
        let output = Command::new(INSTALL).arg(directory).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "python-qpid-proton cannot be installed");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Starts the test double. The reference will send `events`.
    pub(super) fn new(python: &str, events: Vec<(String, Bytes)>) -> Result<Self> {
        let mut command = Command::new(python);
        command.args([PEER, &MAX_ENVELOPE.to_string(), HUB]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {python}"))?;
        let mut line = Line {
            input: child.stdin.take().context("no input")?,
            output: BufReader::new(child.stdout.take().context("no output")?),
        };
        let ports = line.response()?;
        let port = ports.split(' ').next().context("no port")?.parse()?;
        Ok(Self {
            child,
            line: Mutex::new(line),
            port,
            events,
        })
    }

    /// Sends a command, and reads a number.
    fn say(&self, command: &str) -> Result<u32> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(line.input, "{command} {HUB}")?;
        Ok(line.response()?.parse()?)
    }
}

impl Line {
    fn response(&mut self) -> Result<String> {
        let mut response = String::new();
        self.output.read_line(&mut response)?;
        Ok(response.trim().to_owned())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Sink for Namespace {
    fn pipeline(&self) -> Value {
        let ([policy, key], port) = (POLICY, self.port);
        let credential = format!("SharedAccessKeyName={policy};SharedAccessKey={key}");
        let connection = format!("Endpoint=sb://127.0.0.1:{port};{credential};UseDevelopmentEmulator=true");
        json!({
            "preferences": {"preferred": "azure_amqp", "enabled": ["azure_amqp"]},
            "azure_amqp": {
                "connection_string": connection, "default_event_hub": HUB, "event_hub_matchers": [],
                "compression": "none",
            },
        })
    }

    fn arrived(&self, _: Option<&str>) -> Result<u32> {
        self.say("events")
    }

    fn empty(&self) -> Result<()> {
        self.say("forget")?;
        Ok(())
    }

    fn length(&self) -> usize {
        let bytes: usize = self.events.iter().map(|(_, payload)| payload.len()).sum();
        bytes / self.events.len().max(1)
    }

    fn bare(&self, count: usize) -> Result<JoinHandle<Result<()>>> {
        let (port, events) = (self.port, self.events.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let events = events.into_iter().cycle().take(count);
        Ok(thread::spawn(move || runtime.block_on(bare::send(port, events))))
    }

    fn reference(&self) -> &'static str {
        "a bare sender of the same AMQP library, of as long messages: an event an envelope, 100 under way"
    }
}

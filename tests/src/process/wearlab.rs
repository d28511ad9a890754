//! Binary under test: its commands, and the service as a separate process.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use super::free_port;

/// Number of attempts of a command while the store is busy. Each waits for some seconds.
const MAX_ATTEMPTS: u32 = 12;

/// Binary, with the store of its commands.
pub struct Wearlab {
    binary: PathBuf,
    directory: PathBuf,
    /// URL of the database. None for the embedded store in the directory.
    database: Option<String>,
    settings: Vec<String>,
}

/// Event in the output of `wearlab events list`.
#[derive(Clone, Debug)]
pub struct Logged {
    /// Number in the log.
    pub number: i64,
    /// Team of the event.
    pub team: String,
    /// Id of the event.
    pub event_id: String,
    /// Type of the event.
    pub event_type: String,
}

impl Wearlab {
    /// Creates a handle. `directory` contains the store and the logs of services.
    pub fn new(binary: PathBuf, directory: &Path, settings: Vec<String>) -> Self {
        Self {
            binary,
            directory: directory.to_owned(),
            database: None,
            settings,
        }
    }

    /// Directory of the store and the logs.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Sets a database for the store.
    pub fn on(self, database: String) -> Self {
        let database = Some(database);
        Self { database, ..self }
    }

    /// Adds settings.
    pub fn with(mut self, settings: &[&str]) -> Self {
        self.settings
            .extend(settings.iter().map(|setting| (*setting).to_owned()));
        self
    }

    /// Returns a command on the store. Environment variables do not configure it.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.remote_command(arguments);
        command.args(self.settings.iter().flat_map(|setting| ["--set", setting]));
        match &self.database {
            // Not as an argument, which would show the password to other users of the machine.
            Some(database) => command.env("WEARLAB_DATABASE__URL", database),
            None => command.arg("--data").arg(self.directory.join("data")),
        };
        command
    }

    /// Returns a command that needs no store. Environment variables do not configure it.
    pub fn remote_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments);
        for (name, _) in std::env::vars_os() {
            let ours = name.to_str().is_some_and(|name| name.starts_with("WEARLAB_"));
            if ours || name == "RUST_LOG" {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs a command that must succeed, and returns its output. It is retried while the store is busy.
    pub fn says(&self, arguments: &[&str]) -> Result<String> {
        let mut tries = 0;
        loop {
            let output = self.command(arguments).output();
            let output = output.with_context(|| format!("cannot run {}", self.binary.display()))?;
            if output.status.success() {
                return Ok(String::from_utf8(output.stdout)?);
            }
            let error = String::from_utf8_lossy(&output.stderr);
            tries += 1;
            if !error.contains("it is busy; retry") || tries == MAX_ATTEMPTS {
                bail!("wearlab {arguments:?}: {}: {error}", output.status);
            }
        }
    }

    /// Replays an event.
    pub fn replay(&self, event_id: &str) -> Result<()> {
        self.says(&["events", "replay", event_id]).map(drop)
    }

    /// Imports records into the store.
    pub fn import(&self, records: impl Iterator<Item = String>) -> Result<()> {
        let file = self.directory.join("world.ndjson");
        let mut writer = std::io::BufWriter::new(File::create(&file)?);
        for record in records {
            writeln!(writer, "{record}")?;
        }
        writer.flush()?;
        let file = file.display().to_string();
        self.says(&["import", &file]).map(drop)
    }

    /// Calls `each` with the events after a number of the log, in order.
    pub fn each_event(&self, after: i64, mut each: impl FnMut(Logged) -> Result<()>) -> Result<()> {
        let after = after.to_string();
        let mut command = self.command(&["events", "list", "--limit", "1000000000", "--after", &after]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("no output")?;
        for line in BufReader::new(stdout).lines().skip(1) {
            each(logged(&line?)?)?;
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("wearlab events list: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    /// Returns the ids of the events that `wearlab events undelivered` lists.
    pub fn undelivered(&self) -> Result<Vec<String>> {
        let message = self.says(&["events", "undelivered", "--limit", "1000000000", "--json"])?;
        let mut ids = Vec::new();
        for line in message.lines() {
            let row: serde_json::Value = serde_json::from_str(line)?;
            // Other lines are destinations.
            ids.extend(row["event_id"].as_str().map(str::to_owned));
        }
        Ok(ids)
    }
}

fn logged(line: &str) -> Result<Logged> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [number, event_id, .., team, event_type] = words[..] else {
        bail!("no line of a list of events: {line}");
    };
    Ok(Logged {
        number: number.parse()?,
        team: team.to_owned(),
        event_id: event_id.to_owned(),
        event_type: event_type.to_owned(),
    })
}

/// `wearlab serve`, which can be killed and restarted.
pub struct Service {
    /// Name of its log.
    name: String,
    child: Option<Child>,
    listen: SocketAddr,
}

impl Service {
    /// Creates a service that is not running yet, with a fixed address.
    pub fn new(name: &str) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            child: None,
            listen: free_port()?,
        })
    }

    /// Returns the base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.listen)
    }

    /// Returns the process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Starts the service, unless it runs. Its log is in the directory of the store.
    pub fn start(&mut self, wearlab: &Wearlab) -> Result<()> {
        if self.child.is_some() {
            return Ok(());
        }
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(wearlab.directory.join(format!("{}.log", self.name)))?;
        let listen = self.listen.to_string();
        let mut command = wearlab.command(&["serve", "--listen", &listen]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        self.child = Some(child.context("cannot start the service")?);
        Ok(())
    }

    /// Returns the exit status if the service ended by itself.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        match &mut self.child {
            Some(child) => Ok(child.try_wait()?),
            None => Ok(None),
        }
    }

    /// Pauses the process until it [goes on](Self::go_on).
    pub fn pause(&self) -> Result<()> {
        self.signal("STOP")
    }

    /// Resumes the process.
    pub fn go_on(&self) -> Result<()> {
        self.signal("CONT")
    }

    fn signal(&self, signal: &str) -> Result<()> {
        let pid = self.pid().context("the service does not run")?;
        let sent = Command::new("sh")
            .args(["-c", &format!("kill -{signal} {pid}")])
            .status()?;
        ensure!(sent.success(), "{} gets no signal {signal}", self.name);
        Ok(())
    }

    /// Kills the process, like a crash.
    pub fn kill(&mut self) -> Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Reads lines on a separate thread, up to the end. A kill may truncate the last one, which is then ignored.
pub fn read_lines(
    from: impl std::io::Read + Send + 'static,
    mut each: impl FnMut(&str) + Send + 'static,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let (mut reader, mut line) = (BufReader::new(from), String::new());
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) && line.ends_with('\n') {
            each(line.trim_end());
            line.clear();
        }
    })
}

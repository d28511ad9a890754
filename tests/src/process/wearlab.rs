//! The binary under test: its commands, and the service as a process of its own.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use super::free_port;

/// How often a command is tried while the store is busy; it waits for some seconds each time.
const TRIES: u32 = 12;

/// The binary, and the store that its commands work on.
pub struct Wearlab {
    binary: PathBuf,
    directory: PathBuf,
    /// The address of the database, where the store is in none of the directory's own.
    database: Option<String>,
    settings: Vec<String>,
}

/// An event as `wearlab events list` shows it.
#[derive(Clone, Debug)]
pub struct Logged {
    /// Its number in the log.
    pub number: i64,
    /// The team that it is for.
    pub team: String,
    /// Its id.
    pub event_id: String,
    /// Its type.
    pub event_type: String,
}

impl Wearlab {
    /// `directory` is where the store and the logs of services are kept.
    pub fn new(binary: PathBuf, directory: &Path, settings: Vec<String>) -> Self {
        Self {
            binary,
            directory: directory.to_owned(),
            database: None,
            settings,
        }
    }

    /// Where the store and the logs are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// With the store in a database.
    pub fn on(self, database: String) -> Self {
        let database = Some(database);
        Self { database, ..self }
    }

    /// With more settings.
    pub fn with(mut self, settings: &[&str]) -> Self {
        self.settings
            .extend(settings.iter().map(|setting| (*setting).to_owned()));
        self
    }

    /// A command on the store. Nothing of the environment configures it.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.remote_command(arguments);
        command.args(self.settings.iter().flat_map(|setting| ["--set", setting]));
        match &self.database {
            // Not as an argument, where others of the machine see its password.
            Some(database) => command.env("WEARLAB_DATABASE__URL", database),
            None => command.arg("--data").arg(self.directory.join("data")),
        };
        command
    }

    /// A command that needs no store. Nothing of the environment configures it.
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

    /// What a command that must succeed writes. While others write to the store, it is tried again, as it says.
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
            if !error.contains("it is busy; retry") || tries == TRIES {
                bail!("wearlab {arguments:?}: {}: {error}", output.status);
            }
        }
    }

    /// Has an event sent again.
    pub fn replay(&self, event_id: &str) -> Result<()> {
        self.says(&["events", "replay", event_id]).map(drop)
    }

    /// Puts records into the store.
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

    /// Hands on the events after a number of the log, in its order.
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

    /// The events that `wearlab events undelivered` lists, by their ids.
    pub fn undelivered(&self) -> Result<Vec<String>> {
        let message = self.says(&["events", "undelivered", "--limit", "1000000000", "--json"])?;
        let mut ids = Vec::new();
        for line in message.lines() {
            let row: serde_json::Value = serde_json::from_str(line)?;
            // The others are destinations.
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

/// `wearlab serve`, which may be killed and started again.
pub struct Service {
    /// What its log is called.
    name: String,
    child: Option<Child>,
    listen: SocketAddr,
}

impl Service {
    /// One that does not run yet, at an address that it keeps.
    pub fn new(name: &str) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            child: None,
            listen: free_port()?,
        })
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        format!("http://{}", self.listen)
    }

    /// Its process, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Starts it, unless it runs. What it logs is kept beside the store.
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

    /// Returns whether it ended although nobody killed it.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        match &mut self.child {
            Some(child) => Ok(child.try_wait()?),
            None => Ok(None),
        }
    }

    /// Has it stand still until it [goes on](Self::go_on).
    pub fn pause(&self) -> Result<()> {
        self.signal("STOP")
    }

    /// Ends a pause.
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

    /// Kills it, as a crash would.
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

/// Reads lines on a thread of its own, up to the end. A kill may cut the last one, which then is none.
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

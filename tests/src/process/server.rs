//! Third-party server that a script starts, stops and kills, in a directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use anyhow::{Context, Result, ensure};
use tokio::signal::unix::{SignalKind, signal};

/// The running servers.
static RUNNING: Mutex<Vec<(&str, PathBuf)>> = Mutex::new(Vec::new());

/// A server, which is killed on drop.
pub struct Server {
    script: &'static str,
    directory: PathBuf,
}

impl Server {
    /// Creates a server that is not running yet.
    pub fn new(script: &'static str, directory: &Path) -> Self {
        let server = Self {
            script,
            directory: directory.to_owned(),
        };
        end_with_us(script, directory.to_owned());
        server
    }

    /// Runs an action of the script, and returns its output.
    pub fn does(&self, action: &str, arguments: &[&str]) -> Result<String> {
        let output = command(self.script, action, &self.directory).args(arguments).output();
        let Output { status, stdout, stderr } = output.with_context(|| format!("cannot run {}", self.script))?;
        ensure!(
            status.success(),
            "{action}: {status}: {}",
            String::from_utf8_lossy(&stderr)
        );
        Ok(String::from_utf8(stdout)?)
    }

    /// Starts an action of the script in the background. It must not write any output.
    pub fn begins(&self, action: &str) -> Result<Child> {
        let begun = command(self.script, action, &self.directory)
            .stdout(Stdio::null())
            .spawn();
        begun.with_context(|| format!("cannot run {}", self.script))
    }

    /// Returns the content of a file that the script wrote into the directory.
    pub fn file(&self, name: &str) -> Result<String> {
        let text = std::fs::read_to_string(self.directory.join(name));
        let text = text.with_context(|| format!("{} wrote no file {name}", self.script))?;
        Ok(text.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.does("kill", &[]);
    }
}

fn command(script: &str, action: &str, directory: &Path) -> Command {
    let mut command = Command::new(script);
    command.arg(action).arg(directory).stdin(Stdio::null());
    command
}

/// Kills the server when this process is interrupted: it has a session of its own, and would outlive it.
fn end_with_us(script: &'static str, directory: PathBuf) {
    static LISTENING: OnceLock<()> = OnceLock::new();
    let running = || RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running().push((script, directory));
    LISTENING.get_or_init(|| {
        thread::spawn(move || {
            if interrupted().is_ok() {
                for (script, directory) in running().iter() {
                    let _ = command(script, "kill", directory).status();
                }
                std::process::exit(130);
            }
        });
    });
}

/// Waits until this process is asked to stop.
fn interrupted() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    })
}

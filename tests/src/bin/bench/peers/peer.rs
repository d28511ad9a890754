//! Server of a peer, in a process that is killed on drop.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wearlab_tests::process::usage::memory;

use crate::service::get_as;

/// Time limit of a start.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Server of a peer.
pub(super) struct Peer {
    child: Child,
    url: String,
    started: Duration,
}

impl Peer {
    /// Runs a command, and waits until a path responds with 200. Its output is written to a file in the directory.
    pub(super) fn start(mut command: Command, directory: &Path, url: String, path: &str, key: &str) -> Result<Self> {
        let log = std::fs::File::create(directory.join("peer.log"))?;
        let begun = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn();
        let child = child.with_context(|| format!("cannot run {}", command.get_program().display()))?;
        let mut peer = Self {
            child,
            url,
            started: Duration::ZERO,
        };
        loop {
            if get_as(&format!("{}{path}", peer.url), key).is_ok() {
                peer.started = begun.elapsed();
                return Ok(peer);
            }
            if let Some(status) = peer.child.try_wait()? {
                let said = std::fs::read_to_string(directory.join("peer.log"))?;
                bail!("it ended by itself: {status}: {said}");
            }
            if begun.elapsed() > TIMEOUT {
                bail!("it does not answer within {TIMEOUT:?}");
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Returns the base URL.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the time from the start to the first 200, in ms.
    pub(super) fn started(&self) -> f64 {
        self.started.as_secs_f64() * 1e3
    }

    /// Returns the peak memory in MiB.
    pub(super) fn memory(&self) -> Result<f64> {
        Ok(memory(self.child.id())?.peak as f64 / 1024.0)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

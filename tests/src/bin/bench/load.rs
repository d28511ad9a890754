//! Load over HTTP by wrk (Debian's package wrk), from a process of its own.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::population::KEY;
use crate::service::KEY_HEADER;

/// How many connections ask at once.
const CONNECTIONS: &str = "32";

/// What is asked for, path by path, in turns.
pub(crate) struct Load {
    script: PathBuf,
    first: String,
    header: String,
}

impl Load {
    /// Load on these paths, which is kept in a file of the directory.
    pub(crate) fn new(directory: &Path, paths: impl IntoIterator<Item = String>) -> Result<Self> {
        Self::with_key(directory, paths, KEY)
    }

    /// The same with another key than the team's.
    pub(crate) fn with_key(directory: &Path, paths: impl IntoIterator<Item = String>, key: &str) -> Result<Self> {
        Self::with_header(directory, paths, &format!("{KEY_HEADER}: {key}"))
    }

    /// The same with the header of another service.
    pub(crate) fn with_header(directory: &Path, paths: impl IntoIterator<Item = String>, header: &str) -> Result<Self> {
        let mut paths = paths.into_iter().peekable();
        let first = paths.peek().context("nothing is asked for")?.clone();
        let mut text = String::from("local paths = {\n");
        for path in paths {
            writeln!(text, "  {path:?},")?;
        }
        // Requests are made before the load: making one costs as much as a bare handler does.
        text += "}
local requests, next = {}, 0
function init(args)
  for index, path in ipairs(paths) do requests[index] = wrk.format('GET', path) end
end
function request()
  next = next % #requests + 1
  return requests[next]
end
";
        let script = directory.join("load.lua");
        fs::write(&script, text)?;
        let header = header.to_owned();
        Ok(Self { script, first, header })
    }

    /// The first path.
    pub(crate) fn first(&self) -> &str {
        &self.first
    }

    /// How many requests a second are answered at an address.
    pub(crate) fn requests_per_second(&self, url: &str, span: Duration) -> Result<f64> {
        self.number(url, span, |line| line.strip_prefix("Requests/sec:"))
    }

    /// How many requests are answered there in all.
    pub(crate) fn requests(&self, url: &str, span: Duration) -> Result<f64> {
        self.number(url, span, |line| Some(line.split_once(" requests in ")?.0))
    }

    /// The number that is found in a line of what wrk says.
    fn number(&self, url: &str, span: Duration, find: impl Fn(&str) -> Option<&str>) -> Result<f64> {
        let text = self.run(url, span)?;
        text.lines()
            .find_map(find)
            .with_context(|| format!("wrk says nothing of requests:\n{text}"))?
            .trim()
            .parse()
            .context("no number")
    }

    /// What wrk says.
    fn run(&self, url: &str, span: Duration) -> Result<String> {
        let span = format!("{}s", span.as_secs().max(1));
        let mut command = Command::new("wrk");
        command
            .args([
                "-t1",
                "-c",
                CONNECTIONS,
                "-d",
                &span,
                "--timeout",
                "30s",
                "-H",
                &self.header,
                "-s",
            ])
            .arg(&self.script)
            .arg(url);
        let output = command
            .output()
            .context("cannot run wrk: Debian's package wrk must be there")?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(
            output.status.success(),
            "wrk: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let bad = ["Non-2xx", "Socket errors"].iter().any(|line| text.contains(line));
        ensure!(!bad, "not all was answered:\n{text}");
        Ok(text.into_owned())
    }
}

//! HTTP load by wrk (Debian's package wrk), in a separate process.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::population::KEY;
use crate::service::KEY_HEADER;

/// Number of concurrent connections.
const CONNECTIONS: &str = "32";

/// Load that requests paths in turns.
pub(crate) struct Load {
    script: PathBuf,
    first: String,
    header: String,
}

impl Load {
    /// Creates a load on these paths. Its script is a file in the directory.
    pub(crate) fn new(directory: &Path, paths: impl IntoIterator<Item = String>) -> Result<Self> {
        Self::with_key(directory, paths, KEY)
    }

    /// Creates a load with another key than the team's.
    pub(crate) fn with_key(directory: &Path, paths: impl IntoIterator<Item = String>, key: &str) -> Result<Self> {
        Self::with_header(directory, paths, &format!("{KEY_HEADER}: {key}"))
    }

    /// Creates a load with the header of another service.
    pub(crate) fn with_header(directory: &Path, paths: impl IntoIterator<Item = String>, header: &str) -> Result<Self> {
        let mut paths = paths.into_iter().peekable();
        let first = paths.peek().context("nothing is asked for")?.clone();
        let mut text = String::from("local paths = {\n");
        for path in paths {
            writeln!(text, "  {path:?},")?;
        }
        // Requests are created before the load, because creating one costs as much as a bare handler.
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

    /// Returns the first path.
    pub(crate) fn first(&self) -> &str {
        &self.first
    }

    /// Measures the requests in a second at a URL.
    pub(crate) fn requests_per_second(&self, url: &str, span: Duration) -> Result<f64> {
        self.number(url, span, |line| line.strip_prefix("Requests/sec:"))
    }

    /// Measures the total number of requests at a URL.
    pub(crate) fn requests(&self, url: &str, span: Duration) -> Result<f64> {
        self.number(url, span, |line| Some(line.split_once(" requests in ")?.0))
    }

    /// Returns the number in a line of wrk's output.
    fn number(&self, url: &str, span: Duration, find: impl Fn(&str) -> Option<&str>) -> Result<f64> {
        let text = self.run(url, span)?;
        text.lines()
            .find_map(find)
            .with_context(|| format!("wrk says nothing of requests:\n{text}"))?
            .trim()
            .parse()
            .context("no number")
    }

    /// Runs wrk, and returns its output.
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

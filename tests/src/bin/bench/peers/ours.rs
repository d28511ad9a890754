//! Wearlab's test doubles: `wearlab demo`, and the server of wearlab-mock in a separate process.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use wearlab_tests::process::usage::memory;

use crate::environment::Environment;
use crate::service::get_as;

/// Test double, which is killed on drop.
pub(super) struct Double {
    /// Name in results.
    pub(super) name: &'static str,
    /// Base URL.
    pub(super) url: String,
    /// Valid key.
    pub(super) key: String,
    /// Path of an existing user.
    pub(super) path: String,
    /// Time from the start to the first 200, in ms.
    pub(super) started: f64,
    child: Child,
}

impl Double {
    /// Starts `wearlab demo` in a directory.
    pub(super) fn demo(environment: &Environment, directory: &Path) -> Result<Self> {
        let log = std::fs::File::create(directory.join("demo.log"))?;
        let mut command = Command::new(&environment.binary);
        command
            .args(["demo", "--json", "--listen", "127.0.0.1:0"])
            .current_dir(directory)
            .stderr(log);
        let (mut demo, begun, line) = Self::spawn("wearlab demo", command)?;
        let said: Value = serde_json::from_str(&line).context("the demo says no JSON")?;
        let field = |name: &str| Ok::<_, anyhow::Error>(said[name].as_str().context("a field is missing")?.to_owned());
        (demo.url, demo.key) = (field("base_url")?, field("team_api_key")?);
        let page = get_as(&format!("{}/v2/user?limit=1", demo.url), &demo.key)?;
        demo.started = begun.elapsed().as_secs_f64() * 1e3;
        let page: Value = serde_json::from_slice(&page)?;
        let user = page["users"][0]["user_id"].as_str().context("the demo has no user")?;
        demo.path = format!("/v2/user/{user}");
        Ok(demo)
    }

    /// Starts the [built](build) server of wearlab-mock with a user of the demo from a file, for the demo's key.
    pub(super) fn mock(server: &Path, user: &Path, demo: &Self) -> Result<Self> {
        let mut command = Command::new(server);
        command.arg(user).env("MOCK_KEY", &demo.key);
        let (mut mock, begun, line) = Self::spawn("wearlab-mock", command)?;
        (mock.url, mock.key, mock.path) = (line, demo.key.clone(), demo.path.clone());
        get_as(&format!("{}{}", mock.url, mock.path), &mock.key)?;
        mock.started = begun.elapsed().as_secs_f64() * 1e3;
        Ok(mock)
    }

    /// Returns the peak memory in MiB.
    pub(super) fn memory(&self) -> Result<f64> {
        Ok(memory(self.child.id())?.peak as f64 / 1024.0)
    }

    /// Runs a command, and waits for its first line.
    fn spawn(name: &'static str, mut command: Command) -> Result<(Self, Instant, String)> {
        let begun = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut double = Self {
            name,
            url: String::new(),
            key: String::new(),
            path: String::new(),
            started: 0.0,
            child: child.with_context(|| format!("cannot start {name}"))?,
        };
        let mut line = String::new();
        BufReader::new(double.child.stdout.take().context("no output")?).read_line(&mut line)?;
        Ok((double, begun, line.trim().to_owned()))
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Builds the server of wearlab-mock, in release mode unless this is a smoke run. Returns its path.
pub(super) fn build(environment: &Environment) -> Result<PathBuf> {
    let (profile, directory) = match environment.scale.smoke {
        true => ("dev", "debug"),
        false => ("release", "release"),
    };
    let mut command = Command::new("cargo");
    command.args([
        "build",
        "--quiet",
        "--package",
        "wearlab-mock",
        "--example",
        "serve",
        "--profile",
        profile,
    ]);
    let status = command.current_dir(&environment.root).status()?;
    ensure!(status.success(), "the server of wearlab-mock is not built: {status}");
    Ok(environment.target()?.join(directory).join("examples/serve"))
}

//! PostgreSQL server of a test, and commands on its database.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::fixture::{WORLD, error};

/// Server of a test, and its database.
pub(super) struct Database {
    directory: TempDir,
}

impl Database {
    /// Starts a server, with an empty database.
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        // The server runs as another user, if this one is root.
        fs::set_permissions(directory.path(), Permissions::from_mode(0o711)).expect("permissions");
        let database = Self { directory };
        database.server("start");
        database
    }

    /// Starts a server with the world, except its pipeline: a team without one gets all events as webhooks.
    pub(super) fn with_world() -> Self {
        let database = Self::new();
        let lines: Vec<_> = WORLD.lines().filter(|line| !line.contains("\"pipeline\"")).collect();
        let file = database.directory.path().join("world.ndjson");
        fs::write(&file, lines.join("\n")).expect("writes");
        database.says(&["import", &file.display().to_string()]);
        database
    }

    fn server_directory(&self) -> PathBuf {
        self.directory.path().join("server")
    }

    /// Runs an action of the server script: `start`, `stop`, `pause`, `resume` or `kill`.
    pub(super) fn server(&self, action: &str) {
        let script = std::env::var("WEARLAB_POSTGRES_SERVER").expect("WEARLAB_POSTGRES_SERVER: run .ci/postgres");
        let status = Command::new(script).arg(action).arg(self.server_directory()).status();
        assert!(status.expect("runs").success(), "{action}");
    }

    pub(super) fn url(&self) -> String {
        let url = fs::read_to_string(self.server_directory().join("url")).expect("an address");
        url.trim().to_owned()
    }

    pub(super) fn command_at(url: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
        command.args(arguments).env("WEARLAB_DATABASE__URL", url);
        for name in ["RUST_LOG", "WEARLAB_TEST_DATABASE", "WEARLAB_POSTGRES_SERVER"] {
            command.env_remove(name);
        }
        command
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        Self::command_at(&self.url(), arguments)
    }

    /// Returns the output of a command that must succeed.
    pub(super) fn says(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the binary runs");
        assert!(output.status.success(), "{arguments:?}: {}", error(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    pub(super) fn serve_at(url: &str, arguments: &[&str]) -> Command {
        let mut command = Self::command_at(url, &["serve", "--listen", "127.0.0.1:0", "--set", "log.format=json"]);
        command.args(arguments);
        command
    }

    pub(super) fn serve(&self, arguments: &[&str]) -> Command {
        Self::serve_at(&self.url(), arguments)
    }

    /// Returns the types of all events of the log.
    pub(super) fn events(&self) -> Vec<String> {
        let list = self.says(&["events", "list", "--limit", "100000"]);
        let last = |line: &str| line.split_whitespace().next_back().map(str::to_owned);
        list.lines().skip(1).filter_map(last).collect()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.server_directory().join("url").exists() {
            self.server("kill");
        }
    }
}

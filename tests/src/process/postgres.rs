//! PostgreSQL server on loopback, which can be stopped or killed.

use std::path::Path;

use anyhow::Result;

use super::Server;

/// Script that starts and kills a server.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/postgres-server");

/// PostgreSQL server, which is killed on drop.
pub struct Postgres {
    server: Server,
}

impl Postgres {
    /// Starts a server with its data in a directory.
    pub fn new(directory: &Path) -> Result<Self> {
        let server = Self {
            server: Server::new(SCRIPT, directory),
        };
        server.start()?;
        Ok(server)
    }

    /// Returns whether Debian's package postgresql is installed.
    pub fn is_there() -> bool {
        let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        versions
            .into_iter()
            .any(|version| version.path().join("bin/initdb").exists())
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> Result<String> {
        self.server.file("url")
    }

    /// Starts the server, and waits until it accepts connections.
    pub fn start(&self) -> Result<()> {
        self.server.does("start", &[]).map(drop)
    }

    /// Shuts the server down, or kills it.
    pub fn end(&self, killed: bool) -> Result<()> {
        self.server.does(if killed { "kill" } else { "stop" }, &[]).map(drop)
    }
}

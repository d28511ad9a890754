//! A PostgreSQL server of our own on loopback, which can be stopped or killed.

use std::path::Path;

use anyhow::Result;

use wearlab_tests::process::Server;

/// What starts and kills a server.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/postgres-server");

/// The server.
pub(crate) struct Postgres {
    server: Server,
}

impl Postgres {
    /// Starts one with its data in a directory.
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        let server = Self {
            server: Server::new(SCRIPT, directory),
        };
        server.start()?;
        Ok(server)
    }

    /// The address of the database.
    pub(crate) fn url(&self) -> Result<String> {
        self.server.file("url")
    }

    /// Starts it, and waits until it takes connections.
    pub(crate) fn start(&self) -> Result<()> {
        self.server.does("start", &[]).map(drop)
    }

    /// Has it shut down, or kills it.
    pub(crate) fn end(&self, killed: bool) -> Result<()> {
        self.server.does(if killed { "kill" } else { "stop" }, &[]).map(drop)
    }
}

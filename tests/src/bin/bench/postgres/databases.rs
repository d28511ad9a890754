//! Databases of a PostgreSQL server on this machine.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result};
use tokio_postgres::{Client, NoTls};
use wearlab_tests::process::{Postgres, Wearlab};

use crate::environment::Environment;
use crate::population;

/// Server. It has the settings of `.ci/postgres-server`, and does not wait for the disk.
pub(crate) struct Databases {
    server: Postgres,
}

/// Database of the server.
#[derive(Clone)]
pub(crate) struct Database {
    name: String,
    url: String,
}

impl Databases {
    /// Starts a server, if PostgreSQL is installed.
    pub(crate) fn start(environment: &Environment) -> Result<Option<Self>> {
        if !Postgres::is_there() {
            return Ok(None);
        }
        let server = Postgres::new(&environment.scratch("postgres")?)?;
        Ok(Some(Self { server }))
    }

    /// Creates an empty database, in place of one with the same name.
    pub(crate) fn create(&self, name: &str) -> Result<Database> {
        self.make(name, "template1")
    }

    /// Copies a database without connections.
    pub(super) fn copy(&self, of: &Database, name: &str) -> Result<Database> {
        self.make(name, &of.name)
    }

    fn make(&self, name: &str, of: &str) -> Result<Database> {
        let url = self.server.url()?;
        let root = Database {
            name: "postgres".into(),
            url: url.clone(),
        };
        root.run(async |client| {
            client
                .batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
                .await?;
            client
                .batch_execute(&format!("CREATE DATABASE {name} TEMPLATE {of}"))
                .await?;
            // Keeps writes of the copy out of the next measurement.
            Ok(client.batch_execute("CHECKPOINT").await?)
        })?;
        Ok(Database {
            name: name.into(),
            url: url.replace("/postgres?", &format!("/{name}?")),
        })
    }

    /// Returns the binary with its store in a database.
    pub(super) fn wearlab(&self, environment: &Environment, directory: &str, database: &Database) -> Result<Wearlab> {
        let directory: PathBuf = environment.scratch(directory)?;
        Ok(environment.wearlab(&directory, &[]).on(database.url.clone()))
    }

    /// Imports `users` users, and updates the server's statistics.
    pub(super) fn fill(&self, environment: &Environment, database: &Database, users: u32) -> Result<()> {
        let wearlab = self.wearlab(environment, "filling", database)?;
        environment.import(wearlab.command(&["import", "-"]), population::lines(users))?;
        database.run(async |client| Ok(client.batch_execute("VACUUM ANALYZE").await?))
    }
}

impl Database {
    /// Returns the URL with the password.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Runs work with a connection.
    pub(crate) fn run<T>(&self, work: impl AsyncFnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (mut client, connection) = tokio_postgres::connect(&self.url, NoTls).await?;
            let connection = tokio::spawn(connection);
            let done = work(&mut client).await;
            drop(client);
            connection.await.context("the connection panicked")??;
            done
        })
    }
}

/// Runs a command to its end, with its output in a file beside its store, which is printed if it fails.
pub(super) fn finish(wearlab: &Wearlab, arguments: &[&str]) -> Result<()> {
    let log = wearlab.directory().join("command.log");
    let errors = File::create(&log)?;
    let status = wearlab
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .status()?;
    anyhow::ensure!(
        status.success(),
        "{arguments:?}: {status}: {}",
        std::fs::read_to_string(&log)?
    );
    Ok(())
}

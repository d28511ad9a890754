//! Databases of a server of our own.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result};
use tokio_postgres::{Client, NoTls};
use wearlab_tests::process::{Postgres, Wearlab};

use crate::environment::Environment;
use crate::population;

/// The server. It is as `.ci/postgres-server` starts it, and does not wait for the disk.
pub(crate) struct Databases {
    server: Postgres,
}

/// One of its databases.
#[derive(Clone)]
pub(crate) struct Database {
    name: String,
    url: String,
}

impl Databases {
    /// Starts one, where that is installed.
    pub(crate) fn start(environment: &Environment) -> Result<Option<Self>> {
        if !Postgres::is_there() {
            return Ok(None);
        }
        let server = Postgres::new(&environment.scratch("postgres")?)?;
        Ok(Some(Self { server }))
    }

    /// A new database without anything, in place of one with the same name.
    pub(crate) fn create(&self, name: &str) -> Result<Database> {
        self.make(name, "template1")
    }

    /// A copy of a database that nobody is connected to.
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
            // What is measured next does not wait for what was copied.
            Ok(client.batch_execute("CHECKPOINT").await?)
        })?;
        Ok(Database {
            name: name.into(),
            url: url.replace("/postgres?", &format!("/{name}?")),
        })
    }

    /// The binary with its store in a database.
    pub(super) fn wearlab(&self, environment: &Environment, directory: &str, database: &Database) -> Result<Wearlab> {
        let directory: PathBuf = environment.scratch(directory)?;
        Ok(environment.wearlab(&directory, &[]).on(database.url.clone()))
    }

    /// Imports so many users, and has the server know how many there are.
    pub(super) fn fill(&self, environment: &Environment, database: &Database, users: u32) -> Result<()> {
        let wearlab = self.wearlab(environment, "filling", database)?;
        environment.import(wearlab.command(&["import", "-"]), population::lines(users))?;
        database.run(async |client| Ok(client.batch_execute("VACUUM ANALYZE").await?))
    }
}

impl Database {
    /// Where it is, with the password.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Does something with a connection.
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

/// Runs a command to its end, with what it writes in a file beside its store, and shows that if it fails.
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

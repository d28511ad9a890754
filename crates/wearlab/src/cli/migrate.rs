//! `wearlab migrate`: a store into another one, of any engine.

use std::path::PathBuf;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use wearlab_store::{MigrationStep, Store, StoreAddress, TableSum};

use super::output::say;
use super::place::failed;

/// What can be set.
///
/// An address has a password in it, which others on the machine can see in a command: the environment hides it.
#[derive(clap::Args)]
pub(super) struct Options {
    /// The store to move: sqlite:FOLDER, or postgres://user:password@host/name. Nothing may write to it from now on.
    #[arg(value_name = "FROM", env = "WEARLAB_MIGRATE_FROM", hide_env_values = true)]
    from: String,
    /// An address of an empty store, or of one that this migration was cut short with: it goes on there.
    #[arg(value_name = "TO", env = "WEARLAB_MIGRATE_TO", hide_env_values = true)]
    to: String,
    /// A file with certificates, as PEM, that are trusted besides those that the system trusts.
    #[arg(long, value_name = "FILE")]
    authorities: Option<PathBuf>,
    /// Print a line of JSON for each table.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(options: Options) -> Result<()> {
    let address = |name: &str, text: &str| address(name, text, options.authorities.as_ref());
    let (from, to) = (address("FROM", &options.from)?, address("TO", &options.to)?);
    let bar = bar();
    let mut tables = Vec::new();
    let outcome = Store::migrate(&from, &to, |step| match step {
        MigrationStep::Read { table, rows } => show(&bar, "reading", table, rows, None),
        MigrationStep::Copied { table, rows, of } => show(&bar, "copying", table, rows, Some(of)),
        MigrationStep::Compared { table, rows } => show(&bar, "comparing", table, rows, None),
        MigrationStep::Verified { table, source, target } => tables.push((table, source.clone(), target.clone())),
        _ => {}
    });
    let outcome = outcome.await;
    bar.finish_and_clear();
    print(&tables, options.json)?;
    outcome.map_err(failed)
}

/// Reads an address. What is wrong is said without it.
fn address(name: &str, text: &str, authorities: Option<&PathBuf>) -> Result<StoreAddress> {
    if let Some(folder) = text.strip_prefix("sqlite:").filter(|folder| !folder.is_empty()) {
        return Ok(StoreAddress::Directory(folder.into()));
    }
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return server(name, text, authorities);
    }
    bail!("{name} is no address: give sqlite:FOLDER or postgres://user:password@host/name");
}

#[cfg(feature = "postgres")]
fn server(_: &str, url: &str, authorities: Option<&PathBuf>) -> Result<StoreAddress> {
    use std::time::Duration;
    use wearlab_store::PostgresSettings;

    Ok(StoreAddress::Postgres(PostgresSettings {
        connections: 2,
        // Nobody waits for it but the one who moves the store.
        statement_timeout: Duration::from_secs(600),
        authorities_file: authorities.cloned(),
        ..PostgresSettings::new(url)
    }))
}

#[cfg(not(feature = "postgres"))]
fn server(name: &str, _: &str, _: Option<&PathBuf>) -> Result<StoreAddress> {
    bail!("{name} is an address of PostgreSQL, which this build lacks: build with the feature postgres");
}

/// What is done just now, on standard error; nothing where that is no terminal.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

fn show(bar: &ProgressBar, what: &str, table: &str, rows: u64, of: Option<u64>) {
    let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
    bar.set_message(format!("{what} {table}: {rows}{of} rows"));
    bar.tick();
}

/// What both sides hold.
fn print(tables: &[(&str, TableSum, TableSum)], json: bool) -> Result<()> {
    if !json && !tables.is_empty() {
        say(format_args!(
            "{:20}  {:>12}  {:>12}  SHA-256",
            "table", "source", "target"
        ))?;
    }
    for (table, source, target) in tables {
        if json {
            say(json!({"table": table, "source": source, "target": target}))?;
            continue;
        }
        let sum = match source.sha256 == target.sha256 {
            true => source.sha256.clone(),
            false => format!("{} is not {}", source.sha256, target.sha256),
        };
        say(format_args!(
            "{table:20}  {:>12}  {:>12}  {sum}",
            source.rows, target.rows
        ))?;
    }
    Ok(())
}

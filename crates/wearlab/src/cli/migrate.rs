//! `wearlab migrate`: copies a store into another one, of any engine.

use std::path::PathBuf;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use wearlab_store::{MigrationStep, Store, StoreAddress, TableSum};

use super::interrupt;
use super::output::print_line;
#[cfg(feature = "postgres")]
use super::output::warn;
use super::store_args::failed;

/// Options of the command.
///
/// URLs can also be given by environment variables: other users of the machine can see arguments, and a URL contains a
/// password.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Source store: sqlite:DIR or postgres://user:password@host/name. Nothing may write to it during the migration.
    #[arg(value_name = "FROM", env = "WEARLAB_MIGRATE_FROM", hide_env_values = true)]
    from: String,
    /// Target store: empty, or the target of this migration when it was interrupted, which is then resumed.
    #[arg(value_name = "TO", env = "WEARLAB_MIGRATE_TO", hide_env_values = true)]
    to: String,
    /// PEM file with certificates to trust besides those of the system.
    #[arg(long, value_name = "FILE")]
    authorities: Option<PathBuf>,
    /// Print a line of JSON for each table.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(options: Options) -> Result<()> {
    interrupt::end_with("stopped before the target was complete: run the same command again to go on")?;
    let address = |name: &str, text: &str| address(name, text, options.authorities.as_ref());
    let (from, to) = (address("FROM", &options.from)?, address("TO", &options.to)?);
    if from.is_in_use().map_err(failed)? {
        let problem = "FROM is in use by another process, and what that writes from now on would be missing in TO: stop \
             `wearlab serve` and whatever else has it open, then run the same command again";
        match from {
            StoreAddress::Directory(_) => bail!("{problem}"),
            // A session with the same name may use another schema of the database.
            #[cfg(feature = "postgres")]
            StoreAddress::Postgres(_) => warn(problem),
        }
    }
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

/// Parses a store URL. The error does not contain it.
fn address(name: &str, text: &str, authorities: Option<&PathBuf>) -> Result<StoreAddress> {
    if let Some(directory) = text.strip_prefix("sqlite:").filter(|directory| !directory.is_empty()) {
        return Ok(StoreAddress::Directory(directory.into()));
    }
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return server(name, text, authorities);
    }
    bail!("{name} is not a store URL: give sqlite:DIR or postgres://user:password@host/name");
}

#[cfg(feature = "postgres")]
fn server(_: &str, url: &str, authorities: Option<&PathBuf>) -> Result<StoreAddress> {
    use std::time::Duration;
    use wearlab_store::PostgresSettings;

    Ok(StoreAddress::Postgres(PostgresSettings {
        connections: 2,
        // Longer than that of a service: only the operator waits for it.
        statement_timeout: Duration::from_secs(600),
        authorities_file: authorities.cloned(),
        ..PostgresSettings::new(url)
    }))
}

#[cfg(not(feature = "postgres"))]
fn server(name: &str, _: &str, _: Option<&PathBuf>) -> Result<StoreAddress> {
    bail!("{name}: this build does not support PostgreSQL: build it with the feature `postgres`");
}

/// Progress of the current step, on standard error if that is a terminal.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

fn show(bar: &ProgressBar, what: &str, table: &str, rows: u64, of: Option<u64>) {
    let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
    bar.set_message(format!("{what} {table}: {rows}{of} rows"));
    bar.tick();
}

/// Prints the tables of both stores.
fn print(tables: &[(&str, TableSum, TableSum)], json: bool) -> Result<()> {
    if !json && !tables.is_empty() {
        print_line(format_args!(
            "{:20}  {:>12}  {:>12}  SHA-256",
            "table", "source", "target"
        ))?;
    }
    for (table, source, target) in tables {
        if json {
            print_line(json!({"table": table, "source": source, "target": target}))?;
            continue;
        }
        let sum = match source.sha256 == target.sha256 {
            true => source.sha256.clone(),
            false => format!("{} is not {}", source.sha256, target.sha256),
        };
        print_line(format_args!(
            "{table:20}  {:>12}  {:>12}  {sum}",
            source.rows, target.rows
        ))?;
    }
    Ok(())
}

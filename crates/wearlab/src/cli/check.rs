//! `wearlab check`: verifies the store.

use anyhow::{Result, bail};
use serde_json::json;

use super::output::{print_line, warn};
use super::store_args::{StoreArgs, failed};

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Print a line of JSON for each damaged row, and one for the store.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Fails if anything is damaged.
pub(super) async fn run(options: Options) -> Result<()> {
    let verified = options.store.open().await?.verify().await.map_err(failed)?;
    for damage in &verified.damage {
        match options.json {
            true => print_line(json!({"table": damage.table, "row": damage.row, "damage": damage.what}))?,
            false => print_line(damage)?,
        }
    }
    for note in &verified.notes {
        warn(note);
    }
    let count = verified.damage.len();
    match options.json {
        true => print_line(json!({"rows": verified.rows, "damaged": count}))?,
        false => print_line(format_args!("read {} rows", verified.rows))?,
    }
    match count {
        0 => Ok(()),
        1 => bail!("the store is damaged (1 finding): restore a backup"),
        count => bail!("the store is damaged ({count} findings): restore a backup"),
    }
}

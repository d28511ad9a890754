//! `wearlab check`: reads everything in the store, and says what is damaged.

use anyhow::{Result, bail};
use serde_json::json;

use super::output::{say, warn};
use super::place::{Place, failed};

/// What can be set.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Print a line of JSON for each damaged part, and one for the store.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

/// Fails where anything is damaged.
pub(super) async fn run(options: Options) -> Result<()> {
    let verified = options.place.open().await?.verify().await.map_err(failed)?;
    for damage in &verified.damage {
        match options.json {
            true => say(json!({"table": damage.table, "row": damage.row, "damage": damage.what}))?,
            false => say(damage)?,
        }
    }
    for note in &verified.notes {
        warn(note);
    }
    let count = verified.damage.len();
    match options.json {
        true => say(json!({"rows": verified.rows, "damaged": count}))?,
        false => say(format_args!("{} rows were read", verified.rows))?,
    }
    match count {
        0 => Ok(()),
        1 => bail!("the store is damaged in 1 place: restore a copy that is sound"),
        count => bail!("the store is damaged in {count} places: restore a copy that is sound"),
    }
}

//! `wearlab backup` and `wearlab restore`.

use std::path::PathBuf;

use anyhow::Result;
use wearlab_store::Store;

use super::place::{Place, failed};

/// What can be set for a backup.
#[derive(clap::Args)]
pub(super) struct Backup {
    /// The new file to write the copy to.
    #[arg(value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    place: Place,
}

/// What can be set for restoring.
#[derive(clap::Args)]
pub(super) struct Restore {
    /// A copy that `wearlab backup` wrote.
    #[arg(value_name = "FILE")]
    from: PathBuf,
    #[command(flatten)]
    place: Place,
}

pub(super) async fn run(options: Backup) -> Result<()> {
    options.place.open().await?.backup(&options.to).await.map_err(failed)
}

pub(super) fn restore(options: Restore) -> Result<()> {
    Store::restore(&options.from, &options.place.folder()?).map_err(failed)
}

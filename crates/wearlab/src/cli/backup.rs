//! `wearlab backup` and `wearlab restore`.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use indicatif::HumanBytes;
use wearlab_store::Store;

use super::output::say;
use super::place::{Place, failed};
use super::progress;

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
    let store = options.place.open().await?;
    let bar = progress::writing(&options.to);
    let copied = store.backup(&options.to).await;
    bar.finish_and_clear();
    copied.map_err(failed)?;
    let size = fs::metadata(&options.to).map_or(0, |file| file.len());
    say(format_args!(
        "wrote {} to {}, and verified the copy",
        HumanBytes(size),
        options.to.display()
    ))
}

pub(super) fn restore(options: Restore) -> Result<()> {
    let folder = options.place.folder()?;
    let bar = progress::writing(&folder.join("wearlab.db"));
    let restored = Store::restore(&options.from, &folder);
    bar.finish_and_clear();
    restored.map_err(failed)?;
    say(format_args!(
        "made a store in {} from {}",
        folder.display(),
        options.from.display()
    ))
}

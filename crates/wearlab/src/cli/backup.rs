//! `wearlab backup` and `wearlab restore`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use indicatif::HumanBytes;
use tokio::runtime::Handle;
use wearlab_store::{Store, StoreError, remove_unfinished_copies};

use super::output::say;
use super::place::{Place, failed};
use super::progress;
use crate::serve::Stop;

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
    let to = options.to.clone();
    let copy = move || Handle::current().block_on(store.backup(&to));
    write_copy(&options.to, copy).await?;
    let size = fs::metadata(&options.to).map_or(0, |file| file.len());
    say(format_args!(
        "wrote {} to {}, and verified the copy",
        HumanBytes(size),
        options.to.display()
    ))
}

pub(super) async fn restore(options: Restore) -> Result<()> {
    let folder = options.place.folder()?;
    let (from, to) = (options.from.clone(), folder.clone());
    write_copy(&folder.join("wearlab.db"), move || Store::restore(&from, &to)).await?;
    say(format_args!(
        "made a store in {} from {}",
        folder.display(),
        options.from.display()
    ))
}

/// Writes a copy on a thread of its own. When the process is asked to stop, what is written so far is removed.
async fn write_copy(to: &Path, copy: impl FnOnce() -> Result<(), StoreError> + Send + 'static) -> Result<()> {
    let mut stop = Stop::listen().context("cannot listen for signals")?;
    let bar = progress::writing(to);
    let copied = tokio::select! {
        copied = tokio::task::spawn_blocking(copy) => Some(copied),
        () = stop.asked() => None,
    };
    bar.finish_and_clear();
    match copied {
        Some(copied) => copied.context("the copy failed")?.map_err(failed),
        None => {
            remove_unfinished_copies();
            bail!("stopped before {} was complete: nothing is left of it", to.display());
        }
    }
}

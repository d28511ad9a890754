//! `wearlab backup` and `wearlab restore`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use indicatif::HumanBytes;
use tokio::runtime::Handle;
use wearlab_store::{Store, StoreError, remove_unfinished_copies};

use super::output::print_line;
use super::progress;
use super::store_args::{StoreArgs, failed};
use super::terminal;
use crate::stop::Stop;

/// Options of a backup.
#[derive(clap::Args)]
pub(super) struct Backup {
    /// New file for the backup.
    #[arg(value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

/// Options of a restore.
#[derive(clap::Args)]
pub(super) struct Restore {
    /// Backup written by `wearlab backup`.
    #[arg(value_name = "FILE")]
    from: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) async fn run(options: Backup) -> Result<()> {
    let store = options.store.open().await?;
    let to = options.to.clone();
    let copy = move || Handle::current().block_on(store.backup(&to));
    write_copy(&options.to, copy).await?;
    let size = fs::metadata(&options.to).map_or(0, |file| file.len());
    print_line(format_args!(
        "wrote {} to {} and verified it",
        HumanBytes(size),
        terminal::path(&options.to)
    ))
}

pub(super) async fn restore(options: Restore) -> Result<()> {
    let directory = options.store.directory()?;
    let (from, to) = (options.from.clone(), directory.clone());
    write_copy(&directory.join("wearlab.db"), move || Store::restore(&from, &to)).await?;
    print_line(format_args!(
        "restored {1} into {0}",
        terminal::path(&directory),
        terminal::path(&options.from)
    ))
}

/// Writes a copy on another thread. If the process is asked to stop, the incomplete copy is removed.
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
            bail!(
                "stopped before {} was complete: the incomplete copy was removed",
                terminal::path(to)
            );
        }
    }
}

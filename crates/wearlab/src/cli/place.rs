//! Which store a command works on.

use std::path::PathBuf;

use anyhow::Result;
use wearlab_store::{Store, StoreError};

/// Where the data are.
#[derive(clap::Args)]
pub(super) struct Place {
    /// The folder of the data.
    #[arg(long, value_name = "DIR", default_value = "wearlab-data")]
    data: PathBuf,
}

impl Place {
    /// Opens the store, which is made if it is missing.
    pub(super) fn open(&self) -> Result<Store> {
        Store::open(&self.data).map_err(failed)
    }

    /// The folder of the store.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        Ok(self.data.clone())
    }
}

/// The store's messages fit after "failed to".
pub(super) fn failed(error: StoreError) -> anyhow::Error {
    let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
    let text = causes.fold(format!("failed to {error}"), |text, cause| format!("{text}: {cause}"));
    anyhow::Error::msg(text)
}

//! The configuration of a command, and the store that it names.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wearlab_store::{SecretKey, Store, StoreError};

use crate::config::{self, Config};

/// Where the configuration is, and what is set otherwise.
#[derive(clap::Args)]
pub(super) struct Place {
    /// The configuration file; `wearlab config` prints one with all defaults.
    #[arg(long, value_name = "FILE", env = "WEARLAB_CONFIG")]
    config: Option<PathBuf>,
    /// The folder of the data, in place of the configured one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Any setting, in place of the configured one, such as http.listen=0.0.0.0:8080.
    #[arg(long = "set", value_name = "SETTING=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let parts = text
        .split_once('=')
        .map(|(name, value)| (name.trim().to_owned(), value.to_owned()));
    parts.ok_or_else(|| "expected SETTING=VALUE, such as http.listen=0.0.0.0:8080".to_owned())
}

impl Place {
    /// The configuration: flags before the environment, that before the file, that before the defaults.
    pub(super) fn config(&self) -> Result<Config> {
        // What is not text cannot be a setting of ours.
        let environment =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let mut config = config::load(self.config.as_deref(), environment, &self.settings)?;
        if let Some(data) = &self.data {
            config.data.clone_from(data);
        }
        Ok(config)
    }

    /// Takes a setting from a flag of its own.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        self.settings.extend(value.map(|value| (name.to_owned(), value)));
    }

    /// Opens the store, which is made if it is missing.
    pub(super) fn open(&self) -> Result<Store> {
        open(&self.config()?)
    }
}

/// Opens the store of a configuration, which is made if it is missing.
pub(super) fn open(config: &Config) -> Result<Store> {
    let keys = match &config.secret_key_file {
        Some(file) => secret_keys(file)?,
        None => Vec::new(),
    };
    Store::open_with_keys(&config.data, &keys).map_err(failed)
}

/// The keys of a file, one a line. Neither is in an error.
fn secret_keys(file: &Path) -> Result<Vec<SecretKey>> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read secret_key_file {name}"))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let keys: Vec<_> = lines
        .map(|(number, line)| SecretKey::from_base64(line).map_err(|error| anyhow::anyhow!("{name}:{number}: {error}")))
        .collect::<Result<_>>()?;
    if keys.is_empty() {
        bail!("secret_key_file {name} has no key");
    }
    Ok(keys)
}

/// The store's messages fit after "failed to".
pub(super) fn failed(error: StoreError) -> anyhow::Error {
    let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
    let text = causes.fold(format!("failed to {error}"), |text, cause| format!("{text}: {cause}"));
    anyhow::Error::msg(text)
}

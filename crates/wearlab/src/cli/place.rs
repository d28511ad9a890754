//! The configuration of a command, and the store that it names.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail};
use wearlab_models::Secret;
#[cfg(feature = "postgres")]
use wearlab_store::PostgresSettings;
use wearlab_store::{SecretKey, Store};

use crate::config::{self, Config};
use crate::log::{self, LogError};
use crate::serve::{self, ServeError};

/// Where the configuration is, and what is set otherwise.
#[derive(clap::Args)]
pub(super) struct Place {
    /// The configuration file; `wearlab config` prints one with all defaults.
    #[arg(long, value_name = "FILE", env = "WEARLAB_CONFIG")]
    config: Option<PathBuf>,
    /// The folder of the data, in place of the configured one.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The address of a PostgreSQL database, in place of a folder, such as postgres://user:password@host/name. Others of
    /// this machine can see it here: the environment takes it as WEARLAB_DATABASE__URL.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    database: Option<Secret>,
    /// Any setting, in place of the configured one, such as http.listen=0.0.0.0:8080.
    #[arg(long = "set", value_name = "SETTING=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let named = |name: &str| {
        let good = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.split('.').all(|part| !part.is_empty() && part.chars().all(good))
    };
    let parts = text
        .split_once('=')
        .map(|(name, value)| (name.trim().to_owned(), value.to_owned()));
    parts
        .filter(|(name, _)| named(name))
        .ok_or_else(|| "expected SETTING=VALUE, such as http.listen=0.0.0.0:8080".to_owned())
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
            config.database.url = None;
            config.database.url_file = None;
        }
        if self.database.is_some() {
            config.database.url.clone_from(&self.database);
        }
        Ok(config)
    }

    /// Takes a setting from a flag of its own.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        self.settings.extend(value.map(|value| (name.to_owned(), value)));
    }

    /// Opens the store, which must be there: who asks for what is in it, and gets a new one, asks in the wrong place.
    pub(super) async fn open(&self) -> Result<Store> {
        let config = self.config()?;
        if database(&config)?.is_none() && !Store::is_in(&config.data) {
            let folder = config.data.display();
            bail!("there is no store in {folder}: name its folder with --data, or make it with import or seed");
        }
        open(&config).await
    }

    /// Opens the store, which is made if it is missing.
    pub(super) async fn open_or_make(&self) -> Result<Store> {
        open(&self.config()?).await
    }

    /// The folder of a command that works on files.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        let config = self.config()?;
        match database(&config)? {
            Some(_) => bail!("the data are in PostgreSQL: its own tools make copies, such as pg_dump and pg_restore"),
            None => Ok(config.data),
        }
    }
}

/// What every complaint about a setting begins with.
const NO_GOOD: &str = "the configuration is no good";

/// Finds what `wearlab serve` would refuse.
pub(super) fn check(config: &Config) -> Result<()> {
    log::to(&config.log, io::sink).map(drop).map_err(bad_log)?;
    serve::check(config.http.clone()).map_err(|error| unbound(error.into()))?;
    database(config)?;
    secret_keys(config).map(drop)
}

/// Names the setting of the log that cannot be.
pub(super) fn bad_log(error: LogError) -> anyhow::Error {
    match error {
        LogError::Filter { .. } => anyhow::Error::new(error).context(format!("{NO_GOOD}: log.filter")),
        other => anyhow::Error::new(other).context(NO_GOOD),
    }
}

/// Says whether nothing is served for a setting's sake.
pub(super) fn unbound(error: ServeError) -> anyhow::Error {
    match error {
        ServeError::Setting(_) => anyhow::Error::new(error).context(NO_GOOD),
        other => other.into(),
    }
}

/// Opens the store of a configuration, which is made if it is missing.
pub(super) async fn open(config: &Config) -> Result<Store> {
    let keys = secret_keys(config)?;
    match database(config)? {
        Some(url) => connect(config, &url, &keys).await,
        None => Store::open_with(&config.data, &config.store.embedded(), &keys).map_err(failed),
    }
}

#[cfg(feature = "postgres")]
async fn connect(config: &Config, url: &Secret, keys: &[SecretKey]) -> Result<Store> {
    let settings = PostgresSettings {
        connections: config.database.connections.max(1),
        statement_timeout: config.database.statement_timeout,
        authorities_file: config.database.authorities_file.clone(),
        ..PostgresSettings::new(url.expose())
    };
    Store::connect(&settings, keys).await.map_err(failed)
}

#[cfg(not(feature = "postgres"))]
async fn connect(_: &Config, _: &Secret, _: &[SecretKey]) -> Result<Store> {
    bail!("{NO_GOOD}: database.url: this build has no PostgreSQL: build it with the feature `postgres`")
}

/// The address of the configured database, if there is one.
fn database(config: &Config) -> Result<Option<Secret>> {
    match (&config.database.url, &config.database.url_file) {
        (Some(url), _) => Ok(Some(url.clone())),
        (None, Some(file)) => {
            let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()));
            let text = text.with_context(|| format!("{NO_GOOD}: database.url_file"))?;
            Ok(Some(Secret::from(text.trim())))
        }
        (None, None) => Ok(None),
    }
}

/// The keys of the configured file, if there is one.
fn secret_keys(config: &Config) -> Result<Vec<SecretKey>> {
    let Some(file) = &config.secret_key_file else {
        return Ok(Vec::new());
    };
    let keys = keys_in(file);
    keys.with_context(|| format!("{NO_GOOD}: secret_key_file"))
}

/// The keys of a file, one a line. Neither is in an error.
fn keys_in(file: &Path) -> Result<Vec<SecretKey>> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let keys: Vec<_> = lines
        .map(|(number, line)| SecretKey::from_base64(line).map_err(|error| anyhow::anyhow!("{name}:{number}: {error}")))
        .collect::<Result<_>>()?;
    if keys.is_empty() {
        bail!("{name} has no key");
    }
    Ok(keys)
}

/// The store's messages fit after "failed to".
pub(super) fn failed(error: impl std::error::Error) -> anyhow::Error {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    let text = causes.fold(format!("failed to {error}"), |text, cause| format!("{text}: {cause}"));
    anyhow::Error::msg(text)
}

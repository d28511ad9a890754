//! Options of every command that uses a store: they select the configuration and the store.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use wearlab_models::Secret;
use wearlab_service::with_causes;
#[cfg(feature = "postgres")]
use wearlab_store::PostgresSettings;
use wearlab_store::{SecretKey, Store, StoreError};

use super::terminal;
use crate::config::{Config, FILE_VARIABLE, Loaded, files};
use crate::log::LogError;
use crate::serve::ServeError;

/// Options that select the configuration and the store.
#[derive(clap::Args)]
pub(super) struct StoreArgs {
    /// Configuration file [default: the value of WEARLAB_CONFIG]; `wearlab config` prints one with all defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Data directory; overrides the configuration.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// URL of a PostgreSQL database to use in place of a data directory, such as postgres://user:password@host/name.
    /// Other users of this machine can see it in the process list: prefer the variable WEARLAB_DATABASE__URL.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    database: Option<Secret>,
    /// Overrides a setting, such as http.listen=0.0.0.0:8080. May be repeated.
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

impl StoreArgs {
    /// Returns the configuration. Flags take precedence over the environment, the environment over the file, the file
    /// over the defaults. Values are checked; the files that they name are not.
    pub(super) fn config(&self) -> Result<Config> {
        Ok(self.loaded()?.finish()?)
    }

    /// Returns the configuration with the origins of its settings and the problems of its values.
    pub(super) fn loaded(&self) -> Result<Loaded> {
        let variable = env::var_os(FILE_VARIABLE).filter(|file| !file.is_empty());
        let file = self.config.clone().or_else(|| variable.map(PathBuf::from));
        let mut loaded = Loaded::read(file.as_deref(), env::vars_os(), &self.settings)?;
        if let Some(data) = &self.data {
            loaded.config.data.clone_from(data);
            loaded.config.database.url = None;
            loaded.config.database.url_file = None;
            loaded.from_flag("data", "--data", &data.display().to_string());
        }
        if self.database.is_some() {
            loaded.config.database.url.clone_from(&self.database);
            loaded.from_flag("database.url", "--database", "");
        }
        loaded.check_values();
        Ok(loaded)
    }

    /// Overrides a setting with an option of its own.
    pub(super) fn set(&mut self, name: &str, value: Option<String>) {
        self.settings.extend(value.map(|value| (name.to_owned(), value)));
    }

    /// Opens an existing store: if it does not exist, a command that reads data has the wrong directory.
    pub(super) async fn open(&self) -> Result<Store> {
        let config = self.config()?;
        if database(&config)?.is_none() && !Store::is_in(&config.data) {
            let directory = terminal::path(&config.data);
            bail!(
                "there is no store in {directory}: select its directory with --data, or create a store with import or seed"
            );
        }
        open(&config).await
    }

    /// Opens the store, and creates it if it does not exist.
    pub(super) async fn open_or_create(&self) -> Result<Store> {
        open(&self.config()?).await
    }

    /// Returns the data directory, for a command that needs the embedded store.
    pub(super) fn directory(&self) -> Result<PathBuf> {
        let config = self.config()?;
        match database(&config)? {
            Some(_) => bail!("the store is a PostgreSQL database: use its own tools, such as pg_dump and pg_restore"),
            None => Ok(config.data),
        }
    }
}

/// Prefix of every message about a setting.
const INVALID: &str = "invalid configuration";

/// Converts the error of a setting of the log.
pub(super) fn log_error(error: LogError) -> anyhow::Error {
    match error {
        LogError::Filter { .. } => anyhow::Error::new(error).context(format!("{INVALID}: log.filter")),
        other => anyhow::Error::new(other).context(INVALID),
    }
}

/// Converts the error of a server that cannot be started.
pub(super) fn bind_error(error: ServeError) -> anyhow::Error {
    match error {
        ServeError::Setting(_) => anyhow::Error::new(error).context(INVALID),
        other => other.into(),
    }
}

/// Opens the store of a configuration, and creates it if it does not exist.
pub(super) async fn open(config: &Config) -> Result<Store> {
    try_open(config).await?.map_err(failed)
}

/// Opens the store like [`open`]. The outer error is one of the configuration, the inner one of the store.
pub(super) async fn try_open(config: &Config) -> Result<Result<Store, StoreError>> {
    let keys = secret_keys(config)?;
    let opened = match database(config)? {
        Some(url) => connect(config, &url, &keys).await?,
        None => Store::open_with(&config.data, &config.store.embedded(), &keys),
    };
    if let Ok(store) = &opened
        && !config.allow_plaintext_secrets
    {
        store.refuse_plaintext();
    }
    Ok(opened)
}

#[cfg(feature = "postgres")]
async fn connect(config: &Config, url: &Secret, keys: &[SecretKey]) -> Result<Result<Store, StoreError>> {
    let settings = PostgresSettings {
        connections: config.database.connections.max(1),
        statement_timeout: config.database.statement_timeout,
        document_cache_bytes: config.database.document_cache_bytes,
        authorities_file: config.database.authorities_file.clone(),
        ..PostgresSettings::new(url.expose())
    };
    Ok(Store::connect(&settings, keys).await)
}

#[cfg(not(feature = "postgres"))]
async fn connect(_: &Config, _: &Secret, _: &[SecretKey]) -> Result<Result<Store, StoreError>> {
    bail!("{INVALID}: database.url: this build does not support PostgreSQL: build it with the feature `postgres`")
}

/// Returns the URL of the configured database, if there is one.
fn database(config: &Config) -> Result<Option<Secret>> {
    match (&config.database.url, &config.database.url_file) {
        (Some(url), _) => Ok(Some(url.clone())),
        (None, Some(file)) => {
            let url = files::secret(file).with_context(|| format!("{INVALID}: database.url_file"));
            url.map(Some)
        }
        (None, None) => Ok(None),
    }
}

/// Returns the keys of the configured file, if there is one.
fn secret_keys(config: &Config) -> Result<Vec<SecretKey>> {
    let Some(file) = &config.secret_key_file else {
        return Ok(Vec::new());
    };
    let keys = files::secret_keys(file);
    keys.map_err(|error| anyhow!("{INVALID}: secret_key_file: {}", error.of(file)))
}

/// Converts an error whose message fits after "failed to", with its causes.
pub(super) fn failed(error: impl std::error::Error + 'static) -> anyhow::Error {
    anyhow!("failed to {}", with_causes(&error))
}

//! Settings of the PostgreSQL database that several services share.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use wearlab_models::Secret;
use wearlab_settings::duration;

/// The PostgreSQL database that is used in place of a data directory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseSettings {
    /// URL: `postgres://user:password@host:5432/name?sslmode=require`. Default: none, and the data directory is used.
    pub url: Option<Secret>,
    /// File that contains only the URL.
    pub url_file: Option<PathBuf>,
    /// Maximum connections of each service. Default: 16.
    pub connections: usize,
    /// Timeout of a statement, lock waits included. The connection is closed if the server has not responded five
    /// seconds later. Default: 30 seconds.
    #[serde(deserialize_with = "duration::deserialize")]
    pub statement_timeout: Duration,
    /// Size of the cache of user documents in bytes, at most 1 TiB. Default: 16 MiB.
    pub document_cache_bytes: u64,
    /// PEM file of certificate authorities to trust besides those of the system.
    pub authorities_file: Option<PathBuf>,
}

impl DatabaseSettings {
    /// Returns whether a database is configured.
    pub(crate) fn is_set(&self) -> bool {
        self.url.is_some() || self.url_file.is_some()
    }
}

impl Default for DatabaseSettings {
    fn default() -> Self {
        Self {
            url: None,
            url_file: None,
            connections: 16,
            statement_timeout: Duration::from_secs(30),
            document_cache_bytes: 16 * 1024 * 1024,
            authorities_file: None,
        }
    }
}

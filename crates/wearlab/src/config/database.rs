//! The PostgreSQL database that several services share, in place of a folder of one's own.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use wearlab_models::Secret;

use super::span;

/// Which PostgreSQL database the data are in, if they are not in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseSettings {
    /// The address: `postgres://user:password@host:5432/name?sslmode=require`. Default: none, and a folder holds the data.
    pub url: Option<Secret>,
    /// A file that holds the address alone.
    pub url_file: Option<PathBuf>,
    /// How many connections each service opens at most. Default: 16.
    pub connections: usize,
    /// How long a statement may take, or wait for another one. A response that has not come five seconds later is no
    /// longer waited for. Default: 30 seconds.
    #[serde(deserialize_with = "span::read")]
    pub statement_timeout: Duration,
    /// Certificates, as PEM, of authorities that the server is trusted by, besides those of the system.
    pub authorities_file: Option<PathBuf>,
}

impl DatabaseSettings {
    /// Whether the data are in a database.
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
            authorities_file: None,
        }
    }
}

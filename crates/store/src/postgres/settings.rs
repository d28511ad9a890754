//! How a server is reached.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::StoreError;

/// How a PostgreSQL server is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresSettings {
    /// Where the database is: `postgres://user:password@host:port/name?sslmode=require`. `sslmode` is `disable`, `prefer`
    /// or `require`; where TLS is used, the server's certificate is checked.
    pub url: String,
    /// How many connections this process opens at most: one that writes, and the others for reads; at least two.
    pub connections: usize,
    /// How long a statement may take, or wait for another one: then the server cancels it. A response that has not come
    /// five seconds later is no longer waited for. Not zero.
    pub statement_timeout: Duration,
    /// A file with certificates, as PEM, that are trusted besides those that the system trusts.
    pub authorities_file: Option<PathBuf>,
}

impl PostgresSettings {
    /// The usual settings with an address: 16 connections, statements of 30 seconds.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: 16,
            statement_timeout: Duration::from_secs(30),
            authorities_file: None,
        }
    }

    /// What names the database to people. The address has a password in it.
    pub(super) fn place(&self) -> Result<PathBuf, StoreError> {
        let config = self.parsed()?;
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(folder)) => folder.display().to_string(),
            None => "localhost".to_owned(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let name = config.get_dbname().or(config.get_user()).unwrap_or_default();
        Ok(format!("postgres://{host}:{port}/{name}").into())
    }

    /// What the driver is told.
    pub(super) fn driver_config(&self) -> Result<Config, StoreError> {
        let mut config = self.parsed()?;
        let timeout = self.statement_timeout.as_millis();
        if timeout == 0 {
            return Err(StoreError::Unusable {
                path: self.place()?,
                source: "its statement timeout is zero, which would be none".into(),
            });
        }
        // Reading holds up nobody, but keeps the server from using space again: whoever takes an export may take time,
        // and whoever is paused or lost lets go of it.
        let ours = format!(
            "-c statement_timeout={timeout} -c lock_timeout={timeout} -c idle_in_transaction_session_timeout=10min"
        );
        let options = match config.get_options() {
            Some(theirs) => format!("{ours} {theirs}"),
            None => ours,
        };
        config.options(options);
        if config.get_application_name().is_none() {
            config.application_name("wearlab");
        }
        config.connect_timeout(super::CONNECT_TIMEOUT);
        // A server that is gone without a word is found out.
        config.keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3);
        config.tcp_user_timeout(Duration::from_secs(20));
        Ok(config)
    }

    fn parsed(&self) -> Result<Config, StoreError> {
        // The driver's error may show a part of the address.
        self.url.parse().map_err(|_| StoreError::Unusable {
            path: "the configured database".into(),
            source: "its address is not like postgres://user:password@host:5432/name".into(),
        })
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSettings")
            .field("place", &self.place().unwrap_or_default())
            .finish_non_exhaustive()
    }
}

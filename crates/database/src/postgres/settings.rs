//! Connection settings of PostgreSQL.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};

use crate::error::DatabaseError;

/// Maximum wait for a connection to the server, new or from the pool.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Default application name of sessions, unless the URL has one.
const APPLICATION_NAME: &str = "wearlab";

/// Connection settings of a PostgreSQL server.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresSettings {
    /// URL of the database: `postgres://user:password@host:port/name?sslmode=require`. `sslmode` is `disable`, `prefer`
    /// or `require`. With TLS, the server's certificate is verified. Of several hosts, the one that accepts writes is
    /// used, also with `target_session_attrs=any`.
    pub url: String,
    /// Maximum number of connections of this process: one for writes, one for queries of whether users have changed,
    /// and the others for reads. At least two, which share these tasks.
    pub connections: usize,
    /// Time limit of a statement, including waits for locks, after which the server cancels it. A response is awaited
    /// for five more seconds. Not zero.
    pub statement_timeout: Duration,
    /// Size limit of the cache of user documents in this process, in bytes. The cache is valid while no user changes.
    /// Memory is allocated on demand.
    pub document_cache_bytes: u64,
    /// PEM file with certificates that are trusted in addition to those of the system.
    pub authorities_file: Option<PathBuf>,
}

impl PostgresSettings {
    /// Default settings for a URL: 16 connections, a statement time-out of 30 seconds, a document cache of 16 MiB.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: 16,
            statement_timeout: Duration::from_secs(30),
            document_cache_bytes: 16 * 1024 * 1024,
            authorities_file: None,
        }
    }

    pub(super) fn document_cache(&self) -> usize {
        usize::try_from(self.document_cache_bytes).unwrap_or(usize::MAX)
    }

    /// Display name of the database. The URL contains a password.
    pub(super) fn location(&self) -> Result<PathBuf, DatabaseError> {
        let config = self.parsed()?;
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(directory)) => directory.display().to_string(),
            None => "localhost".to_owned(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let name = config.get_dbname().or(config.get_user()).unwrap_or_default();
        Ok(format!("postgres://{host}:{port}/{name}").into())
    }

    /// Returns the application name of the sessions of a service with these settings.
    ///
    /// # Errors
    ///
    /// If the URL is invalid.
    pub fn application_name(&self) -> Result<String, DatabaseError> {
        let name = self.parsed()?.get_application_name().map(str::to_owned);
        Ok(name.unwrap_or_else(|| APPLICATION_NAME.to_owned()))
    }

    /// Returns the configuration of the driver.
    pub(super) fn driver_config(&self) -> Result<Config, DatabaseError> {
        let mut config = self.parsed()?;
        let timeout = self.statement_timeout.as_millis();
        if timeout == 0 {
            return Err(DatabaseError::Unusable {
                path: self.location()?,
                source: "its statement timeout is zero, which would be none".into(),
            });
        }
        // An open read transaction blocks no other, but keeps the server from reusing space. An export may be slow, so
        // the limit is long, and a paused or lost reader still releases its snapshot.
        //
        // Every statement has an index. The plan of a prepared statement, made while a table is small or empty, stays
        // in use as long as the connection, or until the next ANALYZE: without this setting it would scan a table that
        // has grown meanwhile. An unavoidable scan would then look so expensive that the JIT compiled it.
        let ours = format!(
            "-c statement_timeout={timeout} -c lock_timeout={timeout} -c idle_in_transaction_session_timeout=10min \
             -c enable_seqscan=off -c jit=off"
        );
        let options = match config.get_options() {
            Some(theirs) => format!("{ours} {theirs}"),
            None => ours,
        };
        config.options(options);
        if config.get_application_name().is_none() {
            config.application_name(APPLICATION_NAME);
        }
        let several = config.get_hosts().len().max(config.get_hostaddrs().len()) > 1;
        if several && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            // All connections go to the primary: a standby may return older data.
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        config.connect_timeout(CONNECT_TIMEOUT);
        // Detects a server that disappeared without closing its connections.
        config.keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3);
        config.tcp_user_timeout(Duration::from_secs(20));
        Ok(config)
    }

    /// Checks the URL. It is parsed like in [`Database::open`](super::Database::open).
    ///
    /// # Errors
    ///
    /// The reason, without any part of the URL, which contains a password.
    pub fn check_url(&self) -> Result<(), InvalidUrl> {
        parse(&self.url).map(drop)
    }

    fn parsed(&self) -> Result<Config, DatabaseError> {
        parse(&self.url).map_err(|error| DatabaseError::Unusable {
            path: "the configured database".into(),
            source: format!("its URL {error}").into(),
        })
    }
}

/// Reason why a URL is invalid. It contains no part of the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUrl {
    /// The scheme is wrong, or parts are malformed.
    #[error("is not a PostgreSQL URL: expected postgres://user:password@host:5432/name")]
    Malformed,
    /// Part of the password would be parsed as the host or the database.
    #[error("has several @: write an @ in a user name or a password as %40")]
    Userinfo,
    /// The host is missing.
    #[error("names no host: add one, or `?host=` with the directory of a socket")]
    NoHost,
    /// A part that the driver reports is invalid.
    #[error("has an invalid {0}")]
    Part(&'static str),
}

/// The parts of a URL that can be invalid by themselves. Only these are reported, because the driver's error may
/// contain other parts.
const PARTS: [&str; 12] = [
    "channel_binding",
    "connect_timeout",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "load_balance_hosts",
    "port",
    "sslmode",
    "sslnegotiation",
    "target_session_attrs",
];

fn parse(url: &str) -> Result<Config, InvalidUrl> {
    let rest = url
        .strip_prefix("postgres://")
        .or_else(|| url.strip_prefix("postgresql://"));
    let rest = rest.ok_or(InvalidUrl::Malformed)?;
    // The driver ends the password at the first `@`, and the rest would be shown as the host in messages.
    if rest.matches('@').count() > 1 {
        return Err(InvalidUrl::Userinfo);
    }
    let config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        let part = PARTS.iter().find(|part| cause.contains(&format!("`{part}`")));
        part.map_or(InvalidUrl::Malformed, |part| InvalidUrl::Part(part))
    })?;
    match config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        true => Err(InvalidUrl::NoHost),
        false => Ok(config),
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSettings")
            .field("location", &self.location().unwrap_or_default())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidUrl, PostgresSettings};

    #[test]
    fn an_invalid_url_is_refused_and_no_part_of_it_is_shown() {
        for (url, expected) in [
            ("postgres://u:p@hush4711@h/db", InvalidUrl::Userinfo),
            ("postgres://u:p@hush4711/x@h/db", InvalidUrl::Userinfo),
            ("postgres://u:p@hush4711?user=x@h/db", InvalidUrl::Userinfo),
            ("mysql://u:hush4711@h/db", InvalidUrl::Malformed),
            ("host=h password=hush4711", InvalidUrl::Malformed),
            ("hush4711", InvalidUrl::Malformed),
            ("postgres://u:p@h/db?hush4711=1", InvalidUrl::Malformed),
            ("postgres://u:p@h:hush4711/db", InvalidUrl::Part("port")),
            ("postgres://u:p@h:99999/db", InvalidUrl::Part("port")),
            ("postgres:///hush4711", InvalidUrl::NoHost),
            ("postgres:///hush4711?user=me", InvalidUrl::NoHost),
            ("postgres://u:p@h/db?sslmode=hush4711", InvalidUrl::Part("sslmode")),
        ] {
            let settings = PostgresSettings::new(url);
            assert_eq!(settings.check_url(), Err(expected), "{url}");
            let error = settings.location().expect_err("refused");
            for text in [
                format!("{error} {error:?}"),
                format!("{expected}"),
                format!("{settings:?}"),
            ] {
                assert!(!text.contains("hush4711"), "{url}: {text}");
            }
        }
        for url in [
            "postgres://u:p%40x@h:5432/db?sslmode=require",
            "postgresql://h/db",
            "postgres:///db?host=/run/postgresql&user=me%40example",
            "postgres:///db?hostaddr=127.0.0.1",
        ] {
            assert_eq!(PostgresSettings::new(url).check_url(), Ok(()), "{url}");
        }
    }
}

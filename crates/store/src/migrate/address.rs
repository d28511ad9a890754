//! Addresses of stores.

use std::path::PathBuf;

#[cfg(feature = "postgres")]
use wearlab_database::postgres::{self, PostgresSettings};
use wearlab_database::{Database, blocking, sqlite};

use crate::schema;
#[cfg(feature = "postgres")]
use crate::sql::connection::Connection;
#[cfg(feature = "postgres")]
use crate::sql::value::params;
use crate::{EmbeddedSettings, Store, StoreError};

/// Address of a store.
#[derive(Clone, Debug)]
pub enum StoreAddress {
    /// The embedded store of a directory, with the usual settings.
    Directory(PathBuf),
    /// A database of a PostgreSQL server.
    #[cfg(feature = "postgres")]
    Postgres(PostgresSettings),
}

impl StoreAddress {
    /// Returns whether both are the same store, as far as can be determined.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Directory(one), Self::Directory(other)) => {
                one == other
                    || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
            }
            #[cfg(feature = "postgres")]
            (Self::Postgres(one), Self::Postgres(other)) => one.url == other.url,
            #[cfg(feature = "postgres")]
            _ => false,
        }
    }

    /// Returns whether a process has the store open, such as a service. Its writes during a migration would be lost. A
    /// missing store is not in use.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened.
    pub fn is_in_use(&self) -> Result<bool, StoreError> {
        blocking(|| match self {
            Self::Directory(directory) => {
                Ok(Store::is_in(directory) && sqlite::Database::is_open(directory, &schema::EMBEDDED)?)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(settings) => {
                let theirs = settings.application_name()?;
                // The sessions of this check need a name of their own.
                let separator = if settings.url.contains('?') { '&' } else { '?' };
                let url = format!("{}{separator}application_name=wearlab-migrate", settings.url);
                let own = PostgresSettings {
                    url,
                    ..settings.clone()
                };
                let database = Database::Postgres(postgres::Database::open(&schema::SERVER, &own)?);
                let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = ?1";
                let sessions = database
                    .read(|reader: &Connection<'_>| reader.one(sql, params![theirs], |row| row.get::<i64>(0)))?;
                Ok(sessions > 0)
            }
        })
    }

    pub(super) fn open(&self, must_be_there: bool) -> Result<Database, StoreError> {
        match self {
            Self::Directory(directory) if must_be_there && !Store::is_in(directory) => Err(StoreError::Unusable {
                path: directory.clone(),
                source: "there is no store in the directory".into(),
            }),
            Self::Directory(directory) => {
                let settings = EmbeddedSettings::default();
                Ok(Database::Embedded(sqlite::Database::open(
                    directory,
                    &schema::EMBEDDED,
                    &settings,
                )?))
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(settings) => Ok(Database::Postgres(postgres::Database::open(&schema::SERVER, settings)?)),
        }
    }
}

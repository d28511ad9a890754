//! Where the two stores are.

use std::path::PathBuf;

use crate::database::Database;
#[cfg(feature = "postgres")]
use crate::postgres::{self, PostgresSettings};
use crate::{EmbeddedSettings, Store, StoreError, sqlite};

/// Where a store is.
#[derive(Clone, Debug)]
pub enum StoreAddress {
    /// The embedded store of a directory, with the usual settings.
    Directory(PathBuf),
    /// A database of a PostgreSQL server.
    #[cfg(feature = "postgres")]
    Postgres(PostgresSettings),
}

impl StoreAddress {
    /// Whether the two are the same, as far as is known.
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

    pub(super) fn open(&self, must_be_there: bool) -> Result<Database, StoreError> {
        match self {
            Self::Directory(directory) if must_be_there && !Store::is_in(directory) => Err(StoreError::Unusable {
                path: directory.clone(),
                source: "there is no store in the directory".into(),
            }),
            Self::Directory(directory) => {
                sqlite::Database::open(directory, &EmbeddedSettings::default()).map(Database::Embedded)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(settings) => postgres::Database::open(settings).map(Database::Postgres),
        }
    }
}

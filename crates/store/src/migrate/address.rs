//! Where the two stores are.

use std::path::PathBuf;

use crate::database::Database;
#[cfg(feature = "postgres")]
use crate::postgres::{self, PostgresSettings};
use crate::{EmbeddedSettings, Store, StoreError, sqlite};

/// Where a store is.
#[derive(Clone, Debug)]
pub enum StoreAddress {
    /// The embedded store of a folder, with the usual settings.
    Folder(PathBuf),
    /// A database of a PostgreSQL server.
    #[cfg(feature = "postgres")]
    Postgres(PostgresSettings),
}

impl StoreAddress {
    /// Whether the two are the same, as far as can be told.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => {
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
            Self::Folder(folder) if must_be_there && !Store::is_in(folder) => Err(StoreError::Unusable {
                path: folder.clone(),
                source: "there is no store in the folder".into(),
            }),
            Self::Folder(folder) => {
                sqlite::Database::open(folder, &EmbeddedSettings::default()).map(Database::Embedded)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(settings) => postgres::Database::open(settings).map(Database::Postgres),
        }
    }
}

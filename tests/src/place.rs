//! Location of a running service's store: a directory, or a schema on the server in `WEARLAB_TEST_DATABASE`.

use std::sync::Arc;

use tempfile::TempDir;
use tokio_postgres::NoTls;
use wearlab_store::{EmbeddedSettings, PostgresSettings, SecretKey, Store};

/// Location of a store. A directory is deleted with the last clone.
#[derive(Clone, Debug)]
pub enum Place {
    /// Directory.
    Directory(Arc<TempDir>),
    /// Database, by its URL.
    Database(String),
}

impl Place {
    /// Creates a new directory.
    pub fn directory() -> Self {
        Self::Directory(Arc::new(tempfile::tempdir().expect("a temporary directory")))
    }

    /// Creates an empty schema on the server.
    pub async fn database() -> Self {
        let server = std::env::var("WEARLAB_TEST_DATABASE").expect("the URL of an empty database");
        let schema = format!("test_{}", uuid::Uuid::new_v4().simple());
        let (client, connection) = tokio_postgres::connect(&server, NoTls).await.expect("a server");
        tokio::spawn(connection);
        let made = client.batch_execute(&format!("CREATE SCHEMA {schema}")).await;
        made.expect("a schema");
        let mark = if server.contains('?') { '&' } else { '?' };
        Self::Database(format!("{server}{mark}options=-c%20search_path%3D{schema}"))
    }

    /// Opens the store like another process, with a secret key.
    pub async fn open(&self) -> Store {
        self.open_with(&[SecretKey::from([7; 32])]).await
    }

    /// Opens the store with these secret keys.
    pub async fn open_with(&self, keys: &[SecretKey]) -> Store {
        match self {
            Self::Directory(directory) => {
                let settings = EmbeddedSettings::default();
                Store::open_with(directory.path(), &settings, keys).expect("a store")
            }
            Self::Database(url) => {
                let settings = PostgresSettings {
                    connections: 4,
                    ..PostgresSettings::new(url.clone())
                };
                Store::connect(&settings, keys).await.expect("a store")
            }
        }
    }
}

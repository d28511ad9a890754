//! Where the store of a running service is: in a directory, or on the server that `WEARLAB_TEST_DATABASE` names.

use std::sync::Arc;

use tempfile::TempDir;
use tokio_postgres::NoTls;
use wearlab_store::{EmbeddedSettings, PostgresSettings, SecretKey, Store};

/// Where a store is. It is deleted with the last clone, where it is a directory.
#[derive(Clone, Debug)]
pub enum Place {
    /// A directory.
    Directory(Arc<TempDir>),
    /// A database, by its URL.
    Database(String),
}

impl Place {
    /// A new directory.
    pub fn directory() -> Self {
        Self::Directory(Arc::new(tempfile::tempdir().expect("a temporary directory")))
    }

    /// A new schema on the server, with nothing in it.
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

    /// Opens it as another process would, with a secret key.
    pub async fn open(&self) -> Store {
        self.open_with(&[SecretKey::from([7; 32])]).await
    }

    /// Opens it with these secret keys.
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

//! A store on either side of a migration.

use chrono::DateTime;
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_models::Secret;
use wearlab_store::{EmbeddedSettings, SecretKey, SigningSecret, Store, StoreAddress, StoreError, WebhookEndpoint};

/// The engine of a store.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Embedded,
    #[cfg(feature = "postgres")]
    Postgres,
}

/// A store to be created, with its engine.
pub(super) struct Side {
    directory: TempDir,
    kind: Kind,
    keys: Vec<SecretKey>,
}

impl Side {
    pub(super) async fn new(kind: Kind) -> Self {
        let side = Self {
            directory: tempfile::tempdir().expect("a directory"),
            kind,
            keys: Vec::new(),
        };
        #[cfg(feature = "postgres")]
        if let Kind::Postgres = kind {
            side.server().make().await;
        }
        side
    }

    /// Returns the same side, with a key.
    pub(super) fn sealed(self) -> Self {
        let keys = vec![SecretKey::from([7; 32])];
        Self { keys, ..self }
    }

    #[cfg(feature = "postgres")]
    fn server(&self) -> crate::place::server::Server {
        crate::place::server::of(self.directory.path()).expect("the address of a server in WEARLAB_TEST_DATABASE")
    }

    /// Returns the directory of the embedded engine.
    pub(super) fn data(&self) -> std::path::PathBuf {
        self.directory.path().join("data")
    }

    pub(super) fn address(&self) -> StoreAddress {
        match self.kind {
            Kind::Embedded => StoreAddress::Directory(self.data()),
            #[cfg(feature = "postgres")]
            Kind::Postgres => StoreAddress::Postgres(self.server().settings()),
        }
    }

    pub(super) async fn try_open(&self) -> Result<Store, StoreError> {
        match self.address() {
            StoreAddress::Directory(directory) => {
                Store::open_with(&directory, &EmbeddedSettings::default(), &self.keys)
            }
            #[cfg(feature = "postgres")]
            StoreAddress::Postgres(settings) => Store::connect(&settings, &self.keys).await,
        }
    }

    pub(super) async fn open(&self) -> Store {
        self.try_open().await.expect("a store")
    }

    /// Runs a statement directly on the database.
    pub(super) async fn run(&self, sql: &str) {
        match self.address() {
            StoreAddress::Directory(directory) => {
                let raw = wearlab_checksum_vfs::open(directory.join("wearlab.db"), rusqlite::OpenFlags::default())
                    .expect("a database");
                raw.execute_batch(sql).expect("runs");
            }
            #[cfg(feature = "postgres")]
            StoreAddress::Postgres(_) => self.server().client().await.batch_execute(sql).await.expect("runs"),
        }
    }
}

pub(super) fn webhook(team_id: Uuid) -> WebhookEndpoint {
    WebhookEndpoint {
        webhook_id: "wh_one".to_owned(),
        team_id,
        url: "https://hooks.example/".to_owned(),
        event_type_prefixes: vec!["daily.".to_owned()],
        secrets: vec![SigningSecret {
            secret: Secret::new("whsec_hush"),
            until: None,
        }],
        created_on: DateTime::UNIX_EPOCH,
        disabled: None,
    }
}

/// Defines a test between stores of the embedded engine, and between that and PostgreSQL in both directions.
macro_rules! both_ways {
    ($(#[$doc:meta])* async fn $name:ident($from:ident, $to:ident) $body:block) => {
        mod $name {
            use super::*;

            $(#[$doc])*
            async fn run(from: Kind, to: Kind) {
                let ($from, $to) = (Side::new(from).await, Side::new(to).await);
                $body
            }

            #[tokio::test]
            async fn within_the_embedded_engine() {
                run(Kind::Embedded, Kind::Embedded).await;
            }

            #[cfg(feature = "postgres")]
            #[tokio::test]
            #[ignore = "needs PostgreSQL"]
            async fn to_postgresql() {
                run(Kind::Embedded, Kind::Postgres).await;
            }

            #[cfg(feature = "postgres")]
            #[tokio::test]
            #[ignore = "needs PostgreSQL"]
            async fn from_postgresql() {
                run(Kind::Postgres, Kind::Embedded).await;
            }
        }
    };
}
pub(super) use both_ways;

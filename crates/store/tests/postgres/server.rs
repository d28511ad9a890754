//! The server of the tests, with a schema for each test.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Config, Error, NoTls, Row};
use uuid::Uuid;
use wearlab_store::{PostgresSettings, Store, StoreError, TeamId};

use crate::arriving::{AT, USER};
use crate::world::{connection, put_team, user};

/// Exclusive for tests that stop the server.
static SERVER: RwLock<()> = RwLock::new(());

#[expect(dead_code, reason = "is held until the schema goes")]
enum ServerLock {
    Shared(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

/// A schema on the server, which is dropped on drop.
pub(crate) struct Schema {
    pub(crate) name: String,
    _held: ServerLock,
}

impl Schema {
    /// Creates a schema beside those of other tests.
    pub(crate) fn new() -> Self {
        Self::make(ServerLock::Shared(
            SERVER.read().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// Creates a schema on a server that no other test uses meanwhile.
    pub(crate) fn alone() -> Self {
        Self::make(ServerLock::Alone(
            SERVER.write().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    fn make(held: ServerLock) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        Raw::new(&server_url()).run(&format!("CREATE SCHEMA {name}"));
        Self { name, _held: held }
    }

    /// Returns a URL with the schema.
    pub(crate) fn at(&self, url: &str) -> String {
        format!("{url}&options=-c%20search_path%3D{}", self.name)
    }

    pub(crate) fn url(&self) -> String {
        self.at(&server_url())
    }

    pub(crate) fn settings(&self) -> PostgresSettings {
        PostgresSettings {
            connections: 4,
            ..PostgresSettings::new(self.url())
        }
    }

    pub(crate) fn store(&self) -> Store {
        wait(Store::connect(&self.settings(), &[])).expect("a store")
    }

    /// Opens a connection beside the store's.
    pub(crate) fn raw(&self) -> Raw {
        Raw::new(&self.url())
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        // A failed test may have left the server down. Then nothing is dropped.
        if let Ok(raw) = Raw::connect(&server_url()) {
            raw.run(&format!("DROP SCHEMA {} CASCADE", self.name));
        }
    }
}

/// Blocks on one operation of a store.
pub(crate) fn wait<T>(operation: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(operation)
}

/// Reads a required environment variable.
pub(crate) fn set(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run .ci/postgres"))
}

pub(crate) fn server_url() -> String {
    set("WEARLAB_TEST_DATABASE")
}

/// Returns the directory of the server, with its URL for TLS and its certificate authority.
pub(crate) fn directory() -> PathBuf {
    set("WEARLAB_POSTGRES_DIR").into()
}

/// Runs `start`, `stop`, `pause`, `resume` or `kill` on the server.
pub(crate) fn server(action: &str) {
    let status = Command::new(set("WEARLAB_POSTGRES_SERVER"))
        .arg(action)
        .arg(directory())
        .status();
    assert!(status.expect("runs").success(), "{action}");
}

/// Returns whether an error is temporary.
pub(crate) fn passes(error: &StoreError) -> bool {
    error.is_transient()
}

/// Formats an error with its causes, as an operator sees it.
pub(crate) fn message(error: &StoreError) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// A connection that does not belong to a store.
pub(crate) struct Raw {
    runtime: Runtime,
    client: Client,
}

impl Raw {
    pub(crate) fn new(url: &str) -> Self {
        Self::connect(url).expect("a server")
    }

    pub(crate) fn connect(url: &str) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let config: Config = url.parse()?;
        let client = elsewhere(|| {
            runtime.block_on(async {
                let (client, connection) = config.connect(NoTls).await?;
                tokio::spawn(connection);
                Ok(client)
            })
        })?;
        Ok(Self { runtime, client })
    }

    pub(crate) fn try_run(&self, sql: &str) -> Result<(), Error> {
        elsewhere(|| self.runtime.block_on(self.client.batch_execute(sql)))
    }

    pub(crate) fn run(&self, sql: &str) {
        self.try_run(sql).expect("runs");
    }

    pub(crate) fn rows(&self, sql: &str) -> Vec<Row> {
        elsewhere(|| self.runtime.block_on(self.client.query(sql, &[]))).expect("rows")
    }

    /// Returns the first column of all rows.
    pub(crate) fn texts(&self, sql: &str) -> Vec<String> {
        self.rows(sql).iter().map(|row| row.get(0)).collect()
    }

    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.rows(sql).first().expect("a row").get(0)
    }

    /// Returns all rows of all tables, as text.
    pub(crate) fn dump(&self) -> Vec<String> {
        let tables = "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace
            AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname";
        let rows = |table: String| {
            let sql = format!("SELECT '{table} ' || whole::text FROM {table} AS whole ORDER BY 1");
            self.texts(&sql)
        };
        self.texts(tables).into_iter().flat_map(rows).collect()
    }
}

/// Runs work on another thread, because a runtime cannot be entered within another one.
pub(crate) fn elsewhere<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join().expect("no panic"))
}

/// Creates a team with a user who has a connection.
pub(crate) fn populated(store: &Store) -> TeamId {
    let team = wait(store.write(|write| {
        let organisation = write.put_organisation("org")?;
        let team = put_team(write, 1, &organisation)?;
        write.put_user(team, &user(team, USER, AT))?;
        write.put_connection(team, Uuid::from_u128(USER), &connection("stridewell", AT))?;
        Ok(team)
    }));
    team.expect("writes")
}

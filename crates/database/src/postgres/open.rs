//! Opening of a database on a server.

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime as PoolRuntime};
use tokio::sync::Semaphore;

use super::server::Server;
use super::settings::{CONNECT_TIMEOUT, PostgresSettings};
use super::state::{Connections, State};
use super::{Database, schema, tls};
use crate::error::DatabaseError;
use crate::schema::PostgresSchema;

impl Database {
    /// Connects to a server, and upgrades the schema.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses the login, or if the schema is newer or of another application. The
    /// error names the server, but not the password.
    pub fn open(schema: &'static PostgresSchema, settings: &PostgresSettings) -> Result<Self, DatabaseError> {
        let location = settings.location()?;
        let unusable = |source: Box<dyn std::error::Error + Send + Sync>| DatabaseError::Unusable {
            path: location.clone(),
            source,
        };
        let tls = tls::connector(settings)?;
        let manager = Manager::from_config(
            settings.driver_config()?,
            tls.clone(),
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let connections = Connections::default();
        let pool = Pool::builder(manager)
            .post_create(connections.hook())
            .max_size(settings.connections.max(2))
            .runtime(PoolRuntime::Tokio1)
            .wait_timeout(Some(CONNECT_TIMEOUT))
            .create_timeout(Some(CONNECT_TIMEOUT))
            .recycle_timeout(Some(CONNECT_TIMEOUT))
            .build()
            .map_err(|error| unusable(error.into()))?;
        // The runtime is created last: it must not be dropped here, where blocking is not allowed.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| unusable(error.into()))?;
        let database = Self {
            schema,
            server: Server::new(location, settings.statement_timeout, runtime),
            state: State::new(pool.clone(), connections, schema.version),
            document_cache: settings.document_cache(),
            pool,
            tls,
            reading: Semaphore::new(settings.connections.saturating_sub(2).max(1)),
            writing: Semaphore::new(1),
        };
        schema::bring_up_to_date(&database, schema).map_err(|error| database.with_path(error))?;
        Ok(database)
    }
}

//! Location of the test stores: directories, or schemas on the server in `WEARLAB_TEST_DATABASE`.

use std::collections::BTreeMap;
use std::path::Path;

use wearlab_store::Store;

/// Opens the store of a directory. On a server it is in a schema with that name.
pub(crate) async fn open(directory: &Path) -> Store {
    #[cfg(feature = "postgres")]
    if let Some(server) = server::of(directory) {
        return server.store().await;
    }
    Store::open(directory).expect("a store")
}

/// Returns all rows of all tables, as text.
pub(crate) async fn dump(directory: &Path) -> BTreeMap<String, Vec<String>> {
    #[cfg(feature = "postgres")]
    if let Some(server) = server::of(directory) {
        return server.dump().await;
    }
    let raw =
        wearlab_checksum_vfs::open(directory.join("wearlab.db"), rusqlite::OpenFlags::default()).expect("a database");
    let mut tables = raw
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .expect("tables");
    let tables = tables.query_map([], |row| row.get(0)).expect("tables");
    let tables: Vec<String> = tables.collect::<Result<_, _>>().expect("names");
    let dump = |table: String| {
        let mut rows = raw.prepare(&format!("SELECT * FROM {table}")).expect("a table");
        let width = rows.column_count();
        let mut rows = rows.query([]).expect("rows");
        let mut texts = Vec::new();
        while let Some(row) = rows.next().expect("a row") {
            let values: Vec<_> = (0..width).map(|at| row.get_ref(at).expect("a value")).collect();
            texts.push(format!("{values:?}"));
        }
        (table, texts)
    };
    tables.into_iter().map(dump).collect()
}

/// Counts the rows of a table.
pub(crate) async fn count(directory: &Path, table: &str) -> usize {
    dump(directory).await.get(table).expect("a table").len()
}

#[cfg(feature = "postgres")]
pub(crate) mod server {
    use std::collections::BTreeMap;
    use std::path::Path;

    use tokio_postgres::{Client, NoTls};
    use wearlab_store::{PostgresSettings, Store};

    /// A schema on the server.
    pub(crate) struct Server {
        url: String,
        schema: String,
    }

    /// Returns the schema for a directory, if a server is configured.
    pub(crate) fn of(directory: &Path) -> Option<Server> {
        let url = std::env::var("WEARLAB_TEST_DATABASE").ok()?;
        let path = directory.display().to_string().to_lowercase();
        let schema = path.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        Some(Server { url, schema })
    }

    impl Server {
        /// Returns the URL with the schema.
        pub(crate) fn url(&self) -> String {
            let mark = if self.url.contains('?') { '&' } else { '?' };
            format!("{}{mark}options=-c%20search_path%3D{}", self.url, self.schema)
        }

        pub(crate) async fn store(&self) -> Store {
            self.make().await;
            Store::connect(&self.settings(), &[]).await.expect("a store")
        }

        /// Creates the empty schema.
        pub(crate) async fn make(&self) {
            let make = format!("CREATE SCHEMA IF NOT EXISTS {}", self.schema);
            self.client().await.batch_execute(&make).await.expect("a schema");
        }

        pub(crate) fn settings(&self) -> PostgresSettings {
            PostgresSettings {
                connections: 4,
                ..PostgresSettings::new(self.url())
            }
        }

        pub(crate) async fn client(&self) -> Client {
            let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.expect("a server");
            tokio::spawn(connection);
            client
        }

        pub(crate) async fn dump(&self) -> BTreeMap<String, Vec<String>> {
            let client = self.client().await;
            let sql = "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                AND relkind IN ('r', 'p') AND NOT relispartition";
            let mut dump = BTreeMap::new();
            for row in client.query(sql, &[]).await.expect("tables") {
                let table: String = row.get(0);
                let sql = format!("SELECT whole::text FROM {table} AS whole");
                let rows = client.query(&sql, &[]).await.expect("rows");
                dump.insert(table, rows.iter().map(|row| row.get(0)).collect());
            }
            dump
        }
    }
}

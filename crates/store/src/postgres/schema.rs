//! The versions of the schema.

use tokio_postgres::Client;

use super::Database;
use super::error::failure;
use crate::StoreError;

/// What makes each version of the one before. Never change one that was released: add one.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_outages.sql"),
];

/// One process at a time looks at the schema and changes it. "Wear" in ASCII, and the schema that is used.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1466261874, hashtext(current_schema()))";

/// Brings the schema up to date. Refuses a newer one, and tables of somebody else.
pub(super) fn bring_up_to_date(database: &Database) -> Result<(), StoreError> {
    let mut client = database.client()?;
    database.wait(async {
        let transaction = client.transaction().await.map_err(failure)?;
        transaction.batch_execute(LOCK).await.map_err(failure)?;
        let version = version(database, transaction.client()).await?;
        for script in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or(usize::MAX)) {
            transaction.batch_execute(script).await.map_err(failure)?;
        }
        let sql = "UPDATE schema_version SET version = $1";
        transaction.execute(sql, &[&known()]).await.map_err(failure)?;
        transaction.commit().await.map_err(failure)?;
        Ok(())
    })
}

fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

async fn version(database: &Database, client: &Client) -> Result<i64, StoreError> {
    let count = |sql: &'static str| async move {
        Ok::<i64, StoreError>(client.query_one(sql, &[]).await.map_err(failure)?.get(0))
    };
    let ours = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'";
    let path = || database.place().to_owned();
    if count(ours).await? == 0 {
        // Names of ours would meet those of others.
        let theirs = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()";
        return match count(theirs).await? {
            0 => Ok(0),
            _ => Err(StoreError::NotAStore { path: path() }),
        };
    }
    let found = count("SELECT version FROM schema_version").await?;
    let known = known();
    if found > known {
        let path = path();
        return Err(StoreError::NewerSchema { path, found, known });
    }
    Ok(found)
}

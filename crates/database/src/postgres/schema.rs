//! Schema versions and migrations.

use deadpool_postgres::{Object, Transaction};

use super::responses::Responses;
use super::settings::CONNECT_TIMEOUT;
use super::{Database, error};
use crate::error::DatabaseError;
use crate::schema::PostgresSchema;

/// Upgrades the schema. Refuses a newer one, and tables of other applications. A [`DatabaseError::Engine`] is permanent.
pub(super) fn bring_up_to_date(database: &Database, schema: &PostgresSchema) -> Result<(), DatabaseError> {
    let migrations = (schema.migrations)();
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let client = database.server.wait(CONNECT_TIMEOUT, database.pool.get());
    let client = client.ok_or_else(error::no_connection_in_time)?;
    // Not returned to the pool: it must be closed if a response is overdue, and otherwise it is only one connection.
    let mut client = Object::take(client.map_err(error::cannot_connect)?);
    let responses = Responses::new(&database.server);
    let transaction = responses.get(client.transaction())?;
    // The second key is a hash of the schema's name.
    let lock = format!(
        "SELECT pg_advisory_xact_lock({}, hashtext(current_schema()))",
        schema.lock
    );
    responses.get(transaction.batch_execute(&lock))?;
    let version = version(&responses, &transaction, known)?;
    if version < known {
        // A migration of many rows takes long.
        responses.get(transaction.batch_execute("SET LOCAL statement_timeout = 0"))?;
    }
    for script in migrations.iter().skip(usize::try_from(version).unwrap_or(usize::MAX)) {
        database.work(transaction.batch_execute(script))?;
    }
    let sql = "UPDATE schema_version SET version = $1";
    responses.get(transaction.execute(sql, &[&known]))?;
    responses.commit(transaction)
}

fn version(responses: &Responses<'_>, transaction: &Transaction<'_>, known: i64) -> Result<i64, DatabaseError> {
    let count = |sql: &str| {
        let row = responses.get(transaction.query_one(sql, &[]))?;
        Ok::<i64, DatabaseError>(row.try_get(0).map_err(error::failure)?)
    };
    let ours = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'";
    let path = || responses.server.path().to_owned();
    if count(ours)? == 0 {
        // Names of tables could conflict with those of others.
        let theirs = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()";
        return match count(theirs)? {
            0 => Ok(0),
            _ => Err(DatabaseError::OfAnother { path: path() }),
        };
    }
    let found = count("SELECT version FROM schema_version")?;
    if found > known {
        let path = path();
        return Err(DatabaseError::NewerSchema { path, found, known });
    }
    Ok(found)
}

//! Schema versions and migrations.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::verify;
use crate::error::DatabaseError;
use crate::schema::SqliteSchema;

/// Refuses a file of another application or of a newer version. Returns the version.
pub(super) fn check(connection: &mut Connection, schema: &SqliteSchema, path: &Path) -> Result<i64, DatabaseError> {
    // One snapshot for all reads: another process may be creating the schema at this moment.
    let snapshot = connection.transaction()?;
    version(&snapshot, schema, path)
}

/// Upgrades the schema from a version that was [checked](check). Foreign keys must be off.
pub(super) fn migrate(
    connection: &mut Connection,
    schema: &SqliteSchema,
    path: &Path,
    checked: i64,
) -> Result<(), DatabaseError> {
    let known = known(schema);
    if checked == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again, because another process may have been faster.
    let version = version(&transaction, schema, path)?;
    if version == known {
        return Ok(());
    }
    // Damaged rows would be copied into new tables, and appear undamaged there.
    verify::check(&transaction, schema, path)?;
    for script in schema
        .migrations
        .iter()
        .skip(usize::try_from(version).unwrap_or(usize::MAX))
    {
        transaction.execute_batch(script)?;
    }
    (schema.earlier.finish)(&transaction)?;
    transaction.pragma_update(None, "application_id", schema.application)?;
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

fn known(schema: &SqliteSchema) -> i64 {
    i64::try_from(schema.migrations.len()).unwrap_or(i64::MAX)
}

fn version(transaction: &Transaction<'_>, schema: &SqliteSchema, path: &Path) -> Result<i64, DatabaseError> {
    let number = |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = number("application_id")?;
    let version = number("user_version")?;
    // Run for every file, because it reads the whole schema, and so detects a damaged page of it.
    let blank: bool = transaction.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
    let known = known(schema);
    match (application == schema.application, version) {
        (true, 0..) if version > known => Err(DatabaseError::NewerSchema {
            path: path.to_owned(),
            found: version,
            known,
        }),
        (true, 0..) => Ok(version),
        (false, 0) if application == 0 && blank => Ok(0),
        _ => Err(DatabaseError::OfAnother { path: path.to_owned() }),
    }
}

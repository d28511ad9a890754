//! Schema versions and migrations.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{row_checksums, verify};
use crate::StoreError;
use crate::schema::SQLITE;

/// First version with checksums of pages.
pub(super) const PAGE_CHECKSUMS: i64 = 20;

/// Application id of a store: "Wear" in ASCII.
const APPLICATION: i64 = 0x5765_6172;

/// Refuses a file of another application or of a newer version. Returns the version.
pub(super) fn check(connection: &mut Connection, path: &Path) -> Result<i64, StoreError> {
    // One snapshot for all reads: another process may be creating the schema at this moment.
    let snapshot = connection.transaction()?;
    version(&snapshot, path)
}

/// Upgrades the schema from a version that was [checked](check). Foreign keys must be off.
pub(super) fn migrate(connection: &mut Connection, path: &Path, checked: i64) -> Result<(), StoreError> {
    let known = known();
    if checked == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again, because another process may have been faster.
    let version = version(&transaction, path)?;
    if version == known {
        return Ok(());
    }
    // Damaged rows would be copied into new tables, and appear undamaged there.
    verify::check(&transaction, path)?;
    for script in SQLITE.iter().skip(usize::try_from(version).unwrap_or(usize::MAX)) {
        transaction.execute_batch(script)?;
    }
    row_checksums::remove(&transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

fn known() -> i64 {
    i64::try_from(SQLITE.len()).unwrap_or(i64::MAX)
}

fn version(transaction: &Transaction<'_>, path: &Path) -> Result<i64, StoreError> {
    let number = |name: &str| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = number("application_id")?;
    let version = number("user_version")?;
    // Run for every file, because it reads the whole schema, and so detects a damaged page of it.
    let blank: bool = transaction.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
    let known = known();
    match (application, version) {
        (APPLICATION, 0..) if version > known => Err(StoreError::NewerSchema {
            path: path.to_owned(),
            found: version,
            known,
        }),
        (APPLICATION, 0..) => Ok(version),
        (0, 0) if blank => Ok(0),
        _ => Err(StoreError::NotAStore { path: path.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::SQLITE;

    #[test]
    fn summaries_of_version_17_are_found_by_their_provider_ids() {
        let connection = Connection::open_in_memory().expect("a database");
        connection.pragma_update(None, "foreign_keys", false).expect("sets");
        let (before, after) = SQLITE.split_at(17);
        let run = |script: &str| connection.execute_batch(script).expect("runs");
        before.iter().for_each(|script| run(script));
        for (number, document) in [r#"{"provider_id": "a"}"#, r#"{"provider_id": 7}"#, "{}"]
            .iter()
            .enumerate()
        {
            let sql = "INSERT INTO summaries (user_row, summary_id, resource, provider, source, day, document)
                VALUES (1, ?1, 'activity', 'stridewell', '{}', '2026-05-01', ?2)";
            let id = [u8::try_from(number).expect("a byte"); 16];
            connection
                .execute(sql, rusqlite::params![id, document])
                .expect("writes");
        }
        after.iter().for_each(|script| run(script));
        let mut found = connection
            .prepare("SELECT provider_id, derived_id FROM summaries ORDER BY id")
            .expect("a query");
        let found = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        let found: Vec<(Option<String>, Option<i64>)> = found.collect::<Result<_, _>>().expect("rows");
        assert_eq!(found, [(Some("a".to_owned()), None), (None, None), (None, None)]);
    }

    #[test]
    fn days_of_version_20_have_data_where_summaries_are() {
        let connection = Connection::open_in_memory().expect("a database");
        connection.pragma_update(None, "foreign_keys", false).expect("sets");
        let (before, after) = SQLITE.split_at(20);
        let run = |script: &str| connection.execute_batch(script).expect("runs");
        before.iter().for_each(|script| run(script));
        for (day, resource) in [
            ("2026-05-01", "body"),
            ("2026-05-03", "body"),
            ("2026-05-05", "body"),
            ("2026-05-06", "body"),
            ("2026-05-06", "steps"),
        ] {
            let sql = "INSERT INTO days (user_row, provider, resource, day, source, hash)
                VALUES (1, 'stridewell', ?1, ?2, '{}', x'')";
            connection.execute(sql, [resource, day]).expect("writes");
        }
        for (number, day) in ["2026-05-03", "2026-05-06"].iter().enumerate() {
            let sql = "INSERT INTO summaries (user_row, summary_id, resource, provider, source, day, document)
                VALUES (1, ?1, 'body', 'stridewell', '{}', ?2, '{}')";
            let id = [u8::try_from(number).expect("a byte"); 16];
            connection.execute(sql, rusqlite::params![id, day]).expect("writes");
        }
        after.iter().for_each(|script| run(script));
        let mut found = connection
            .prepare("SELECT resource || ' ' || day FROM days WHERE has_data = 0 ORDER BY 1")
            .expect("a query");
        let found = found.query_map([], |row| row.get(0)).expect("rows");
        let found: Vec<String> = found.collect::<Result<_, _>>().expect("rows");
        assert_eq!(found, ["body 2026-05-05"]);
    }
}

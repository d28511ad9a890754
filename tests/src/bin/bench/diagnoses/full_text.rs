//! Reference: SQLite's full-text search over the same list.

use anyhow::Result;
use rusqlite::{Connection, params};

/// In-memory full-text index of the list.
pub(super) struct FullText {
    connection: Connection,
}

impl FullText {
    pub(super) fn new() -> Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE diagnoses USING fts5(
               code UNINDEXED, description, tokenize = 'unicode61 remove_diacritics 2')",
        )?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO diagnoses (code, description) VALUES (?1, ?2)")?;
            for diagnosis in wearlab_diagnoses::all() {
                insert.execute([diagnosis.diagnosis_code, diagnosis.description])?;
            }
        }
        transaction.commit()?;
        // The list does not change, so a merged index is fastest.
        connection.execute("INSERT INTO diagnoses (diagnoses) VALUES ('optimize')", [])?;
        Ok(Self { connection })
    }

    /// Returns a full-text expression with all words of a text.
    pub(super) fn expression(text: &str) -> String {
        let words = text
            .split_whitespace()
            .map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns codes and descriptions, best first.
    pub(super) fn search(&self, expression: &str, limit: usize) -> Result<Vec<(String, String)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT code, description FROM diagnoses WHERE diagnoses MATCH ?1 ORDER BY rank LIMIT ?2",
        )?;
        let rows = statement.query_map(params![expression, limit as i64], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

//! Results of a full check.

use std::fmt;

/// Results of a full check of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Number of rows read.
    pub rows: u64,
    /// Damage found.
    pub damage: Vec<Damage>,
    /// Notes on damage that this check cannot find.
    pub notes: Vec<String>,
}

/// Damage of a store. It contains no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The table. None for damage of the file.
    pub table: Option<String>,
    /// The row: its number in the engine, or the number of rows up to it if the engine has no numbers.
    pub row: Option<i64>,
    /// Description of the damage.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.table, self.row) {
            (Some(table), Some(row)) => write!(f, "table {table}, row {row}: {}", self.what),
            (Some(table), None) => write!(f, "table {table}: {}", self.what),
            (None, _) => write!(f, "file: {}", self.what),
        }
    }
}

//! Results of a full check.

use std::fmt;

/// Results of [`Store::verify`](crate::Store::verify).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// How many rows were read.
    pub rows: u64,
    /// What is damaged.
    pub damage: Vec<Damage>,
    /// What cannot be known.
    pub notes: Vec<String>,
}

/// Something that is no longer what was written. It names no values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The table, unless it is about the file.
    pub table: Option<String>,
    /// The row: the number that the engine gives it, or how many rows there are up to it where it gives none.
    pub row: Option<i64>,
    /// What is wrong.
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

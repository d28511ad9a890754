//! The progress of a migration.

use serde::{Deserialize, Serialize};

/// What a migration does just now.
#[derive(Debug)]
#[non_exhaustive]
pub enum MigrationStep<'a> {
    /// Rows of the source were read, to know later whether they have changed.
    Read {
        /// The table.
        table: &'static str,
        /// How many of its rows were read.
        rows: u64,
    },
    /// Rows were put into the target, for good.
    Copied {
        /// The table.
        table: &'static str,
        /// How many of its rows the target has.
        rows: u64,
        /// How many the source has.
        of: u64,
    },
    /// Rows were read again.
    Compared {
        /// The table.
        table: &'static str,
        /// How many of its rows were read.
        rows: u64,
    },
    /// All rows of a table were compared.
    Verified {
        /// The table.
        table: &'static str,
        /// What the source holds.
        source: &'a TableSum,
        /// What the target holds.
        target: &'a TableSum,
    },
}

/// What a table holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSum {
    /// How many rows.
    pub rows: u64,
    /// The SHA-256 of all values of all rows, in the order of their keys.
    pub sha256: String,
}

//! Progress of a migration.

use serde::{Deserialize, Serialize};

/// Step of a migration.
#[derive(Debug)]
#[non_exhaustive]
pub enum MigrationStep<'a> {
    /// Rows of the source were read, to detect later changes of them.
    Read {
        /// The table.
        table: &'static str,
        /// Number of rows read so far.
        rows: u64,
    },
    /// Rows were committed to the target.
    Copied {
        /// The table.
        table: &'static str,
        /// Number of rows in the target.
        rows: u64,
        /// Number of rows in the source.
        of: u64,
    },
    /// Rows were read again for the comparison.
    Compared {
        /// The table.
        table: &'static str,
        /// Number of rows read so far.
        rows: u64,
    },
    /// All rows of a table were compared.
    Verified {
        /// The table.
        table: &'static str,
        /// Checksum of the source.
        source: &'a TableSum,
        /// Checksum of the target.
        target: &'a TableSum,
    },
}

/// Checksum of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSum {
    /// Number of rows.
    pub rows: u64,
    /// The SHA-256 of all values of all rows, in the order of their keys.
    pub sha256: String,
}

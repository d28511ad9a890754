//! Tables with a partition for each day.

/// A table of which PostgreSQL keeps a partition for each day, by its column `created_on` in nanoseconds since 1970, so
/// that old rows are dropped by the day. SQLite has no partitions.
#[derive(Debug)]
pub struct Partitioned {
    /// The table. Its rows have a `number`, which grows.
    pub table: &'static str,
    /// Tables whose rows have the number of a row, and are deleted with it.
    pub dependents: &'static [&'static str],
    /// Query of whether rows of the partition `{partition}` are still needed.
    pub is_needed: &'static str,
}

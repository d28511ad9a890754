//! Multi-row statements, in chunks.

use crate::StoreError;

/// Numbers of rows of one statement. Few sizes, so that few statements are prepared.
const SIZES: [usize; 3] = [100, 10, 1];

/// Runs statements on all rows, a chunk at a time. `sql` returns the statement for a number of rows.
pub(super) fn in_chunks<T>(
    rows: &[T],
    sql: impl Fn(usize) -> String,
    mut run: impl FnMut(&str, &[T]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut rest = rows;
    for size in SIZES {
        let mut statement = None;
        while let Some((part, later)) = rest.split_at_checked(size) {
            run(statement.get_or_insert_with(|| sql(size)), part)?;
            rest = later;
        }
    }
    Ok(())
}

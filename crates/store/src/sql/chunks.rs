//! Rows that are changed by few statements, on many at a time.

use crate::StoreError;

/// How many rows are changed by one statement. Few sizes, so that few statements are prepared.
const SIZES: [usize; 3] = [100, 10, 1];

/// Runs statements on all rows, a part at a time. `sql` makes the statement for as many rows.
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

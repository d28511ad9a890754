//! A look at the rows beside one that is not found, where the engine compares rows with the entries of its indexes.
//!
//! Where a bit of an entry has flipped, the engine no longer finds its row, and lands beside it.

use super::connection::Connection;
use super::value::Params;
use crate::StoreError;

/// Fails where one of the two rows around a key, in the order of an index of a table, is damaged.
pub(super) fn check(connection: &Connection<'_>, table: &str, index: &str, key: Params<'_>) -> Result<(), StoreError> {
    if !connection.checks_rows() {
        return Ok(());
    }
    let columns: Vec<_> = index.split(", ").take(key.len()).collect();
    let columns = columns.join(", ");
    let placeholders: Vec<_> = (1..=key.len()).map(|at| format!("?{at}")).collect();
    let placeholders = placeholders.join(", ");
    for (side, order) in [("<", " DESC"), (">", "")] {
        let order: Vec<_> = index.split(", ").map(|column| format!("{column}{order}")).collect();
        let sql = format!(
            "SELECT {index} FROM {table} WHERE ({columns}) {side} ({placeholders}) ORDER BY {order} LIMIT 1",
            order = order.join(", "),
        );
        connection.first(&sql, key, |_| Ok(()))?;
    }
    Ok(())
}

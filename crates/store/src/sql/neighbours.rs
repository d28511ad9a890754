//! A look at the rows beside one that is not found, where the engine compares rows with the entries of its indexes.
//!
//! Where a bit of an entry has flipped, the engine no longer finds its row, and lands beside it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::connection::Connection;
use super::value::Params;
use crate::StoreError;

/// Fails where one of the two rows around a key, in the order of an index of a table, is damaged.
pub(super) fn check(
    connection: &Connection<'_>,
    table: &'static str,
    index: &'static str,
    key: Params<'_>,
) -> Result<(), StoreError> {
    if !connection.checks_rows() {
        return Ok(());
    }
    let looks = KNOWN.with_borrow_mut(|known| {
        let looks = known.entry((table, index, key.len()));
        looks
            .or_insert_with(|| looks_beside(table, index, key.len()).into())
            .clone()
    });
    (looks.iter()).try_for_each(|sql| connection.first(sql, key, |_| Ok(())).map(drop))
}

/// A table, an index, and how many of its columns a key has.
type Place = (&'static str, &'static str, usize);

thread_local! {
    /// The statements of each place: they are run for most reads.
    static KNOWN: RefCell<HashMap<Place, Rc<[String; 2]>>> = RefCell::default();
}

/// The statements that look at the row before a key and the one behind it.
fn looks_beside(table: &str, index: &str, length: usize) -> [String; 2] {
    let columns: Vec<_> = index.split(", ").take(length).collect();
    let columns = columns.join(", ");
    let placeholders: Vec<_> = (1..=length).map(|at| format!("?{at}")).collect();
    let placeholders = placeholders.join(", ");
    [("<", " DESC"), (">", "")].map(|(side, order)| {
        let order: Vec<_> = index.split(", ").map(|column| format!("{column}{order}")).collect();
        let order = order.join(", ");
        format!("SELECT {index} FROM {table} WHERE ({columns}) {side} ({placeholders}) ORDER BY {order} LIMIT 1")
    })
}

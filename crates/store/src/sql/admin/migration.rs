//! Rows of any table, for copies from one store to another, and the progress of a migration.

use std::collections::BTreeMap;

use super::meta;
use crate::row_digest::RowDigest;
use crate::schema::EVENTS;
use crate::schema::tables::{Table, tables};
use crate::sql::chunks::in_chunks;
use crate::sql::connection::Connection;
use crate::sql::value::{Bind, OwnedValue, Row, params};
use crate::{StoreError, TableSum};

/// The note of a store that is the target of an incomplete migration: the checksums of the source.
const NOTE: &str = "migration";

/// Maximum number of rows of a batch, and the maximum size of their long values, unless one alone is longer.
const ROWS: usize = 1_000;
const BYTES: i64 = 4 * 1024 * 1024;

/// The values of a row, or those of its key.
pub(crate) type Values = Vec<OwnedValue>;

/// Sums of the tables of a store, by name.
pub(crate) type Sums = BTreeMap<String, TableSum>;

/// Reads the sums of the source of an unfinished migration into this store.
pub(crate) fn note(connection: &Connection<'_>) -> Result<Option<Sums>, StoreError> {
    let note = meta::meta(connection, NOTE)?;
    let sums = note.map(|text| serde_json::from_str(&text));
    sums.transpose().map_err(|_| StoreError::Document { what: NOTE })
}

/// Makes an empty store the target of a migration. Its own notes are deleted.
pub(crate) fn begin(connection: &Connection<'_>, sums: &Sums) -> Result<(), StoreError> {
    let note = serde_json::to_string(sums).map_err(|_| StoreError::Document { what: NOTE })?;
    connection.execute("DELETE FROM meta", params![])?;
    connection.execute("DELETE FROM revisions", params![])?;
    connection.execute("INSERT INTO meta (name, value) VALUES (?1, ?2)", params![NOTE, note])?;
    Ok(())
}

/// Makes the target of a migration a store.
pub(crate) fn end(connection: &Connection<'_>, last_event: i64) -> Result<(), StoreError> {
    connection.set_numbers(EVENTS.table, last_event)?;
    connection.execute("DELETE FROM meta WHERE name = ?1", params![NOTE])?;
    Ok(())
}

pub(crate) fn last_event(connection: &Connection<'_>) -> Result<i64, StoreError> {
    connection.last_number(EVENTS.table, "number")
}

/// Keeps a transaction open while it is idle for long.
pub(crate) fn disable_idle_timeout(connection: &Connection<'_>) -> Result<(), StoreError> {
    connection.disable_idle_timeout()
}

/// The first table with rows. Notes do not count.
pub(crate) fn in_use(connection: &Connection<'_>) -> Result<Option<&'static str>, StoreError> {
    for table in tables()?
        .iter()
        .filter(|table| !["meta", "revisions"].contains(&&*table.name))
    {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name);
        if connection.one(&sql, params![], |row| row.get(0))? {
            return Ok(Some(&table.name));
        }
    }
    Ok(None)
}

/// Returns the number and the digest of the rows. `read` is called with the number of rows read so far.
pub(crate) fn sum(
    connection: &Connection<'_>,
    table: &Table,
    mut read: impl FnMut(u64),
) -> Result<TableSum, StoreError> {
    let (mut sum, mut rows, mut last) = (RowDigest::new(), 0, None);
    loop {
        let each = |row: &Row<'_>| {
            rows += 1;
            (0..table.columns.len()).try_for_each(|at| {
                sum.value(row.raw(at)?);
                Ok(())
            })
        };
        last = match next(connection, table, last.as_deref(), each)? {
            Some(key) => Some(key),
            None => break,
        };
        read(rows);
    }
    let sha256 = sum.finish();
    Ok(TableSum { rows, sha256 })
}

/// The next rows after a key, in the order of their keys.
pub(crate) fn rows(
    connection: &Connection<'_>,
    table: &Table,
    after: Option<&[OwnedValue]>,
) -> Result<Vec<Values>, StoreError> {
    let mut rows = Vec::new();
    next(connection, table, after, |row| {
        rows.push(values(row, table.columns.len())?);
        Ok(())
    })?;
    Ok(rows)
}

/// The key of the last row.
pub(crate) fn last(connection: &Connection<'_>, table: &Table) -> Result<Option<Values>, StoreError> {
    let columns = &table.columns[..table.key];
    let order: Vec<_> = columns.iter().map(|column| format!("{column} DESC")).collect();
    let sql = format!(
        "SELECT {columns} FROM {name} WHERE {ours} ORDER BY {order} LIMIT 1",
        columns = columns.join(", "),
        name = table.name,
        ours = ours(table),
        order = order.join(", "),
    );
    connection.first(&sql, params![], |row| values(row, table.key))
}

/// Counts the rows.
pub(crate) fn count(connection: &Connection<'_>, table: &Table) -> Result<u64, StoreError> {
    let sql = format!("SELECT count(*) FROM {} WHERE {}", table.name, ours(table));
    let count: i64 = connection.one(&sql, params![], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Inserts rows.
pub(crate) fn insert(connection: &Connection<'_>, table: &Table, rows: &[Values]) -> Result<(), StoreError> {
    if table.name == EVENTS.table
        && let Some(time) = table.columns.iter().position(|column| column == "created_on")
    {
        for row in rows {
            if let OwnedValue::Integer(created_on) = row[time] {
                connection.ensure_partition(&EVENTS, created_on)?;
            }
        }
    }
    let width = table.columns.len();
    let sql = |together| {
        let row = |number: usize| {
            let placeholders: Vec<_> = (1..=width).map(|at| format!("?{}", number * width + at)).collect();
            format!("({})", placeholders.join(", "))
        };
        format!(
            "INSERT INTO {name} ({columns}) VALUES {rows}",
            name = table.name,
            columns = table.columns.join(", "),
            rows = (0..together).map(row).collect::<Vec<_>>().join(", "),
        )
    };
    in_chunks(rows, sql, |statement, part| {
        let params: Vec<_> = part.iter().flatten().map(|value| value as &dyn Bind).collect();
        connection.execute(statement, &params)?;
        Ok(())
    })
}

/// Calls `each` with the next rows after a key, and returns the key of the last one.
fn next(
    connection: &Connection<'_>,
    table: &Table,
    after: Option<&[OwnedValue]>,
    mut each: impl FnMut(&Row<'_>) -> Result<(), StoreError>,
) -> Result<Option<Values>, StoreError> {
    let key = table.columns[..table.key].join(", ");
    let mut params: Vec<&dyn Bind> = Vec::new();
    let behind = match after {
        Some(after) => {
            params.extend(after.iter().map(|value| value as &dyn Bind));
            let placeholders: Vec<_> = (1..=after.len()).map(|at| format!("?{at}")).collect();
            format!("({key}) > ({})", placeholders.join(", "))
        }
        None => "TRUE".to_owned(),
    };
    let select = |columns: &str| {
        format!(
            "SELECT {columns} FROM {name} WHERE {ours} AND {behind} ORDER BY {key} LIMIT ?{limit}",
            name = table.name,
            ours = ours(table),
            limit = after.map_or(0, <[_]>::len) + 1,
        )
    };
    let mut limit = i64::try_from(ROWS).unwrap_or(i64::MAX);
    if !table.long.is_empty() {
        let mut lengths = params.clone();
        lengths.push(&limit);
        // Reads only lengths: with values in the statement, each page would read all rows of the next ones.
        let length = |column| format!("CAST(coalesce(octet_length({column}), 0) AS BIGINT)");
        let sql = select(&table.long.iter().map(length).collect::<Vec<_>>().join(" + "));
        let lengths: Vec<i64> = connection.all(&sql, &lengths, |row| row.get(0))?;
        limit = fitting(&lengths);
    }
    params.push(&limit);
    let mut last = None;
    connection.all(&select(&table.columns.join(", ")), &params, |row| {
        each(row)?;
        last = Some(values(row, table.key)?);
        Ok(())
    })?;
    Ok(last)
}

/// Returns the number of values of these lengths that fit a batch, at least one.
fn fitting(lengths: &[i64]) -> i64 {
    let mut left = BYTES;
    let fit = lengths.iter().take_while(|length| {
        left -= *length;
        left >= 0
    });
    i64::try_from(fit.count().max(1)).unwrap_or(i64::MAX)
}

fn values(row: &Row<'_>, columns: usize) -> Result<Values, StoreError> {
    (0..columns).map(|at| Ok(row.raw(at)?.to_owned_value())).collect()
}

/// Excludes the note of the migration from the rows of a table.
fn ours(table: &Table) -> &'static str {
    match &*table.name {
        "meta" => "name <> 'migration'",
        _ => "TRUE",
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, fitting};

    #[test]
    fn few_values_are_taken_together_when_they_are_long() {
        for (lengths, expected) in [
            (vec![], 1),
            (vec![1; 700], 700),
            (vec![BYTES, 1], 1),
            (vec![BYTES + 1, 1], 1),
            (vec![BYTES / 2; 5], 2),
            (vec![1, BYTES, 1], 1),
        ] {
            assert_eq!(fitting(&lengths), expected, "{:?}", &lengths[..lengths.len().min(5)]);
        }
    }
}

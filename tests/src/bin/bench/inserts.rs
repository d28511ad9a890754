//! Reference for writes: the rows of a store, inserted by bare SQLite.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use crate::environment::PAGE_CACHE;

/// Number of lines whose rows are written in one transaction, as in the service.
pub(crate) const TOGETHER: usize = 4000;

/// Insert statement with its values.
struct Row<'a> {
    insert: &'a str,
    values: Vec<Value>,
}

/// Rows of some tables of a store, to be read in parallel.
pub(crate) struct Rows<'a> {
    from: &'a Connection,
    tables: Vec<Table>,
}

/// Table whose rows are read in the order of writing.
struct Table {
    insert: String,
    /// Statement that selects a range of rows, counted from 1.
    select: String,
}

/// Opens the file of a store for reads.
pub(crate) fn open(directory: &Path) -> Result<Connection> {
    let file = directory.join("data/wearlab.db");
    Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .with_context(|| format!("cannot open {}", file.display()))
}

/// Opens a file for writes with the settings of the service: page checksums, durability, size of the log and the cache,
/// and secure deletion.
pub(crate) fn open_to_write(file: &Path) -> Result<Connection> {
    set_up(wearlab_checksum_vfs::open(file, OpenFlags::default())?)
}

/// Opens a file with the same settings, but without checksums.
pub(crate) fn open_without_checksums(file: &Path) -> Result<Connection> {
    set_up(Connection::open(file)?)
}

fn set_up(connection: Connection) -> Result<Connection> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 8 * 1024)?;
    connection.pragma_update(None, "cache_size", -i64::from(PAGE_CACHE / 2) * 1024)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

/// Creates the tables, indexes and triggers of a store in another file.
pub(crate) fn make_tables(from: &Connection, to: &Connection) -> Result<()> {
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
    let mut statement = from.prepare(sql)?;
    let texts = statement.query_map([], |row| row.get::<_, String>(0))?;
    for text in texts {
        to.execute_batch(&text?)?;
    }
    Ok(())
}

/// Copies all rows of a small table.
pub(crate) fn copy(from: &Connection, to: &Connection, table: &str) -> Result<()> {
    let columns = columns(from, table)?;
    let mut select = from.prepare(&format!("SELECT {} FROM {table}", columns.join(", ")))?;
    let mut insert = to.prepare(&insert(table, &columns))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..columns.len()).map(|column| row.get::<_, Value>(column));
        insert.execute(params_from_iter(values.collect::<rusqlite::Result<Vec<_>>>()?))?;
    }
    Ok(())
}

impl<'a> Rows<'a> {
    /// Creates a reader of tables, each with the query of its rows: `{columns}` and a range from `?1` to `?2`.
    pub(crate) fn new(from: &'a Connection, tables: &[(&str, &str)]) -> Result<Self> {
        let table = |(table, select): &(&str, &str)| {
            let columns = columns(from, table)?;
            let qualified: Vec<_> = columns.iter().map(|column| format!("{table}.{column}")).collect();
            Ok(Table {
                insert: insert(table, &columns),
                select: select.replace("{columns}", &qualified.join(", ")),
            })
        };
        Ok(Self {
            from,
            tables: tables.iter().map(table).collect::<Result<_>>()?,
        })
    }

    /// Inserts `count` rows of each table, `together` of each in one transaction. Returns the duration, without the
    /// reads.
    pub(crate) fn insert(&self, to: &mut Connection, count: u32, together: usize) -> Result<Duration> {
        let step = u32::try_from(together)?;
        let mut took = Duration::ZERO;
        let mut first = 1;
        while first <= count {
            let last = count.min(first + step - 1);
            let rows = self.read(first, last)?;
            let started = Instant::now();
            let transaction = to.transaction()?;
            for row in rows {
                let mut statement = transaction.prepare_cached(row.insert)?;
                statement.execute(params_from_iter(row.values))?;
            }
            transaction.commit()?;
            took += started.elapsed();
            first = last + 1;
        }
        Ok(took)
    }

    /// Reads the rows of a range: the first of each table, then the second, and so on.
    fn read(&self, first: u32, last: u32) -> Result<Vec<Row<'_>>> {
        let mut found = Vec::new();
        for (place, table) in self.tables.iter().enumerate() {
            let mut statement = self.from.prepare_cached(&table.select)?;
            let columns = statement.column_count();
            let mut rows = statement.query([first, last])?;
            let mut index = 0;
            while let Some(row) = rows.next()? {
                let values = (0..columns)
                    .map(|column| row.get(column))
                    .collect::<rusqlite::Result<_>>()?;
                let insert = table.insert.as_str();
                found.push(((index, place), Row { insert, values }));
                index += 1;
            }
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(found.into_iter().map(|(_, row)| row).collect())
    }
}

/// Returns the columns of a table that can be written.
fn columns(from: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement = from.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

fn insert(table: &str, columns: &[String]) -> String {
    let places = vec!["?"; columns.len()].join(", ");
    format!("INSERT INTO {table} ({}) VALUES ({places})", columns.join(", "))
}

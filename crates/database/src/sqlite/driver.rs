//! Driver of SQLite.

use std::ops::ControlFlow;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql, params_from_iter};

use super::error::failure;
use crate::connection::{Driver, Failure};
use crate::error::DatabaseError;
use crate::value::{Columns, Params, Value};

impl Driver for Connection {
    fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, Failure> {
        let mut statement = self.prepare_cached(sql).map_err(failure)?;
        statement
            .execute(params_from_iter(params.iter().map(|value| value.bind())))
            .map_err(failure)
    }

    fn query(
        &self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&dyn Columns) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let mut statement = self.prepare_cached(sql).map_err(failure)?;
        let mut rows = statement
            .query(params_from_iter(params.iter().map(|value| value.bind())))
            .map_err(failure)?;
        while let Some(row) = rows.next().map_err(failure)? {
            if each(row).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn last_number(&self, table: &str, _: &str) -> Result<i64, Failure> {
        let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?1";
        self.query_row(sql, [table], |row| row.get(0)).map_err(failure)
    }

    fn set_numbers(&self, table: &str, last: i64) -> Result<(), Failure> {
        // Other tables continue after their last row by themselves.
        let set = |sql: &str, params: &[&dyn ToSql]| Connection::execute(self, sql, params).map_err(failure);
        set("DELETE FROM sqlite_sequence WHERE name = ?1", &[&table])?;
        set(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)",
            &[&table, &last],
        )?;
        Ok(())
    }

    fn is_active(&self) -> Result<(), DatabaseError> {
        match self.is_autocommit() {
            true => Err(DatabaseError::Engine(
                "the transaction was rolled back by an earlier error".into(),
            )),
            false => Ok(()),
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Columns for Row<'_> {
    fn value(&self, index: usize) -> Option<Value<'_>> {
        match self.get_ref(index).ok()? {
            ValueRef::Null => Some(Value::Null),
            ValueRef::Integer(number) => Some(Value::Integer(number)),
            ValueRef::Text(text) => str::from_utf8(text).ok().map(Value::Text),
            ValueRef::Blob(bytes) => Some(Value::Bytes(bytes)),
            ValueRef::Real(_) => None,
        }
    }
}

//! Driver of PostgreSQL.

use std::ops::ControlFlow;

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::session::{Executor, ROLLBACK_TO, Session};
use super::{partitions, sequences};
use crate::connection::{Connection, Driver, Failure};
use crate::error::DatabaseError;
use crate::partitioned::Partitioned;
use crate::value::{Columns, Params, Value};

/// Maximum number of rows in one fetch of a portal.
const MAX_FETCH_ROWS: usize = 256;
/// Number of rows in the first fetch, before their size is known.
const FIRST_FETCH_ROWS: usize = 16;
/// Target size of one fetch, in bytes.
const TARGET_FETCH_BYTES: usize = 4 * 1024 * 1024;

impl Driver for Session<'_> {
    fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, Failure> {
        let values = bound(params);
        let params = borrowed(&values);
        let rolls_back = sql.starts_with(ROLLBACK_TO);
        if rolls_back {
            // Failures of earlier statements are ignored: they are rolled back.
            drop(self.take_responses());
        }
        let changed = self.run(async {
            let statement = self.prepared(sql).await?;
            match self.executor {
                Executor::Client(client) => client.execute(&statement, &params).await,
                Executor::Transaction(transaction) => transaction.execute(&statement, &params).await,
            }
        })?;
        if rolls_back {
            self.rolled_back();
        }
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn execute_pipelined(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        self.send(sql, params)
    }

    fn flush(&self) -> Result<(), Failure> {
        self.finish_pipeline()
    }

    fn can_prefetch(&self) -> bool {
        true
    }

    fn prefetch(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        self.ask(sql, params)
    }

    fn is_prefetched(&self, sql: &str, params: Params<'_>) -> bool {
        self.has_question(sql, params)
    }

    fn clear_prefetched(&self) {
        self.clear_questions();
    }

    fn query(
        &self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&dyn Columns) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        if let Some(rows) = self.answer(sql, params)? {
            let _ = rows.iter().try_for_each(|row| each(row));
            return Ok(());
        }
        let values = bound(params);
        if self.finds_nothing(&values) {
            return Ok(());
        }
        let params = borrowed(&values);
        let rows = self.run(async {
            let statement = self.prepared(sql).await?;
            match self.executor {
                Executor::Client(client) => client.query(&statement, &params).await,
                Executor::Transaction(transaction) => transaction.query(&statement, &params).await,
            }
        })?;
        let _ = rows.iter().try_for_each(|row| each(row));
        Ok(())
    }

    fn stream(
        &self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&dyn Columns) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let Executor::Transaction(transaction) = self.executor else {
            return self.query(sql, params, each);
        };
        let values = bound(params);
        if self.finds_nothing(&values) {
            return Ok(());
        }
        let params = borrowed(&values);
        let portal = self.run(async {
            let statement = self.prepared(sql).await?;
            transaction.bind(&statement, &params).await
        })?;
        let mut count = FIRST_FETCH_ROWS;
        loop {
            let rows = self.run(transaction.query_portal(&portal, i32::try_from(count).unwrap_or(1)))?;
            if rows.is_empty() || rows.iter().try_for_each(|row| each(row)).is_break() {
                return Ok(());
            }
            // The next rows are assumed to be about as long.
            let bytes = rows.iter().map(Row::raw_size_bytes).sum::<usize>() / rows.len();
            count = (TARGET_FETCH_BYTES / bytes.max(1)).clamp(1, MAX_FETCH_ROWS);
        }
    }

    fn last_number(&self, table: &str, column: &str) -> Result<i64, Failure> {
        sequences::last(&Connection::new(self), table, column)
    }

    fn set_numbers(&self, table: &str, last: i64) -> Result<(), Failure> {
        sequences::set(&Connection::new(self), table, last)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn disable_idle_timeout(&self) -> Result<(), Failure> {
        self.execute("SET LOCAL idle_in_transaction_session_timeout = 0", &[])?;
        Ok(())
    }

    fn is_active(&self) -> Result<(), DatabaseError> {
        self.check_active()
    }

    fn ensure_partition(&self, of: &Partitioned, created_on: i64) -> Result<(), Failure> {
        let day = partitions::of(created_on);
        let partition = (of.table, day);
        if self.responses.server.cached_partitions().contains(&partition) || self.made.borrow().contains(&partition) {
            return Ok(());
        }
        if !self
            .query_unprepared(&partitions::exists(of.table, day))?
            .contains(&true)
        {
            self.execute_unprepared(&partitions::make(of.table, day))?;
        }
        self.made.borrow_mut().push(partition);
        Ok(())
    }

    fn drop_partitions(&self, of: &Partitioned, before: i64) -> Result<(usize, i64), Failure> {
        partitions::drop_old(self, of, before)
    }
}

fn bound<'a>(params: Params<'a>) -> Vec<Value<'a>> {
    params.iter().map(|value| value.bind()).collect()
}

fn borrowed<'a>(values: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

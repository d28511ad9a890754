//! Connection to an engine, on which statements run.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use crate::error::DatabaseError;
use crate::partitioned::Partitioned;
use crate::value::{Columns, Params, Row};

/// Driver of an engine. Parameters are `?1`, `?2` and so on.
pub trait Driver {
    /// Runs a statement that returns no rows. Returns the number of rows that it changed.
    fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, Failure>;

    /// Runs a statement like [`Self::execute`], in order, without waiting for its response. The next statement with a
    /// response, or [`Self::flush`], returns its failure.
    fn execute_pipelined(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        self.execute(sql, params).map(drop)
    }

    /// Waits for all pipelined statements. Fails if one of them failed.
    fn flush(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns whether prefetching saves time.
    fn can_prefetch(&self) -> bool {
        false
    }

    /// Sends a query. The next run of the same query returns the rows that it finds now. Writes clear them.
    fn prefetch(&self, _sql: &str, _params: Params<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns whether a query is prefetched, and was not run since.
    fn is_prefetched(&self, _sql: &str, _params: Params<'_>) -> bool {
        false
    }

    /// Clears prefetched rows.
    fn clear_prefetched(&self) {}

    /// Calls `each` with the rows that a statement returns, until it breaks.
    fn query(
        &self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&dyn Columns) -> ControlFlow<()>,
    ) -> Result<(), Failure>;

    /// Streams rows like [`Self::query`], with few of them in memory.
    fn stream(
        &self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&dyn Columns) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        self.query(sql, params, each)
    }

    /// Returns whether other processes may use the database, on a server.
    fn is_shared(&self) -> bool {
        false
    }

    /// Ensures that there is a partition for a row of a time.
    fn ensure_partition(&self, _of: &Partitioned, _created_on: i64) -> Result<(), Failure> {
        Ok(())
    }

    /// Drops partitions of days that ended before a time, if no row is needed. Returns the number of dropped rows, and
    /// the number of the last one.
    fn drop_partitions(&self, _of: &Partitioned, _before: i64) -> Result<(usize, i64), Failure> {
        Ok((0, 0))
    }

    /// The highest number that the engine ever gave to a row of a table, or 0. `column` has the numbers.
    fn last_number(&self, table: &str, column: &str) -> Result<i64, Failure>;

    /// Continues the numbers of rows after those that were inserted with numbers, and those of `table` after `last`.
    fn set_numbers(&self, table: &str, last: i64) -> Result<(), Failure>;

    /// Keeps the transaction open while it is idle for long.
    fn disable_idle_timeout(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Fails if the transaction was rolled back: an engine may do so by itself, such as when the disk is full.
    fn is_active(&self) -> Result<(), DatabaseError>;
}

/// Failure of a statement.
pub enum Failure {
    /// A row refers to a missing one.
    Reference(DatabaseError),
    /// Any other failure.
    Other(DatabaseError),
}

impl From<Failure> for DatabaseError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Reference(error) | Failure::Other(error) => error,
        }
    }
}

/// A borrowed connection, with or without a transaction. Errors are those of the work that uses it.
pub struct Connection<'a, E = DatabaseError> {
    driver: &'a dyn Driver,
    /// True within a transaction that writes.
    writing: bool,
    changes: Cell<usize>,
    error: PhantomData<fn() -> E>,
}

impl<'a, E: From<DatabaseError>> Connection<'a, E> {
    /// A connection that reads.
    pub fn new(driver: &'a dyn Driver) -> Self {
        Self {
            driver,
            writing: false,
            changes: Cell::new(0),
            error: PhantomData,
        }
    }

    /// A connection within a transaction that writes. It runs nothing after the engine has rolled back: later
    /// writes would be committed immediately, and alone.
    pub fn writing(driver: &'a dyn Driver) -> Self {
        Self {
            writing: true,
            ..Self::new(driver)
        }
    }

    /// Fails if its transaction is no longer active.
    pub fn is_active(&self) -> Result<(), E> {
        Ok(self.active()?)
    }

    fn active(&self) -> Result<(), DatabaseError> {
        match self.writing {
            true => self.driver.is_active(),
            false => Ok(()),
        }
    }

    /// Runs a statement that returns no rows. Returns the number of rows that it changed.
    pub fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, Failure> {
        self.active().map_err(Failure::Other)?;
        // The statement may change prefetched rows.
        self.driver.clear_prefetched();
        let changed = self.driver.execute(sql, params)?;
        self.changes.set(self.changes.get() + changed);
        Ok(changed)
    }

    /// Runs a statement that returns no rows, in order, without waiting for its response. The next statement with a
    /// response, or [`Self::flush`], returns its failure. It must not change [prefetched](Self::prefetch) rows.
    pub fn execute_pipelined(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        self.active().map_err(Failure::Other)?;
        self.driver.execute_pipelined(sql, params)
    }

    /// Waits for all pipelined statements. Fails if one of them failed.
    pub fn flush(&self) -> Result<(), E> {
        self.driver.flush().map_err(of_failure)
    }

    /// Returns whether prefetching saves time.
    pub fn can_prefetch(&self) -> bool {
        self.driver.can_prefetch()
    }

    /// Prefetches a query: its next run returns the rows that it finds now. [Executing](Self::execute) a statement clears
    /// them.
    pub fn prefetch(&self, sql: &str, params: Params<'_>) -> Result<(), E> {
        self.is_active()?;
        self.driver.prefetch(sql, params).map_err(of_failure)
    }

    /// Returns whether a query is prefetched, and was not run since.
    pub fn is_prefetched(&self, sql: &str, params: Params<'_>) -> bool {
        self.driver.is_prefetched(sql, params)
    }

    /// Clears prefetched rows.
    pub fn clear_prefetched(&self) {
        self.driver.clear_prefetched();
    }

    /// Inserts or updates a row without waiting for the response: `insert` does nothing on a conflict, and `update` if the
    /// row has the same values. Returns false if it changed nothing.
    pub fn insert_or_update_pipelined(&self, insert: &str, update: &str, row: Params<'_>) -> Result<bool, Failure> {
        if !self.can_prefetch() {
            return Ok(self.insert_or_update(insert, update, row)? > 0);
        }
        self.execute_pipelined(insert, row)?;
        self.execute_pipelined(update, row)?;
        Ok(true)
    }

    /// Inserts a row, or updates the existing one, and returns the number of changed rows: `insert` does nothing on a
    /// conflict.
    ///
    /// As one statement, the embedded engine would keep a copy of each page that it changes, since it might fail halfway.
    pub fn insert_or_update(&self, insert: &str, update: &str, row: Params<'_>) -> Result<usize, Failure> {
        match self.execute(insert, row)? {
            0 => self.execute(update, row),
            inserted => Ok(inserted),
        }
    }

    /// Returns the number of rows changed so far.
    pub fn changes(&self) -> usize {
        self.changes.get()
    }

    /// The only row of a statement.
    pub fn one<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        value: impl FnMut(&Row<'_, E>) -> Result<T, E>,
    ) -> Result<T, E> {
        let found = self.first(sql, params, value)?;
        found.ok_or_else(|| DatabaseError::Engine("a statement returned no row".into()).into())
    }

    /// The first row of a statement, if there is one.
    pub fn first<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut value: impl FnMut(&Row<'_, E>) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        self.is_active()?;
        let mut found = Ok(None);
        let queried = self.driver.query(sql, params, &mut |columns| {
            found = value(&Row::new(columns)).map(Some);
            ControlFlow::Break(())
        });
        queried.map_err(of_failure)?;
        found
    }

    /// All rows of a statement.
    pub fn all<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut value: impl FnMut(&Row<'_, E>) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        self.is_active()?;
        let (mut found, mut failed) = (Vec::new(), None);
        let queried = self
            .driver
            .query(sql, params, &mut |columns| match value(&Row::new(columns)) {
                Ok(value) => {
                    found.push(value);
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            });
        queried.map_err(of_failure)?;
        failed.map_or(Ok(found), Err)
    }

    /// Calls `each` with the rows of a statement, one at a time, until it breaks or fails: they may not fit into memory.
    pub fn each<F: From<E>>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut each: impl FnMut(&Row<'_, E>) -> Result<ControlFlow<()>, F>,
    ) -> Result<(), F> {
        self.is_active()?;
        let mut failed = None;
        let answered = self.driver.stream(sql, params, &mut |columns| {
            each(&Row::new(columns)).unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        });
        match failed {
            Some(error) => Err(error),
            None => answered.map_err(|failure| of_failure::<E>(failure).into()),
        }
    }

    /// Returns whether other processes may use the database, on a server.
    pub fn is_shared(&self) -> bool {
        self.driver.is_shared()
    }

    /// Ensures that there is a partition for a row of a time.
    pub fn ensure_partition(&self, of: &Partitioned, created_on: i64) -> Result<(), E> {
        self.driver.ensure_partition(of, created_on).map_err(of_failure)
    }

    /// Drops partitions of days that ended before a time, if no row is needed. Returns the number of dropped rows, and
    /// the number of the last one.
    pub fn drop_partitions(&self, of: &Partitioned, before: i64) -> Result<(usize, i64), E> {
        self.driver.drop_partitions(of, before).map_err(of_failure)
    }

    /// The highest number that the engine ever gave to a row of a table, or 0. `column` has the numbers.
    pub fn last_number(&self, table: &str, column: &str) -> Result<i64, E> {
        self.driver.last_number(table, column).map_err(of_failure)
    }

    /// Continues the numbers of rows after those that were inserted with numbers, and those of `table` after `last`.
    pub fn set_numbers(&self, table: &str, last: i64) -> Result<(), E> {
        self.driver.set_numbers(table, last).map_err(of_failure)
    }

    /// Keeps the transaction open while it is idle for long.
    pub fn disable_idle_timeout(&self) -> Result<(), E> {
        self.driver.disable_idle_timeout().map_err(of_failure)
    }
}

/// Converts a failure whose kind does not matter.
fn of_failure<E: From<DatabaseError>>(failure: Failure) -> E {
    DatabaseError::from(failure).into()
}

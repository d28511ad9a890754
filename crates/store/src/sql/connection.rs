//! Connection to an engine, on which statements run.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::value::{Columns, Params, Row};
use crate::{Lease, StoreError};

/// Driver of an engine. Parameters are `?1`, `?2` and so on.
pub(crate) trait Driver {
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

    /// Ensures that there is a partition for an event of a time.
    fn ensure_partition(&self, _created_on: i64) -> Result<(), Failure> {
        Ok(())
    }

    /// Drops parts of the event log as a whole, if their events are older than a time, and were
    /// delivered to all destinations. Returns the number of dropped events, and the number of the last one.
    fn drop_days(&self, _before: i64) -> Result<(usize, i64), Failure> {
        Ok((0, 0))
    }

    /// Returns whether a lease is still valid. In a store of one process, it is.
    fn holds(&self, _lease: &Lease) -> Result<bool, Failure> {
        Ok(true)
    }

    /// The highest event number ever used, or 0.
    fn last_event_number(&self) -> Result<i64, Failure>;

    /// Sets the sequences of rows after those that were inserted with numbers, and of events after `last`.
    fn set_sequence(&self, last: i64) -> Result<(), Failure>;

    /// Keeps the transaction open while it is idle for long.
    fn disable_idle_timeout(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Fails if the transaction was rolled back: an engine may do so by itself, such as when the disk is full.
    fn is_active(&self) -> Result<(), StoreError>;
}

/// Failure of a statement.
pub(crate) enum Failure {
    /// A row refers to a missing one.
    Reference(StoreError),
    /// Any other failure.
    Other(StoreError),
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Reference(error) | Failure::Other(error) => error,
        }
    }
}

/// Names the missing target of a reference.
pub(super) fn missing(what: &'static str) -> impl Fn(Failure) -> StoreError {
    move |failure| match failure {
        Failure::Reference(_) => StoreError::Missing { what },
        Failure::Other(error) => error,
    }
}

/// A borrowed connection, with or without a transaction.
pub(crate) struct Connection<'a> {
    driver: &'a dyn Driver,
    /// True within a transaction that writes.
    writing: bool,
    changes: Cell<usize>,
}

impl<'a> Connection<'a> {
    pub(crate) fn new(driver: &'a dyn Driver) -> Self {
        Self {
            driver,
            writing: false,
            changes: Cell::new(0),
        }
    }

    /// A connection within a transaction that writes. It runs nothing after the engine has rolled back: later
    /// writes would be committed immediately, and alone.
    pub(crate) fn writing(driver: &'a dyn Driver) -> Self {
        Self {
            writing: true,
            ..Self::new(driver)
        }
    }

    /// Fails if its transaction is no longer active.
    pub(super) fn is_active(&self) -> Result<(), StoreError> {
        match self.writing {
            true => self.driver.is_active(),
            false => Ok(()),
        }
    }

    /// Runs a statement that returns no rows. Returns the number of rows that it changed.
    pub(crate) fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, Failure> {
        self.is_active().map_err(Failure::Other)?;
        // The statement may change prefetched rows.
        self.driver.clear_prefetched();
        let changed = self.driver.execute(sql, params)?;
        self.changes.set(self.changes.get() + changed);
        Ok(changed)
    }

    /// Runs a statement that returns no rows, in order, without waiting for its response. The next statement with a
    /// response, or [`Self::flush`], returns its failure. It must not change [prefetched](Self::prefetch) rows.
    pub(super) fn execute_pipelined(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        self.is_active().map_err(Failure::Other)?;
        self.driver.execute_pipelined(sql, params)
    }

    /// Waits for all pipelined statements. Fails if one of them failed.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        Ok(self.driver.flush()?)
    }

    /// Returns whether prefetching saves time.
    pub(super) fn can_prefetch(&self) -> bool {
        self.driver.can_prefetch()
    }

    /// Prefetches a query: its next run returns the rows that it finds now. [Executing](Self::execute) a statement clears
    /// them.
    pub(super) fn prefetch(&self, sql: &str, params: Params<'_>) -> Result<(), StoreError> {
        self.is_active()?;
        Ok(self.driver.prefetch(sql, params)?)
    }

    /// Returns whether a query is prefetched, and was not run since.
    pub(super) fn is_prefetched(&self, sql: &str, params: Params<'_>) -> bool {
        self.driver.is_prefetched(sql, params)
    }

    /// Clears prefetched rows.
    pub(super) fn clear_prefetched(&self) {
        self.driver.clear_prefetched();
    }

    /// Inserts or updates a row without waiting for the response: `insert` does nothing on a conflict, and `update` if the
    /// row has the same values. Returns false if it changed nothing.
    pub(super) fn insert_or_update_pipelined(
        &self,
        insert: &str,
        update: &str,
        row: Params<'_>,
    ) -> Result<bool, Failure> {
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
    pub(super) fn insert_or_update(&self, insert: &str, update: &str, row: Params<'_>) -> Result<usize, Failure> {
        match self.execute(insert, row)? {
            0 => self.execute(update, row),
            inserted => Ok(inserted),
        }
    }

    /// Returns the number of rows changed so far.
    pub(super) fn changes(&self) -> usize {
        self.changes.get()
    }

    /// The only row of a statement.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        value: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let found = self.first(sql, params, value)?;
        found.ok_or_else(|| StoreError::Engine("a statement returned no row".into()))
    }

    /// The first row of a statement, if there is one.
    pub(crate) fn first<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut value: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.is_active()?;
        let mut found = Ok(None);
        self.driver.query(sql, params, &mut |columns| {
            found = value(&Row(columns)).map(Some);
            ControlFlow::Break(())
        })?;
        found
    }

    /// All rows of a statement.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut value: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.is_active()?;
        let (mut found, mut failed) = (Vec::new(), None);
        self.driver
            .query(sql, params, &mut |columns| match value(&Row(columns)) {
                Ok(value) => {
                    found.push(value);
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            })?;
        failed.map_or(Ok(found), Err)
    }

    /// Calls `each` with the rows of a statement, one at a time, until it breaks or fails: they may not
    /// fit into memory.
    pub(crate) fn each<E: From<StoreError>>(
        &self,
        sql: &str,
        params: Params<'_>,
        mut each: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        self.is_active()?;
        let mut failed = None;
        let answered = self.driver.stream(sql, params, &mut |columns| {
            each(&Row(columns)).unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        });
        match failed {
            Some(error) => Err(error),
            None => answered.map_err(|failure| StoreError::from(failure).into()),
        }
    }

    /// Ensures that there is a partition for an event of a time.
    pub(super) fn ensure_partition(&self, created_on: i64) -> Result<(), StoreError> {
        Ok(self.driver.ensure_partition(created_on)?)
    }

    /// Returns whether a lease is still valid, until the transaction ends.
    pub(super) fn holds(&self, lease: &Lease) -> Result<bool, StoreError> {
        Ok(self.driver.holds(lease)?)
    }

    /// Drops parts of the event log as a whole.
    pub(super) fn drop_days(&self, before: i64) -> Result<(usize, i64), StoreError> {
        Ok(self.driver.drop_days(before)?)
    }

    /// The highest event number ever used, or 0.
    pub(super) fn last_event_number(&self) -> Result<i64, StoreError> {
        Ok(self.driver.last_event_number()?)
    }

    /// Sets the sequences of rows after those that were inserted with numbers, and of events after `last`.
    pub(super) fn set_sequence(&self, last: i64) -> Result<(), StoreError> {
        Ok(self.driver.set_sequence(last)?)
    }

    /// Keeps the transaction open while it is idle for long.
    pub(super) fn disable_idle_timeout(&self) -> Result<(), StoreError> {
        Ok(self.driver.disable_idle_timeout()?)
    }
}

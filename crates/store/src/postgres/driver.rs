//! Runs statements.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use deadpool_postgres::{Object, Transaction};
use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSqlOwned, ToSql};

use super::responses::Responses;
use super::{days, numbers};
use crate::sql::connection::{Connection, Driver, Failure};
use crate::sql::value::{Columns, Params, Value, params};
use crate::{Lease, StoreError};

/// How many rows are fetched together where there may be many.
const TOGETHER: i32 = 256;

/// How a part of a transaction is taken back.
const TAKE_BACK: &str = "ROLLBACK TO ";

/// A connection that is lent, perhaps within a transaction.
pub(super) struct Session<'a> {
    responses: &'a Responses<'a>,
    lent: Lent<'a>,
    /// Whether it is for reading alone.
    reads: bool,
    /// Whether a statement failed, so that the server takes no more of them until that is taken back.
    failed: Cell<bool>,
    /// Whether the server is gone, and the transaction with it.
    lost: Cell<bool>,
    /// The days that this transaction made a partition for.
    made: RefCell<Vec<i64>>,
}

enum Lent<'a> {
    Alone(&'a Object),
    Within(&'a Transaction<'a>),
}

impl<'a> Session<'a> {
    /// For a statement that reads.
    pub(super) fn alone(responses: &'a Responses<'a>, client: &'a Object) -> Self {
        Self::new(responses, Lent::Alone(client), true)
    }

    /// For statements that read as of one moment.
    pub(super) fn reading(responses: &'a Responses<'a>, transaction: &'a Transaction<'a>) -> Self {
        Self::new(responses, Lent::Within(transaction), true)
    }

    /// For statements that write.
    pub(super) fn writing(responses: &'a Responses<'a>, transaction: &'a Transaction<'a>) -> Self {
        Self::new(responses, Lent::Within(transaction), false)
    }

    fn new(responses: &'a Responses<'a>, lent: Lent<'a>, reads: bool) -> Self {
        Self {
            responses,
            lent,
            reads,
            failed: Cell::new(false),
            lost: Cell::new(false),
            made: RefCell::default(),
        }
    }

    /// Fails where a failure was passed over: the server would take back everything, and call it done. Returns the
    /// days that there is a partition for now.
    pub(super) fn finish(self) -> Result<Vec<i64>, StoreError> {
        self.is_active()?;
        if self.failed.get() {
            let what = "an earlier failure took back all of this write";
            return Err(StoreError::Engine(what.into()));
        }
        Ok(self.made.into_inner())
    }

    /// Runs something, and remembers whether it failed.
    fn run<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Failure> {
        let failure = match self.responses.wait(work) {
            Ok(Ok(response)) => return Ok(response),
            Ok(Err(error)) => {
                if error.code() == Some(&SqlState::CHECK_VIOLATION) {
                    // Another process dropped a day that is known here. Of all else, nothing is left to the server to
                    // check.
                    self.responses.database.known_days().clear();
                }
                Failure::from(error)
            }
            Err(overdue) => Failure::Other(overdue),
        };
        self.failed.set(true);
        if matches!(failure, Failure::Other(StoreError::Unreachable(_))) {
            self.lost.set(true);
        }
        Err(failure)
    }

    /// Runs what is not worth remembering, since it names what changes by the day.
    pub(super) fn once(&self, sql: &str) -> Result<(), Failure> {
        self.run(async {
            match self.lent {
                Lent::Alone(client) => client.batch_execute(sql).await,
                Lent::Within(transaction) => transaction.batch_execute(sql).await,
            }
        })?;
        if sql.starts_with(TAKE_BACK) {
            self.taken_back();
        }
        Ok(())
    }

    /// Asks what is not worth remembering. The first column of each row.
    pub(super) fn ask_once<T: FromSqlOwned>(&self, sql: &str) -> Result<Vec<T>, Failure> {
        self.run(async {
            let rows = match self.lent {
                Lent::Alone(client) => client.query(sql, &[]).await,
                Lent::Within(transaction) => transaction.query(sql, &[]).await,
            };
            rows?.iter().map(|row| row.try_get(0)).collect()
        })
    }

    /// The server takes statements again, and has none of the days that were made meanwhile.
    fn taken_back(&self) {
        self.failed.set(false);
        self.made.borrow_mut().clear();
    }

    /// Whether a read looks for a text that the server keeps nowhere, and refuses to look for.
    fn finds_nothing(&self, values: &[Value<'_>]) -> bool {
        self.reads
            && values
                .iter()
                .any(|value| matches!(value, Value::Text(text) if text.contains('\0')))
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        let sql = numbered(sql);
        match self.lent {
            Lent::Alone(client) => client.prepare_cached(&sql).await,
            Lent::Within(transaction) => transaction.prepare_cached(&sql).await,
        }
    }
}

impl Driver for Session<'_> {
    fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, Failure> {
        let values = bound(params);
        let params = borrowed(&values);
        let changed = self.run(async {
            let statement = self.prepared(sql).await?;
            match self.lent {
                Lent::Alone(client) => client.execute(&statement, &params).await,
                Lent::Within(transaction) => transaction.execute(&statement, &params).await,
            }
        })?;
        if sql.starts_with(TAKE_BACK) {
            self.taken_back();
        }
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    fn query(
        &self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&dyn Columns) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let values = bound(params);
        if self.finds_nothing(&values) {
            return Ok(());
        }
        let params = borrowed(&values);
        let rows = self.run(async {
            let statement = self.prepared(sql).await?;
            match self.lent {
                Lent::Alone(client) => client.query(&statement, &params).await,
                Lent::Within(transaction) => transaction.query(&statement, &params).await,
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
        let Lent::Within(transaction) = self.lent else {
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
        loop {
            let rows = self.run(transaction.query_portal(&portal, TOGETHER))?;
            if rows.is_empty() || rows.iter().try_for_each(|row| each(row)).is_break() {
                return Ok(());
            }
        }
    }

    fn last_event_number(&self) -> Result<i64, Failure> {
        numbers::last(&Connection::new(self))
    }

    fn set_sequence(&self, last: i64) -> Result<(), Failure> {
        numbers::go_on(&Connection::new(self), last)
    }

    fn hold(&self) -> Result<(), Failure> {
        self.execute("SET LOCAL idle_in_transaction_session_timeout = 0", &[])?;
        Ok(())
    }

    fn is_active(&self) -> Result<(), StoreError> {
        let closed = match self.lent {
            Lent::Alone(client) => client.is_closed(),
            Lent::Within(transaction) => transaction.client().is_closed(),
        };
        if closed || self.lost.get() {
            let what = "the connection was lost, and what was written with it";
            return Err(StoreError::Unreachable(what.into()));
        }
        Ok(())
    }

    fn ensure_partition(&self, created_on: i64) -> Result<(), Failure> {
        let day = days::of(created_on);
        if self.responses.database.known_days().contains(&day) || self.made.borrow().contains(&day) {
            return Ok(());
        }
        if !self.ask_once(&days::exists(day))?.contains(&true) {
            self.once(&days::make(day))?;
        }
        self.made.borrow_mut().push(day);
        Ok(())
    }

    fn holds(&self, lease: &Lease) -> Result<bool, Failure> {
        // Kept as it is until this transaction ends: nobody takes over meanwhile.
        let sql = "SELECT 1 FROM leases WHERE destination = ?1 AND holder = ?2 AND term = ?3 FOR UPDATE";
        let mut found = false;
        self.query(
            sql,
            params![lease.destination.0, lease.holder.as_bytes(), lease.term],
            &mut |_| {
                found = true;
                ControlFlow::Break(())
            },
        )?;
        Ok(found)
    }

    fn drop_days(&self, before: i64) -> Result<usize, Failure> {
        days::drop_old(self, self.responses.database, before)
    }
}

fn bound<'a>(params: Params<'a>) -> Vec<Value<'a>> {
    params.iter().map(|value| value.bind()).collect()
}

fn borrowed<'a>(values: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// A statement with its parameters as the server names them. No text within a statement of ours has a question mark.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

//! What is sent without waiting for the response: statements whose changes nobody counts, and questions that are asked before
//! somebody needs the answer.
//!
//! The server works on all of it in the order in which it was sent, as if each had been waited for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;

use futures_util::FutureExt;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::session::{Lent, Session, has_nul};
use crate::sql::connection::Failure;
use crate::sql::value::{Bind, OwnedValue, Params};

/// How many statements may be without a response. Each takes memory here until it has one.
const MOST: usize = 512;

/// A response that comes without anybody waiting for it.
type Coming<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// A statement with its parameters.
type Question = (Box<str>, Vec<OwnedValue>);

/// What was sent and not waited for.
#[derive(Default)]
pub(super) struct Ahead<'a> {
    executed: RefCell<Vec<Coming<'a, u64>>>,
    asked: RefCell<HashMap<Question, Coming<'a, Vec<Row>>>>,
}

impl Ahead<'_> {
    /// Forgets what was sent: it was rolled back, and what is known of it with it.
    pub(super) fn forget(&self) {
        self.executed.take();
        self.asked.take();
    }
}

impl<'a> Session<'a> {
    /// Sends a statement.
    pub(super) fn send(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        let Lent::Within(transaction) = self.lent else {
            return self.execute_now(sql, params).map(drop);
        };
        if self.ahead.executed.borrow().len() >= MOST {
            self.settled()?;
        }
        let statement = self.run(self.prepared(sql))?;
        let values = owned(params);
        let coming = sent(async move { transaction.execute(&statement, &borrowed(&values)).await });
        self.ahead.executed.borrow_mut().push(coming);
        Ok(())
    }

    /// Waits for what was [sent](Self::send), and fails where one of it failed.
    pub(super) fn settled(&self) -> Result<(), Failure> {
        let executed = self.ahead.executed.take();
        executed.into_iter().try_for_each(|coming| self.run(coming).map(drop))
    }

    /// Sends a question.
    pub(super) fn ask(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        let Lent::Within(transaction) = self.lent else {
            return Ok(());
        };
        let question = question(sql, params);
        // The server would refuse it, and all that follows.
        if question.1.iter().any(|value| has_nul(&value.bind())) {
            return Ok(());
        }
        if self.ahead.asked.borrow().contains_key(&question) {
            return Ok(());
        }
        let statement = self.run(self.prepared(sql))?;
        let values = question.1.clone();
        let coming = sent(async move { transaction.query(&statement, &borrowed(&values)).await });
        self.ahead.asked.borrow_mut().insert(question, coming);
        Ok(())
    }

    /// The answer to a question that was asked. It is good for once.
    pub(super) fn answer(&self, sql: &str, params: Params<'_>) -> Option<Coming<'a, Vec<Row>>> {
        let mut asked = self.ahead.asked.borrow_mut();
        if asked.is_empty() {
            return None;
        }
        asked.remove(&question(sql, params))
    }

    /// Whether a question was asked whose answer was not taken yet.
    pub(super) fn is_asked(&self, sql: &str, params: Params<'_>) -> bool {
        let asked = self.ahead.asked.borrow();
        !asked.is_empty() && asked.contains_key(&question(sql, params))
    }

    /// Forgets all questions.
    pub(super) fn forget_questions(&self) {
        self.ahead.asked.take();
    }

    /// Why the server takes no more statements, where one failed that nobody had waited for yet.
    pub(super) fn earlier_failure(&self) -> Option<Error> {
        let executed = self.ahead.executed.take().into_iter();
        let executed = executed.map(|coming| self.responses.wait(coming).map(|response| response.map(drop)));
        let asked = self.ahead.asked.take().into_values();
        let asked = asked.map(|coming| self.responses.wait(coming).map(|response| response.map(drop)));
        let failures = executed.chain(asked).filter_map(|response| response.ok()?.err());
        failures.into_iter().find(|error| !follows(error))
    }
}

/// Whether an error says no more than that an earlier statement of the transaction failed.
pub(super) fn follows(error: &Error) -> bool {
    error.code() == Some(&SqlState::IN_FAILED_SQL_TRANSACTION)
}

/// Has the driver send something now. What it returns at once is kept like what comes later.
fn sent<'a, T: 'a>(response: impl Future<Output = Result<T, Error>> + 'a) -> Coming<'a, T> {
    let mut coming: Coming<'a, T> = Box::pin(response);
    match coming.as_mut().now_or_never() {
        Some(response) => Box::pin(std::future::ready(response)),
        None => coming,
    }
}

fn question(sql: &str, params: Params<'_>) -> Question {
    (sql.into(), owned(params))
}

fn owned(params: Params<'_>) -> Vec<OwnedValue> {
    params.iter().map(|value| value.bind().to_owned_value()).collect()
}

fn borrowed(values: &[OwnedValue]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

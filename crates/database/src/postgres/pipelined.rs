//! Pipelined statements: writes whose number of changed rows is not needed, and prefetched queries.
//!
//! The server processes requests in order, and responds in order. The driver returns no later response before an
//! earlier one was taken, so responses are always taken in order.

use futures_util::{FutureExt, TryStreamExt};
use tokio_postgres::{Error, Row};

use super::pipeline::{MAX_OUTSTANDING, Outstanding, Question, Response};
use super::session::{Executor, Session, has_nul};
use crate::connection::{Driver, Failure};
use crate::value::{Bind, OwnedValue, Params};

impl<'a> Session<'a> {
    /// Sends a statement without waiting for its response.
    pub(super) fn send(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        let Executor::Transaction(transaction) = self.executor else {
            return self.execute(sql, params).map(drop);
        };
        let statement = self.statement(sql)?;
        let values = owned(params);
        let response = sent(async move { transaction.execute_raw(&statement, values).await });
        self.push(Outstanding::Executed(response))
    }

    /// Prefetches a query, unless too many are outstanding, or the server would refuse it and all later ones.
    pub(super) fn ask(&self, sql: &str, params: Params<'_>) -> Result<(), Failure> {
        let Executor::Transaction(transaction) = self.executor else {
            return Ok(());
        };
        let question = question(sql, params);
        let is_refused = question.1.iter().any(|value| has_nul(&value.bind()));
        let has_room = {
            let answers = self.pipeline.answers.borrow();
            answers.len() < MAX_OUTSTANDING && !answers.contains_key(&question)
        };
        if is_refused || !has_room {
            return Ok(());
        }
        let statement = self.statement(sql)?;
        let values = question.1.clone();
        let response = sent(async move { transaction.query_raw(&statement, values).await?.try_collect().await });
        self.pipeline.answers.borrow_mut().insert(question.clone(), None);
        self.push(Outstanding::Asked(question, self.pipeline.forgotten.get(), response))
    }

    /// Returns the rows of a prefetched query, and removes them.
    pub(super) fn answer(&self, sql: &str, params: Params<'_>) -> Result<Option<Vec<Row>>, Failure> {
        if self.pipeline.answers.borrow().is_empty() {
            return Ok(None);
        }
        let question = question(sql, params);
        let is_outstanding = || matches!(self.pipeline.answers.borrow().get(&question), Some(None));
        while is_outstanding() {
            match self.take_response() {
                Some(Ok(())) => {}
                Some(Err(failure)) => {
                    // The failures of all later statements follow from this one.
                    drop(self.take_responses());
                    return Err(failure);
                }
                None => return Ok(None),
            }
        }
        Ok(self.pipeline.answers.borrow_mut().remove(&question).flatten())
    }

    /// Returns whether a query is prefetched.
    pub(super) fn has_question(&self, sql: &str, params: Params<'_>) -> bool {
        let answers = self.pipeline.answers.borrow();
        !answers.is_empty() && answers.contains_key(&question(sql, params))
    }

    /// Clears all prefetched queries. Their failures still count.
    pub(super) fn clear_questions(&self) {
        if !self.pipeline.answers.borrow().is_empty() {
            self.pipeline.answers.borrow_mut().clear();
            self.pipeline.forgotten.set(self.pipeline.forgotten.get() + 1);
        }
    }

    /// Returns whether any response is outstanding.
    pub(super) fn has_outstanding(&self) -> bool {
        !self.pipeline.outstanding.borrow().is_empty()
    }

    /// Takes all responses. The first failure is the cause of all later ones.
    pub(super) fn take_responses(&self) -> Result<(), Failure> {
        let mut first = Ok(());
        while let Some(response) = self.take_response() {
            first = first.and(response);
        }
        first
    }

    /// Takes the next response.
    fn take_response(&self) -> Option<Result<(), Failure>> {
        let next = self.pipeline.outstanding.borrow_mut().pop_front()?;
        let taken = match next {
            Outstanding::Executed(response) => self.response(response).map(drop),
            Outstanding::Asked(question, forgotten, response) => self.response(response).map(|rows| {
                if forgotten == self.pipeline.forgotten.get()
                    && let Some(answer) = self.pipeline.answers.borrow_mut().get_mut(&question)
                {
                    *answer = Some(rows);
                }
            }),
        };
        Some(taken.map_err(|failure| match failure {
            // The failure is of an earlier statement than the one that notices it.
            Failure::Reference(error) => Failure::Other(error),
            other => other,
        }))
    }

    fn push(&self, outstanding: Outstanding<'a>) -> Result<(), Failure> {
        let count = {
            let mut all = self.pipeline.outstanding.borrow_mut();
            all.push_back(outstanding);
            all.len()
        };
        match count < MAX_OUTSTANDING {
            true => Ok(()),
            false => self.take_responses(),
        }
    }
}

/// Polls a future once, so that the driver sends the request. An immediate result is kept like a later one.
fn sent<'a, T: 'a>(response: impl Future<Output = Result<T, Error>> + 'a) -> Response<'a, T> {
    let mut response: Response<'a, T> = Box::pin(response);
    match response.as_mut().now_or_never() {
        Some(response) => Box::pin(std::future::ready(response)),
        None => response,
    }
}

fn question(sql: &str, params: Params<'_>) -> Question {
    (sql.into(), owned(params))
}

fn owned(params: Params<'_>) -> Vec<OwnedValue> {
    params.iter().map(|value| value.bind().to_owned_value()).collect()
}

//! Requests of a connection that are sent without waiting for their responses.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::pin::Pin;

use tokio_postgres::{Error, Row};

use crate::sql::value::OwnedValue;

/// The most outstanding responses, and the most answers that are kept. Each takes memory here.
pub(super) const MAX_OUTSTANDING: usize = 1024;

/// A response that comes without anybody waiting for it.
pub(super) type Response<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// A query with its parameters.
pub(super) type Question = (Box<str>, Vec<OwnedValue>);

/// Requests whose responses are outstanding, and responses that nobody needed yet.
#[derive(Default)]
pub(super) struct Pipeline<'a> {
    pub(super) outstanding: RefCell<VecDeque<Outstanding<'a>>>,
    /// The answers to questions that were asked and not forgotten; none while one is outstanding.
    pub(super) answers: RefCell<HashMap<Question, Option<Vec<Row>>>>,
    /// Grows whenever answers are forgotten: what was asked before answers no later question.
    pub(super) forgotten: Cell<u64>,
}

pub(super) enum Outstanding<'a> {
    Executed(Response<'a, u64>),
    Asked(Question, u64, Response<'a, Vec<Row>>),
}

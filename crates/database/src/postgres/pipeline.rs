//! Pipelined requests of a connection, which are sent without waiting for their responses.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::pin::Pin;

use tokio_postgres::{Error, Row};

use crate::value::OwnedValue;

/// Maximum number of outstanding responses, and of stored answers. Each takes memory.
pub(super) const MAX_OUTSTANDING: usize = 1024;

/// A pipelined response.
pub(super) type Response<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// A query with its parameters.
pub(super) type Question = (Box<str>, Vec<OwnedValue>);

/// State of the pipeline: outstanding responses, and rows of prefetched queries.
#[derive(Default)]
pub(super) struct Pipeline<'a> {
    pub(super) outstanding: RefCell<VecDeque<Outstanding<'a>>>,
    /// Rows of prefetched queries. None while the response is outstanding.
    pub(super) answers: RefCell<HashMap<Question, Option<Vec<Row>>>>,
    /// Generation of the prefetched queries. It grows when they are cleared, so that an old response does not answer a
    /// later query.
    pub(super) forgotten: Cell<u64>,
}

pub(super) enum Outstanding<'a> {
    Executed(Response<'a, u64>),
    Asked(Question, u64, Response<'a, Vec<Row>>),
}

//! Pagination of third-party documents, which do not declare it: a position in the query of a request, the next one in
//! the response, and one list.
//!
//! An operation is paged only if all of these fit, by name and type. A service that repeats a page ends the stream with an
//! error (`kit-client/src/paging/progress.rs`).

mod find;
mod members;
mod names;
mod types;

use super::Document;

pub(crate) use types::{NextPosition, Paging, PositionType, Step};

impl Document {
    /// Finds the pagination of operations that declare none.
    pub(crate) fn find_paging(&mut self) {
        let found: Vec<_> = self
            .operations
            .iter()
            .map(|operation| find::of(operation, &self.schemas))
            .collect();
        for (operation, paging) in self.operations.iter_mut().zip(found) {
            operation.paging = paging;
        }
    }
}

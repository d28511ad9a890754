//! Errors of the emitter for the client.

use crate::Error;

pub(super) fn internal(error: impl ToString) -> Error {
    Error::internal("client", error)
}

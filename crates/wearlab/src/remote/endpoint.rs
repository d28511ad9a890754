//! Endpoint that takes lines, and errors of sending them.

use wearlab_client::Error;

use crate::intake::IntakeError;

/// Operation that takes lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Arrivals: `POST /v1/ingest`.
    Ingest {
        /// True if lines are rejected that would be accepted with a note.
        strict: bool,
    },
    /// Records: `POST /v1/import`.
    Import,
}

/// Reasons why not all lines were sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    /// The input cannot be read on, or acknowledgements are taken by nobody.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// The service takes no lines of this sender.
    #[error("the service rejected the lines")]
    Refused(#[source] Box<Error>),
    /// The service ended the stream, and would again.
    #[error("the service ended the stream: {0}")]
    Stopped(String),
    /// No connection had an acknowledgement for too long.
    #[error("gave up after {attempts} attempts without an acknowledgement: {last}")]
    GaveUp {
        /// How many there were.
        attempts: u32,
        /// How the last one ended.
        last: String,
    },
}

//! Endpoint that accepts lines, and errors of sending them.

use wearlab_client::Error;
use wearlab_intake::IntakeError;

/// Operation that accepts lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Arrivals: `POST /v1/ingest`.
    Ingest {
        /// True if lines that would be accepted with a note are rejected.
        strict: bool,
    },
    /// Records: `POST /v1/import`.
    Import,
}

/// Error of sending lines.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    /// The input cannot be read, or acknowledgements cannot be reported.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// The service rejects all lines of this sender.
    #[error("the service rejected the lines")]
    Refused(#[source] Box<Error>),
    /// The service ended the stream, and would end it again.
    #[error("the service ended the stream: {0}")]
    Stopped(String),
    /// Too many consecutive connections ended without an acknowledgement.
    #[error("gave up after {attempts} attempts without an acknowledgement: {last}")]
    GaveUp {
        /// Number of connections.
        attempts: u32,
        /// End of the last one.
        last: String,
    },
}

//! Errors of a server.

use wearlab_kit_cli::Failure;

/// Error of a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// An invalid option.
    #[error("{}", .0.line())]
    Option(#[from] Failure),
    /// A failure of the transport.
    #[error("{0}")]
    Transport(String),
}

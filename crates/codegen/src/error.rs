//! Errors of the generator.

use crate::Diagnostics;

/// Error of the generator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document has mistakes, or uses unsupported constructs.
    #[error(transparent)]
    Document(#[from] Diagnostics),
    /// A pass found something that an earlier pass should have rejected.
    #[error("generator bug in the pass `{pass}`: {message}")]
    Internal {
        /// The pass.
        pass: &'static str,
        /// Findings of the pass.
        message: String,
    },
}

impl Error {
    pub(crate) fn internal(pass: &'static str, message: impl ToString) -> Self {
        Self::Internal {
            pass,
            message: message.to_string(),
        }
    }
}

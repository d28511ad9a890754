//! What can go wrong in a run of the generator.

use crate::Diagnostics;

/// Why nothing was generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document has mistakes, or asks for what cannot be carried.
    #[error(transparent)]
    Document(#[from] Diagnostics),
    /// A pass met something that the passes before it should have refused.
    #[error("generator bug in the pass `{pass}`: {message}")]
    Internal {
        /// The pass.
        pass: &'static str,
        /// What it met.
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

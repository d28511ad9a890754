//! Errors of arrivals.

use crate::LineError;

/// Error of an arrival. The messages fit after "failed to", and quote no values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// A field is invalid, contradicts the user's settings, or has a value that conflicts with others.
    #[error("ingest the arrival: {reason}")]
    Refused {
        /// Field, below the kind of the line, such as `data[1].id`.
        field: String,
        /// Reason, and the remedy.
        reason: String,
    },
    /// An event for it cannot be encoded.
    #[error("encode a document of the kind {what}")]
    Document {
        /// Kind of document.
        what: &'static str,
    },
}

impl From<LineError> for IngestError {
    fn from(error: LineError) -> Self {
        Self::Refused {
            field: error.path,
            reason: error.reason,
        }
    }
}

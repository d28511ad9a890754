//! What can be wrong with an arrival.

use crate::LineError;

/// What can be wrong with an arrival. The messages fit after "failed to", and quote no values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// A field is wrong, contradicts the user's settings, or is of a value that cannot be kept beside others.
    #[error("ingest the arrival: {reason}")]
    Refused {
        /// The field, below the kind of the line, such as `data[1].id`.
        field: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// An event of it cannot be encoded.
    #[error("encode a document of the kind {what}")]
    Document {
        /// The kind of document.
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

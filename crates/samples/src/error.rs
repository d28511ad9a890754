//! Error of a damaged chunk.

use std::fmt;

/// Error of a damaged chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedChunk;

impl fmt::Display for DamagedChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("read a chunk of samples: it is damaged")
    }
}

impl std::error::Error for DamagedChunk {}

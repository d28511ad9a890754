//! Read and write access classes.

/// Access class of an operation, for which it waits for a permit.
#[derive(Clone, Copy)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

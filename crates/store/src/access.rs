//! Read and write access classes.

/// Access class of an operation, for which it waits for a permit.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Read,
    Write,
}

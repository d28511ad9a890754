//! By what operations wait for their turn.

/// What an operation does, by which it waits for its turn.
#[derive(Clone, Copy)]
pub(crate) enum Turn {
    Reading,
    Writing,
}

//! Depth of checks of the files of an open store.

/// Depth of a check of the files.
#[derive(Clone, Copy)]
pub(crate) enum FileCheck {
    /// The files themselves, as before and after each write, and once a millisecond for reads.
    Files,
    /// Also the index of the log, which costs too much for each operation: another process may have made the log longer,
    /// and somebody shorter, since the last one.
    FilesAndLog,
}

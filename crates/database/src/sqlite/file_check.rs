//! Depth of checks of the files that are open.

/// Depth of a check of the files.
#[derive(Clone, Copy)]
pub enum FileCheck {
    /// Identity and length of the files, as before and after each write, and once a millisecond for reads.
    Files,
    /// Also the index of the log, which is too expensive for each operation. It detects a log that another process
    /// extended and that was truncated since the last check.
    FilesAndLog,
}

//! Limit of nesting.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic};

/// The deepest nesting: several times deeper than in any hand-written document.
pub(super) const MAX_DEPTH: usize = 128;

/// Reports a value that is nested too deeply.
pub(super) fn too_deep(location: Range<usize>) -> Diagnostic {
    let message = format!("nesting is deeper than {MAX_DEPTH} levels");
    Diagnostic::new(
        Code::TooDeep,
        location,
        message,
        "move the inner values to `components`",
    )
}

//! Origin of a part: its file, and its pointer there.

use super::location::join;

/// The place of a part in its file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) file: usize,
    pub(crate) pointer: String,
}

impl Origin {
    pub(super) fn root(pointer: &str) -> Self {
        Self {
            file: 0,
            pointer: pointer.to_owned(),
        }
    }

    pub(super) fn below(&self, key: &str) -> Self {
        Self {
            file: self.file,
            pointer: join(&self.pointer, key),
        }
    }
}

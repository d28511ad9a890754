//! The version that follows from a list of changes.

use std::fmt;

use super::{Change, Impact};

/// The part of a version that must be incremented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// No change.
    None,
    /// Increments the third number.
    Patch,
    /// Increments the second number.
    Minor,
    /// Increments the first number.
    Major,
}

impl Bump {
    /// The bump that semantic versioning requires after a version with the given major number.
    ///
    /// In 0.x, a breaking change requires a minor version and every other change a patch.
    pub fn needed(changes: &[Change], major: u64) -> Self {
        match (changes.iter().map(Change::impact).max(), major) {
            (None, _) => Self::None,
            (Some(Impact::Breaking), 0) => Self::Minor,
            (Some(_), 0) | (Some(Impact::None), _) => Self::Patch,
            (Some(Impact::Additive), _) => Self::Minor,
            (Some(Impact::Breaking), _) => Self::Major,
        }
    }

    /// The lowest version with this bump.
    pub fn after(self, [major, minor, patch]: [u64; 3]) -> [u64; 3] {
        match self {
            Self::None => [major, minor, patch],
            Self::Patch => [major, minor, patch + 1],
            Self::Minor => [major, minor + 1, 0],
            Self::Major => [major + 1, 0, 0],
        }
    }
}

impl fmt::Display for Bump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

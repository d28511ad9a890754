//! Kinds of results.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of a result's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultType {
    /// Number.
    Numeric,
    /// Limit or range: `<0.5`, `0-2`.
    Range,
    /// Remark.
    Comment,
    /// Code or word: `Positive`.
    CodedValue,
}

impl ResultType {
    /// All types.
    pub const ALL: [Self; 4] = [Self::Numeric, Self::Range, Self::Comment, Self::CodedValue];

    /// Returns its name, such as `coded_value`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Range => "range",
            Self::Comment => "comment",
            Self::CodedValue => "coded_value",
        }
    }

    /// Returns the type with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

impl fmt::Display for ResultType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

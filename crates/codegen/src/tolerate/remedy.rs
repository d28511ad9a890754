//! Changes of a part with a mistake.

use serde_json::Value;

/// Remedy of a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Remedy {
    /// Removes an optional member.
    Ignore(String),
    /// Reads a schema as any value.
    Any(String),
    /// Removes an operation, a webhook or a path.
    LeaveOut(String),
    /// Removes a component, and the parts that are void without it.
    Component(String),
    /// Declares parameters of a path.
    Declare(String),
    /// Replaces a part by the nearest one that is supported, which the text describes.
    Set(String, Value, &'static str),
}

impl Remedy {
    /// The pointer of the part that it changes.
    pub(super) fn pointer(&self) -> &str {
        match self {
            Self::Ignore(at) | Self::Any(at) | Self::LeaveOut(at) | Self::Component(at) | Self::Declare(at) => at,
            Self::Set(at, ..) => at,
        }
    }
}

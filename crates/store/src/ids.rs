//! Ids that stand for the right to reach what belongs to them.

use std::fmt;

use uuid::Uuid;

/// A team that is known to exist.
///
/// It cannot be made of any id: it comes from a key, a link token, a signature of this service, the write side, or a look at what an operator may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamId(Uuid);

impl TeamId {
    pub(crate) const fn new(id: Uuid) -> Self {
        Self(id)
    }

    /// The id as the interface shows it.
    pub fn uuid(&self) -> Uuid {
        self.0
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for TeamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An organisation that is known to exist.
///
/// It cannot be made of any text: it comes from a management key, the write side, or a look at what an operator may reach.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrganisationId(Box<str>);

impl OrganisationId {
    pub(crate) fn new(id: impl Into<Box<str>>) -> Self {
        Self(id.into())
    }

    /// The id as the interface shows it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrganisationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

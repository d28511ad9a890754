//! Ids that grant access to the objects of a team or an organisation.

use std::fmt;

use uuid::Uuid;

/// The id of an existing team.
///
/// It cannot be created from any id: it comes from a key, a link token, a signature of this service, the write side, or
/// a lookup of the teams that an operator may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamId(Uuid);

impl TeamId {
    pub(crate) const fn new(id: Uuid) -> Self {
        Self(id)
    }

    /// Returns the id in the form of the API.
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

/// The id of an existing organisation.
///
/// It cannot be created from any text: it comes from a management key, the write side, or a lookup of the organisations
/// that an operator may access.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrganisationId(Box<str>);

impl OrganisationId {
    pub(crate) fn new(id: impl Into<Box<str>>) -> Self {
        Self(id.into())
    }

    /// Returns the id in the form of the API.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrganisationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

//! Carrier of a credential in a request.

use std::fmt;

/// Place of a credential in a request. Names of headers are in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Carrier {
    /// A header of its own, by its names; the first one is authoritative.
    Header(&'static [&'static str]),
    /// A parameter of the query.
    Query(&'static str),
    /// A cookie.
    Cookie(&'static str),
    /// `Authorization: Bearer`, followed by a token.
    Bearer,
    /// `Authorization: Basic`, followed by user and password (RFC 7617).
    Basic,
}

impl Carrier {
    /// The headers that carry it, the authoritative one first.
    pub const fn headers(self) -> &'static [&'static str] {
        match self {
            Self::Header(names) => names,
            Self::Query(_) => &[],
            Self::Cookie(_) => &["cookie"],
            Self::Bearer | Self::Basic => &["authorization"],
        }
    }
}

/// A credential of a document: generated code has an enum of them.
pub trait HasCarrier: Copy + fmt::Debug + Eq + Send + Sync + 'static {
    /// Place in a request.
    fn carrier(self) -> Carrier;

    /// The headers that carry it, in lower case, the authoritative one first.
    fn headers(self) -> &'static [&'static str] {
        self.carrier().headers()
    }
}

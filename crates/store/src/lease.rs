//! Who works for a destination, where several processes share a database.

use uuid::Uuid;

use crate::DestinationId;

/// That one process, and no other, works for a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What is worked for.
    pub destination: DestinationId,
    /// The process.
    pub holder: Uuid,
    /// Grows each time that another process takes over. What was written under an earlier term counts no more.
    pub term: i64,
}

/// What [`Store::share`](crate::Store::share) returns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// What the process works for, until the span is over.
    pub leases: Vec<Lease>,
    /// How many of these are more than its part: others are there to take them once they are
    /// [released](crate::Store::release).
    pub surplus: usize,
}

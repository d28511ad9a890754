//! Leases of destinations, for processes that share a database.

use uuid::Uuid;

use crate::DestinationId;

/// Exclusive right of one process to deliver to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The destination.
    pub destination: DestinationId,
    /// The process.
    pub holder: Uuid,
    /// Fencing token: grows each time that another process takes over. Writes under an earlier term are refused.
    pub term: i64,
}

/// Result of [`Store::share`](crate::Store::share).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// Leases of the process, until the lease time ends.
    pub leases: Vec<Lease>,
    /// Number of leases above the fair share of the process. Other processes take these once they are
    /// [released](crate::Store::release).
    pub surplus: usize,
}

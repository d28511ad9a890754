//! The event log.

pub(crate) mod log;
pub(crate) mod organisation_log;
pub(crate) mod revisions;

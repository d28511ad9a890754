//! Resources of a bundle, each in a file. Their members may be null or empty: the bundle is pruned as a whole.

pub(crate) mod diagnostic_report;
mod interpretation;
pub(crate) mod missing;
pub(crate) mod observation;
pub(crate) mod organization;
pub(crate) mod patient;
pub(crate) mod practitioner;
pub(crate) mod service_request;
pub(crate) mod specimen;

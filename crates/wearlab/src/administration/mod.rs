//! What both the command line and the service do to a store: each rule and each step in one place.

pub(crate) mod destinations;
pub(crate) mod keys;
pub(crate) mod link_tokens;
pub(crate) mod pipelines;
pub(crate) mod test_event;
pub(crate) mod trigger;
pub(crate) mod webhooks;

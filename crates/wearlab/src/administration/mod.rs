//! Operations on a store that the command line and the service share.

pub(crate) mod destinations;
pub(crate) mod keys;
pub(crate) mod link_tokens;
pub(crate) mod test_event;
pub(crate) mod trigger;
pub(crate) mod webhooks;

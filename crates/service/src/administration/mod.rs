//! Operations on a store that the command line and the service share.

pub mod destinations;
pub mod keys;
pub mod link_tokens;
pub mod test_event;
pub mod trigger;
pub mod webhooks;

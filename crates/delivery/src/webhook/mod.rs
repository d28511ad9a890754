//! Standard Webhooks: one request for each event, signed, to an address that somebody else chose.
//!
//! - Delivered is what is answered with a 2xx. 410 disables the endpoint. Anything else is tried again, by
//!   [`schedule`]; a redirect is a failure. An endpoint that gives no response, or three server errors (5xx) in a row,
//!   counts as down; one that rejects an event (4xx) does not. `Retry-After` is honoured up to a day, also for what is waiting in the same call.
//! - An attempt takes 15 seconds at most. Of an answer's body a few KiB are read, to use the connection again, and
//!   nothing is kept.
//! - Since the address is a stranger's, it must be https and public: see [`Settings`].
//! - Order is not promised: several requests are under way at once.

mod address;
mod destination;
mod endpoint;
mod public;
mod resolver;
mod response;
mod schedule;
mod sender;
mod settings;
mod signer;

pub use address::{AddressError, shown};
pub use destination::Webhook;
pub use endpoint::EndpointError;
pub use schedule::schedule;
pub use sender::{Sender, SenderError};
pub use settings::Settings;
pub use signer::Signer;

/// How the store names this kind of destination.
pub const KIND: &str = "webhook";

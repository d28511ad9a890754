//! Standard Webhooks: one signed request for each event, to a URL that an integrator chose.
//!
//! - A 2xx response is a delivery. 410 disables the endpoint. Anything else, redirects included, is retried by
//!   [`schedule`].
//! - An endpoint that gives no response, or three server errors (5xx) in a row, counts as down; one that rejects an event
//!   (4xx) does not.
//! - `Retry-After` is honoured up to a day, also for the other messages of the same call.
//! - An attempt takes 15 seconds at most. A few KiB of a response's body are read, to reuse the connection, and dropped.
//! - URLs must be https and their hosts public: see [`Settings`].
//! - Order is not promised: several requests are in flight at once.

mod destination;
mod endpoint;
mod response;
mod schedule;
mod sender;
mod settings;
mod signer;
mod url;

pub use destination::Webhook;
pub use endpoint::EndpointError;
pub use schedule::schedule;
pub use sender::{Sender, SenderError};
pub use settings::Settings;
pub use signer::Signer;
pub use url::{is_masked, masked};

pub use crate::egress::UrlError;

/// Name of this kind of destination in the store.
pub const KIND: &str = "webhook";

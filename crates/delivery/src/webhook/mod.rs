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
mod answer;
mod endpoint;
mod public;
mod resolver;
mod schedule;
mod sender;
mod settings;
mod signer;

use std::fmt;
use std::sync::atomic::AtomicU32;

use reqwest::Url;

use crate::fan_out::unordered;
use crate::{Check, Checked, Delivery, Destination, Message, Outcome};

pub use address::{AddressError, shown};
pub use endpoint::EndpointError;
pub use schedule::schedule;
pub use sender::{Sender, SenderError};
pub use settings::Settings;
pub use signer::Signer;

/// How the store names this kind of destination.
pub const KIND: &str = "webhook";

/// One endpoint. `Debug` shows its host alone, since addresses of webhooks often hold a secret.
pub struct Webhook {
    sender: Sender,
    url: Url,
    signer: Signer,
    /// How many attempts in a row got no response or a server error.
    failures: AtomicU32,
}

impl Webhook {
    /// An endpoint that `sender` sends to.
    ///
    /// # Errors
    ///
    /// Where the sender's settings do not allow the address.
    pub fn new(sender: &Sender, url: &str, signer: Signer) -> Result<Self, AddressError> {
        Ok(Self {
            sender: sender.clone(),
            url: sender.settings().check(url)?,
            signer,
            failures: AtomicU32::new(0),
        })
    }

    async fn send(&self, message: &Message) -> Outcome {
        self.sender.send(self, message).await
    }
}

/// How many webhooks are handed over together.
const BATCH: usize = 200;

impl Destination for Webhook {
    fn ordered(&self) -> bool {
        false
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        let send = |message: &'a Message| self.send(message);
        Box::pin(unordered(messages, self.sender.settings().in_flight, send))
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let target = format!("endpoint at {}", self.url.host_str().unwrap_or_default());
            let outcome = self.send(message).await;
            vec![Checked { target, outcome }]
        })
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

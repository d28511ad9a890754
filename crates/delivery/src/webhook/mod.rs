//! Standard Webhooks: one request for each event, signed, to an address that somebody else chose.
//!
//! - Delivered is what is answered with a 2xx. 410 disables the endpoint. Anything else is tried again, by
//!   [`schedule`]; a redirect is a failure. `Retry-After` is honoured up to a day, also for what is waiting in the same call.
//! - An attempt takes 15 seconds at most. Of an answer's body a few KiB are read, to use the connection again, and
//!   nothing is kept.
//! - Since the address is a stranger's, it must be https and public: see [`Settings`].
//! - Order is not promised: several requests are under way at once.

mod address;
mod answer;
mod public;
mod resolver;
mod schedule;
mod sender;
mod settings;
mod signer;

use std::fmt;
use std::sync::OnceLock;

use futures_util::{StreamExt, stream};
use reqwest::Url;

use crate::{Delivery, Destination, Message, Outcome};

pub use address::AddressError;
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
        })
    }
}

impl Destination for Webhook {
    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        // What an answer says of the messages that are not sent yet.
        let rest: OnceLock<Outcome> = OnceLock::new();
        Box::pin(async move {
            let rest = &rest;
            let send = |index: usize| async move {
                if let Some(outcome) = rest.get() {
                    return (index, outcome.clone());
                }
                let outcome = self.sender.send(&self.url, &self.signer, &messages[index]).await;
                if let Some(outcome) = of_the_rest(&outcome) {
                    rest.get_or_init(|| outcome);
                }
                (index, outcome)
            };
            let mut outcomes: Vec<_> = stream::iter(0..messages.len())
                .map(send)
                .buffer_unordered(self.sender.settings().in_flight.max(1))
                .collect()
                .await;
            outcomes.sort_unstable_by_key(|(index, _)| *index);
            outcomes.into_iter().map(|(_, outcome)| outcome).collect()
        })
    }
}

/// What the outcome of one message means to those after it.
fn of_the_rest(outcome: &Outcome) -> Option<Outcome> {
    match outcome {
        Outcome::Gone => Some(Outcome::Gone),
        Outcome::Retry {
            not_before: Some(not_before),
            ..
        } => Some(Outcome::Deferred {
            not_before: *not_before,
        }),
        _ => None,
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

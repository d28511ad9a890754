//! One endpoint, as a destination.

use std::fmt;
use std::sync::atomic::AtomicU32;

use reqwest::Url;
use tokio::time::Instant;

use super::sender::Sender;
use super::signer::Signer;
use crate::egress::UrlError;
use crate::fan_out::{Concurrency, unordered};
use crate::{Attempted, Attempts, Check, Checked, Delivery, Destination, Message};

/// One endpoint. `Debug` shows only its host, since URLs of webhooks often hold a secret.
pub struct Webhook {
    sender: Sender,
    url: Url,
    pub(super) signer: Signer,
    /// The number of consecutive attempts without a response or with a server error.
    failures: AtomicU32,
}

impl Webhook {
    /// An endpoint that `sender` sends to.
    ///
    /// # Errors
    ///
    /// If the sender's settings do not allow the URL.
    pub fn new(sender: &Sender, url: &str, signer: Signer) -> Result<Self, UrlError> {
        Ok(Self {
            sender: sender.clone(),
            url: sender.settings().check(url)?,
            signer,
            failures: AtomicU32::new(0),
        })
    }

    /// URL of the endpoint, without the parts that may be secret.
    pub fn target(&self) -> String {
        format!("endpoint at {}", self.url.host_str().unwrap_or_default())
    }

    /// Sends a message once.
    pub async fn send(&self, message: &Message) -> Attempted {
        self.sender.send(&self.url, &self.signer, &self.failures, message).await
    }
}

/// Maximum number of messages of one call.
const BATCH: usize = 200;

impl Destination for Webhook {
    fn ordered(&self) -> bool {
        false
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(async move {
            let attempted = self.attempt(messages).await;
            attempted.into_iter().map(|attempted| attempted.outcome).collect()
        })
    }

    fn attempt<'a>(&'a self, messages: &'a [Message]) -> Attempts<'a> {
        let called = Instant::now();
        let send = move |message: &'a Message| async move {
            Attempted {
                began_after: called.elapsed(),
                ..self.send(message).await
            }
        };
        let most = self.sender.settings().in_flight;
        // Each request in flight has a connection of its own, which costs as much as some requests: a part of a batch is sent over
        // that part of them, and over more only if the endpoint takes its time.
        let at_first = (messages.len() * most).div_ceil(BATCH);
        let concurrency = Concurrency { at_first, most };
        Box::pin(unordered(messages, concurrency, send))
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let target = self.target();
            let Attempted { outcome, .. } = self.send(message).await;
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

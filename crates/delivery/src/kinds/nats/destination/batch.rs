//! The messages of one call.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::link::{Link, Published};
use super::{fault, headers};
use crate::kinds::nats::SubjectConfig;
use crate::{Message, Outcome, Reason};

/// Timeout of a call, as a multiple of that of an acknowledgement. Messages of one user are sent one after the other.
const CALL: u32 = 10;

/// The messages of one call.
pub(super) struct Batch<'a> {
    link: &'a Link,
    config: &'a SubjectConfig,
    /// The timeout of one acknowledgement.
    timeout: Duration,
    /// Time after which nothing more is sent.
    deadline: Instant,
    /// The fault that stopped the call.
    fault: OnceLock<Reason>,
    /// True once a message is acknowledged.
    is_acknowledged: AtomicBool,
}

impl<'a> Batch<'a> {
    pub(super) fn new(link: &'a Link, config: &'a SubjectConfig, timeout: Duration) -> Self {
        link.begin_call();
        Self {
            link,
            config,
            timeout,
            deadline: Instant::now() + CALL * timeout,
            fault: OnceLock::new(),
            is_acknowledged: AtomicBool::new(false),
        }
    }

    /// Returns true if a fault stopped the call. Messages may still be in flight then.
    pub(super) fn is_down(&self) -> bool {
        self.fault.get().is_some()
    }

    /// Sends a message. Once the destination is down, so are those that are not sent yet.
    pub(super) async fn send(&self, message: &Message) -> Outcome {
        let outcome = match self.fault.get() {
            Some(reason) => Outcome::Down { reason: reason.clone() },
            None if Instant::now() >= self.deadline => Outcome::Down {
                reason: Reason::new("the server acknowledges too slowly: the time for one batch is over"),
            },
            None => self
                .publish(message)
                .await
                .unwrap_or_else(|reason| Outcome::Refused { reason }),
        };
        match &outcome {
            Outcome::Delivered => self.is_acknowledged.store(true, Ordering::Relaxed),
            Outcome::Down { reason } => drop(self.fault.set(reason.clone())),
            _ => {}
        }
        outcome
    }

    /// An error refuses the message.
    async fn publish(&self, message: &Message) -> Result<Outcome, Reason> {
        let SubjectConfig {
            subject: template,
            stream,
            ..
        } = self.config;
        let subject = template.subject(message)?;
        let headers = headers::of(message, stream.as_deref())?;
        let payload = message.payload.clone();
        let published = self.link.publish(subject.clone(), headers, payload, self.timeout).await;
        let is_constant = template.is_constant();
        Ok(match published {
            Published::Response(response) => fault::outcome(&response, stream.as_deref(), is_constant),
            Published::NoResponders => fault::of_subject(fault::no_responders(&subject), is_constant),
            Published::Denied => fault::of_subject(fault::denied(&subject), is_constant),
            Published::TooLarge(most) => {
                return Err(Reason::new(format!(
                    "the message of {} bytes and its headers are larger than the {most} bytes that the server takes: \
                     check its max_payload",
                    message.payload.len()
                )));
            }
            Published::Broken(reason) => Outcome::Down { reason },
            // Acknowledgements of other messages show that the server is not what hangs.
            Published::Silence => {
                let is_of_server = is_constant || !self.is_acknowledged.load(Ordering::Relaxed);
                fault::of_subject(fault::silence(&subject), is_of_server)
            }
        })
    }
}

//! The messages of one call.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::Instant;

use super::link::{Link, Published};
use super::{fault, headers};
use crate::kinds::nats::SubjectConfig;
use crate::{Message, Outcome, Reason};

/// A call takes as many times as long as an acknowledgement may. Messages of one user are sent one after the other.
const CALL: u32 = 10;

/// The messages of one call.
pub(super) struct Batch<'a> {
    link: &'a Link,
    config: &'a SubjectConfig,
    /// The timeout of one acknowledgement.
    timeout: Duration,
    /// Time after which nothing more is sent.
    deadline: Instant,
    /// Why nothing more is sent.
    fault: OnceLock<Reason>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(link: &'a Link, config: &'a SubjectConfig, timeout: Duration) -> Self {
        Self {
            link,
            config,
            timeout,
            deadline: Instant::now() + CALL * timeout,
            fault: OnceLock::new(),
        }
    }

    /// Returns whether something stopped the call. Messages may still be in flight then.
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
        if let Outcome::Down { reason } = &outcome {
            let _ = self.fault.set(reason.clone());
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
        let down = |reason| Ok(Outcome::Down { reason });
        match published {
            Published::Response(response) => Ok(fault::outcome(&response, stream.as_deref())),
            Published::NoResponders => Ok(fault::no_responders(&subject, template.is_constant())),
            Published::TooLarge(most) => Err(Reason::new(format!(
                "the message of {} bytes and its headers are larger than the {most} bytes that the server takes: check \
                 its max_payload",
                message.payload.len()
            ))),
            Published::Broken(reason) => down(reason),
            Published::Silence => down(fault::silence(template.as_str())),
        }
    }
}

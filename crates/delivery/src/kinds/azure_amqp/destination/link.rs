//! A link to a hub.

use std::collections::HashMap;
use std::sync::Arc;

use fe2o3_amqp::Sender;
use fe2o3_amqp::link::{LinkStateError, SendError};
use fe2o3_amqp::types::messaging::Outcome;
use futures_util::FutureExt;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout_at};

use super::event::Envelope;
use super::fault::Fault;
use crate::Reason;

/// Maximum message of a hub that names no limit, in bytes.
const LARGEST_MESSAGE: u64 = 1024 * 1024;

/// The links to the required hubs, or the faults.
pub(super) type Links = HashMap<String, Result<Arc<Link>, Fault>>;

/// A link to a hub.
pub(super) struct Link {
    pub(super) hub: String,
    /// Maximum message, in bytes.
    pub(super) limit: usize,
    sender: Mutex<Sender>,
    /// Reason for a broken connection.
    broken: watch::Sender<Option<Reason>>,
}

impl Link {
    pub(super) fn new(hub: &str, sender: Sender, broken: watch::Sender<Option<Reason>>) -> Self {
        let limit = sender.max_message_size().unwrap_or(LARGEST_MESSAGE);
        Self {
            hub: hub.to_owned(),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            sender: Mutex::new(sender),
            broken,
        }
    }

    /// Returns whether the hub has not closed it, without a request.
    pub(super) fn is_attached(&mut self) -> bool {
        self.sender.get_mut().on_detach().now_or_never().is_none()
    }

    /// Sends an envelope, and waits until the hub has stored it.
    pub(super) async fn send(&self, envelope: Envelope, deadline: Instant) -> Result<(), Fault> {
        let mut broken = self.broken.subscribe();
        if let Some(reason) = &*broken.borrow_and_update() {
            return Err(Fault::Namespace(reason.clone()));
        }
        let sent = async {
            // The next one need not wait until this one is confirmed.
            let confirm = self.sender.lock().await.send_batchable(envelope).await?;
            confirm.await
        };
        let sent = tokio::select! {
            biased;
            sent = timeout_at(deadline, sent) => sent,
            broken = broken.wait_for(Option::is_some) => {
                let reason = broken.ok().and_then(|broken| broken.clone());
                return Err(reason.map_or_else(lost, Fault::Namespace));
            }
        };
        let fault = match sent {
            Ok(Ok(Outcome::Accepted(_))) => return Ok(()),
            Ok(Ok(Outcome::Rejected(rejected))) => return Err(Fault::rejected(&self.hub, rejected.error.as_ref())),
            Ok(Ok(Outcome::Released(_) | Outcome::Modified(_))) => {
                let reason = format!("event hub {} released the event without storing it", self.hub);
                return Err(Fault::Message(Reason::new(reason)));
            }
            Ok(Err(error)) => self.closed(&error),
            Err(_) => {
                let reason = format!("event hub {} did not confirm in time", self.hub);
                Fault::Namespace(Reason::new(reason))
            }
        };
        // A message that was sent in part, or is confirmed too late, ends with the connection.
        self.broken.send_replace(Some(match &fault {
            Fault::Namespace(reason) => reason.clone(),
            _ => Reason::new("the connection was closed because a hub closed its link"),
        }));
        Err(fault)
    }

    fn closed(&self, error: &SendError) -> Fault {
        let SendError::LinkStateError(state) = error else {
            return Fault::link(&self.hub, None);
        };
        match state {
            LinkStateError::RemoteClosedWithError(error) | LinkStateError::RemoteDetachedWithError(error) => {
                Fault::link(&self.hub, Some(error))
            }
            LinkStateError::SessionStopped(_) => lost(),
            _ => Fault::link(&self.hub, None),
        }
    }
}

fn lost() -> Fault {
    Fault::Namespace(Reason::new("the connection was lost before it was confirmed"))
}

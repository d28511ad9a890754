//! Publishes the messages of one call, and waits for their confirms.
//!
//! A broker returns an unroutable message, and then confirms it nevertheless. lapin passes a returned message to
//! the next confirm, which may be that of another one. So returned messages are matched by message id, and a confirm
//! counts only once nothing is in flight.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use lapin::{Confirmation, Error};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout, timeout_at};

use super::link::Link;
use super::{fault, properties};
use crate::{Message, Outcome, Reason};

/// Maximum size of messages in flight.
const ROOM: usize = 16 * 1024 * 1024;
/// Timeout of a call, in timeouts of a confirm. Messages of one user are confirmed one after the other.
const CALL: u32 = 10;
/// Bytes of a message besides its payload.
const AROUND: usize = 1024;
/// Size above which messages are sent alone, at first: a broker rejects a message that is too large by closing the
/// channel, and the other messages in flight are lost with it.
pub(super) const ALONE_ABOVE: usize = 256 * 1024;

/// The messages of one call.
pub(super) struct Batch<'a> {
    link: &'a Link,
    exchange: &'a str,
    /// The timeout of one confirm.
    confirm_timeout: Duration,
    /// Time after which nothing more is sent.
    deadline: Instant,
    /// Messages larger than this are sent alone.
    alone_above: &'a AtomicUsize,
    room: Semaphore,
    state: Mutex<State<'a>>,
    /// Notified whenever nothing is in flight.
    settled: watch::Sender<()>,
}

#[derive(Default)]
struct State<'a> {
    in_flight: usize,
    /// The largest message since nothing was in flight.
    largest: usize,
    /// The ids of the messages that reached no queue.
    returned: HashSet<String>,
    /// Confirms without a waiting task. They may still hold returned messages.
    late: Vec<Publishing<'a>>,
    /// Fault after which nothing more is sent.
    fault: Option<Reason>,
}

type Publishing<'a> = Pin<Box<dyn Future<Output = Result<Confirmation, Error>> + Send + 'a>>;

impl<'a> Batch<'a> {
    pub(super) fn new(
        link: &'a Link,
        exchange: &'a str,
        confirm_timeout: Duration,
        alone_above: &'a AtomicUsize,
    ) -> Self {
        Self {
            link,
            exchange,
            confirm_timeout,
            deadline: Instant::now() + CALL * confirm_timeout,
            alone_above,
            room: Semaphore::new(ROOM),
            state: Mutex::default(),
            settled: watch::Sender::new(()),
        }
    }

    /// Returns whether all sent messages are confirmed.
    pub(super) fn is_settled(&self) -> bool {
        let state = self.state();
        state.in_flight == 0 && state.late.is_empty() && state.fault.is_none()
    }

    /// Sends a message, and returns its outcome.
    pub(super) async fn send(&self, message: &'a Message) -> Outcome {
        let (key, properties) = match properties::of(message) {
            Ok(parts) => parts,
            Err(reason) => return Outcome::Refused { reason },
        };
        let size = message.payload.len();
        let alone = size > self.alone_above.load(Ordering::Relaxed);
        let room = if alone { ROOM } else { (size + AROUND).min(ROOM) };
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let room = timeout_at(self.deadline, self.room.acquire_many(room)).await;
        if room.is_err() || self.state().fault.is_some() || Instant::now() >= self.deadline {
            return self.down(|| Reason::new("the broker confirms too slowly: the time for one batch is over"));
        }
        let publishing: Publishing<'a> = Box::pin(self.link.publish(key, properties, &message.payload));
        match self.confirmed(publishing, size).await {
            None => self.down(|| self.silence()),
            Some(Err(error)) if fault::is_about_a_message(&error) && alone => {
                let reopened = timeout(self.confirm_timeout, self.link.reopen()).await;
                if let Err(reason) = reopened.unwrap_or_else(|_| Err(self.silence())) {
                    self.state().fault.get_or_insert(reason);
                }
                Outcome::Refused {
                    reason: Reason::new(format!(
                        "the broker rejected the message of {size} bytes: check its max_message_size"
                    )),
                }
            }
            Some(Err(error)) => self.down(|| fault::publishing(&error, self.exchange)),
            Some(Ok(_)) if self.state().returned.contains(&message.event_id) => Outcome::Retry {
                reason: Reason::new(format!(
                    "unroutable: no queue is bound to exchange {} for {}",
                    self.exchange, message.event_type
                )),
                not_before: None,
            },
            Some(Ok(Confirmation::Ack(_))) => Outcome::Delivered,
            Some(Ok(Confirmation::Nack(_) | Confirmation::NotRequested)) => Outcome::Retry {
                reason: Reason::new("the broker rejected the message (nack): a queue may be full or unavailable"),
                not_before: None,
            },
        }
    }

    /// The confirm of a message, once nothing is in flight. None after the timeout.
    async fn confirmed(&self, mut publishing: Publishing<'a>, size: usize) -> Option<Result<Confirmation, Error>> {
        {
            let mut state = self.state();
            state.in_flight += 1;
            state.largest = state.largest.max(size);
        }
        let confirmed = timeout(self.confirm_timeout, publishing.as_mut()).await.ok();
        let mut settled = {
            let mut state = self.state();
            match &confirmed {
                Some(confirmed) => state.note(confirmed),
                None => state.late.push(publishing),
            }
            if let Some(Err(error)) = &confirmed
                && fault::is_about_a_message(error)
            {
                // The largest one is too large, if the broker rejected a message.
                self.alone_above
                    .fetch_min(state.largest.saturating_sub(1), Ordering::Relaxed);
            }
            let settled = self.settled.subscribe();
            state.in_flight -= 1;
            if state.in_flight == 0 {
                state.poll_late();
                state.largest = 0;
                self.settled.send_replace(());
            }
            settled
        };
        // The watch belongs to this batch: it lives as long as any task waits.
        let _ = settled.changed().await;
        confirmed
    }

    /// Outcome of messages after a fault, the recorded one or else this.
    fn down(&self, reason: impl FnOnce() -> Reason) -> Outcome {
        let mut state = self.state();
        let reason = state.fault.get_or_insert_with(reason).clone();
        Outcome::Down { reason }
    }

    fn silence(&self) -> Reason {
        match self.link.is_blocked() {
            true => blocked(),
            false => Reason::new("the broker did not confirm in time: it may be overloaded, or a queue unavailable"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reason not to send to a broker that blocks publishers.
pub(super) fn blocked() -> Reason {
    Reason::new("the broker blocks publishers: its memory or disk is low; see its alarms")
}

impl State<'_> {
    fn note(&mut self, confirmed: &Result<Confirmation, Error>) {
        if let Ok(Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned))) = confirmed
            && let Some(id) = returned.properties.message_id()
        {
            self.returned.insert(id.as_str().to_owned());
        }
    }

    /// Polls late confirms, and records returned messages.
    fn poll_late(&mut self) {
        for mut late in std::mem::take(&mut self.late) {
            match late.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(confirmed) => self.note(&confirmed),
                Poll::Pending => self.late.push(late),
            }
        }
    }
}

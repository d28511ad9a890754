//! Publishing the messages of one call, and telling which of them the broker has for good.
//!
//! A broker says of a message that no queue gets that it returns it, and then confirms it all the same. lapin hands what
//! is returned to whichever message is confirmed next, which may be another one. So what is returned is known by its
//! message id, and nobody believes a confirm before all that is under way has been heard of.

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
use super::{fault, layout};
use crate::{Message, Outcome, Reason};

/// How many bytes may be under way at once.
const ROOM: usize = 16 * 1024 * 1024;
/// A call takes as many times as long as a confirm may. Messages of one user are confirmed one after the other.
const CALL: u32 = 10;
/// What a message takes besides its payload.
const AROUND: usize = 1024;
/// Larger messages are sent alone, at first: of one that is too large, a broker says so by closing the channel, and what
/// else is under way is lost with it.
pub(super) const ALONE_ABOVE: usize = 256 * 1024;

/// The messages of one call.
pub(super) struct Batch<'a> {
    link: &'a Link,
    exchange: &'a str,
    /// How long a confirm may take.
    patience: Duration,
    /// When nothing more is sent.
    deadline: Instant,
    /// Messages larger than this are sent alone.
    alone_above: &'a AtomicUsize,
    room: Semaphore,
    state: Mutex<State<'a>>,
    /// Changes whenever nothing is under way.
    settled: watch::Sender<()>,
}

#[derive(Default)]
struct State<'a> {
    under_way: usize,
    /// The largest since nothing was under way.
    largest: usize,
    /// The ids of the messages that no queue gets.
    returned: HashSet<String>,
    /// What nobody waits for any more. It may still hold what was returned.
    late: Vec<Publishing<'a>>,
    /// Why nothing more is sent.
    fault: Option<Reason>,
}

type Publishing<'a> = Pin<Box<dyn Future<Output = Result<Confirmation, Error>> + Send + 'a>>;

impl<'a> Batch<'a> {
    pub(super) fn new(link: &'a Link, exchange: &'a str, patience: Duration, alone_above: &'a AtomicUsize) -> Self {
        Self {
            link,
            exchange,
            patience,
            deadline: Instant::now() + CALL * patience,
            alone_above,
            room: Semaphore::new(ROOM),
            state: Mutex::default(),
            settled: watch::Sender::new(()),
        }
    }

    /// Whether everything that was sent has been heard of.
    pub(super) fn is_settled(&self) -> bool {
        let state = self.state();
        state.under_way == 0 && state.late.is_empty() && state.fault.is_none()
    }

    /// Sends a message, and says what became of it.
    pub(super) async fn send(&self, message: &'a Message) -> Outcome {
        let (key, properties) = match layout::of(message) {
            Ok(laid_out) => laid_out,
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
        match self.hear_of(publishing, size).await {
            None => self.down(|| self.silence()),
            Some(Err(error)) if fault::is_about_a_message(&error) && alone => {
                let reopened = timeout(self.patience, self.link.reopen()).await;
                if let Err(reason) = reopened.unwrap_or_else(|_| Err(self.silence())) {
                    self.state().fault.get_or_insert(reason);
                }
                Outcome::Refused {
                    reason: Reason::new(format!(
                        "the broker takes no such message, of {size} bytes: its max_message_size may be smaller"
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
                reason: Reason::new("the broker could not keep it (nack): a queue may be full, or not available"),
                not_before: None,
            },
        }
    }

    /// What became of a message, once all that was under way with it has been heard of. Nothing where patience ends.
    async fn hear_of(&self, mut publishing: Publishing<'a>, size: usize) -> Option<Result<Confirmation, Error>> {
        {
            let mut state = self.state();
            state.under_way += 1;
            state.largest = state.largest.max(size);
        }
        let heard = timeout(self.patience, publishing.as_mut()).await.ok();
        let mut settled = {
            let mut state = self.state();
            match &heard {
                Some(heard) => state.note(heard),
                None => state.late.push(publishing),
            }
            if let Some(Err(error)) = &heard
                && fault::is_about_a_message(error)
            {
                // The largest is one that is too large, if that is what the broker minds.
                self.alone_above
                    .fetch_min(state.largest.saturating_sub(1), Ordering::Relaxed);
            }
            let settled = self.settled.subscribe();
            state.under_way -= 1;
            if state.under_way == 0 {
                state.look_once_more();
                state.largest = 0;
                self.settled.send_replace(());
            }
            settled
        };
        // It is this batch's own: it lives as long as anybody waits.
        let _ = settled.changed().await;
        heard
    }

    /// Nothing more is sent in this call, for a reason that may be known already.
    fn down(&self, reason: impl FnOnce() -> Reason) -> Outcome {
        let mut state = self.state();
        let reason = state.fault.get_or_insert_with(reason).clone();
        Outcome::Down { reason }
    }

    fn silence(&self) -> Reason {
        match self.link.is_blocked() {
            true => blocked(),
            false => Reason::new("the broker did not confirm in time: it may be overloaded, or a queue not available"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a broker that lets publishers wait gets nothing.
pub(super) fn blocked() -> Reason {
    Reason::new("the broker lets publishers wait, since its memory or disk runs low: see its alarms")
}

impl State<'_> {
    fn note(&mut self, heard: &Result<Confirmation, Error>) {
        if let Ok(Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned))) = heard
            && let Some(id) = returned.properties.message_id()
        {
            self.returned.insert(id.as_str().to_owned());
        }
    }

    /// Looks whether what was given up came after all, and holds what was returned.
    fn look_once_more(&mut self) {
        for mut late in std::mem::take(&mut self.late) {
            match late.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(heard) => self.note(&heard),
                Poll::Pending => self.late.push(late),
            }
        }
    }
}

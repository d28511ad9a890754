//! A destination that keeps order, and fails as scripted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::Utc;

use crate::fan_out::in_order;
use crate::{Check, Delivery, Destination, Message, Outcome, Reason};

/// Events that arrived, in their order, and refused ones. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Arrived {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
pub(super) struct Inner {
    /// Ids of events, including repeats.
    pub(super) arrived: Vec<String>,
    pub(super) refused: Vec<String>,
    /// State of the random numbers that select failures.
    state: u64,
    /// True if there are failures.
    pub(super) broken: bool,
}

impl Arrived {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of arrivals.
    pub(super) fn count(&self) -> usize {
        self.lock().arrived.len()
    }
}

impl Inner {
    pub(super) fn seed(&mut self, seed: u64) {
        self.state = seed;
    }

    /// Returns the next number of a pseudo-random series: splitmix64.
    pub(super) fn next(&mut self, below: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }
}

/// The destination.
pub(super) struct Fake {
    pub(super) arrived: Arrived,
    pub(super) batch: usize,
}

impl Fake {
    /// Decides the outcome of one message, and whether it arrives.
    fn judge(&self, message: &Message) -> Option<Outcome> {
        let mut inner = self.arrived.lock();
        let id = message.event_id.clone();
        let choice = match inner.refused.contains(&id) {
            // Permanently: it is refused again if the outcome was lost.
            true => 4,
            false if inner.broken => inner.next(20),
            false => u64::MAX,
        };
        if !matches!(choice, 0 | 2 | 4 | 6) {
            inner.arrived.push(id.clone());
        }
        let reason = Reason::new("broken");
        Some(match choice {
            0 | 1 => Outcome::Down { reason },
            2 | 3 => Outcome::Retry {
                reason,
                not_before: None,
            },
            4 => {
                inner.refused.push(id);
                Outcome::Refused { reason }
            }
            // The worker is stopped before it has the outcome.
            5 => return None,
            6 => Outcome::Deferred {
                not_before: Utc::now() + chrono::TimeDelta::milliseconds(3),
            },
            _ => Outcome::Delivered,
        })
    }
}

impl Destination for Fake {
    fn ordered(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        self.batch
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(in_order(messages, 4, async |message| {
            tokio::task::yield_now().await;
            match self.judge(message) {
                Some(outcome) => outcome,
                None => std::future::pending().await,
            }
        }))
    }

    fn check<'a>(&'a self, _: &'a Message) -> Check<'a> {
        Box::pin(async { Vec::new() })
    }
}

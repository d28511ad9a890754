//! Condition of a destination, by the outcomes of a batch.

use super::attempt::{Attempt, AttemptResult};
use crate::{Outcome, Reason};

/// The condition of a destination after a batch.
pub(super) enum Condition {
    /// The endpoint responded 410: disable it.
    Gone,
    /// The destination is down: pause.
    Down(Reason),
    /// The destination is down, but each event has its own retry.
    Unavailable(Reason),
    /// The destination responds.
    Up,
    /// No message was sent.
    Unknown,
}

impl Condition {
    pub(super) fn of(results: &[(Attempt, AttemptResult)]) -> Self {
        let (mut condition, mut delivered) = (Self::Unknown, false);
        for (_, result) in results {
            let AttemptResult::Sent(outcome) = result else { continue };
            delivered |= *outcome == Outcome::Delivered;
            let other = match outcome {
                Outcome::Gone => Self::Gone,
                Outcome::Down { reason } => Self::Down(reason.clone()),
                Outcome::Unavailable { reason, .. } => Self::Unavailable(reason.clone()),
                Outcome::Delivered | Outcome::Retry { .. } | Outcome::Refused { .. } => Self::Up,
                Outcome::Deferred { .. } | Outcome::Held => Self::Unknown,
            };
            if other.rank() > condition.rank() {
                condition = other;
            }
        }
        match condition {
            Self::Unavailable(_) if delivered => Self::Up,
            condition => condition,
        }
    }

    /// Precedence among several outcomes.
    fn rank(&self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Up => 1,
            Self::Unavailable(_) => 2,
            Self::Down(_) => 3,
            Self::Gone => 4,
        }
    }
}

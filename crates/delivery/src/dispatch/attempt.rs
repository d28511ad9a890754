//! From the outcomes of a batch to the progress that is saved.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_store::{Advance, PendingEvent, Progress};

use super::observer::Sent;
use super::settings::DispatchSettings;
use super::shared::LONGEST_PAUSE;
use crate::{Outcome, backoff};

/// An event of a batch, as far as it is needed after sending.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// Its number in the log.
    pub(super) number: i64,
    pub(super) created_on: DateTime<Utc>,
    /// Earlier attempts.
    pub(super) before: u32,
}

impl Attempt {
    pub(super) fn at(pending: &PendingEvent) -> Self {
        Self {
            number: pending.event.number,
            created_on: pending.event.created_on,
            before: pending.attempts,
        }
    }
}

/// The result for one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AttemptResult {
    /// The destination does not get it.
    Filtered,
    /// An earlier event of its user is not delivered yet.
    Held,
    /// Its payload cannot be parsed.
    Unreadable,
    /// It was given to the destination.
    Sent(Outcome),
}

/// When failed events are retried.
pub(super) struct RetryPolicy<'a> {
    pub(super) settings: &'a DispatchSettings,
    /// Whether to use the schedule of webhooks, rather than the age of an event.
    pub(super) by_schedule: bool,
    pub(super) now: DateTime<Utc>,
    pub(super) random: fn() -> f64,
}

impl RetryPolicy<'_> {
    fn is_too_old(&self, attempt: &Attempt) -> bool {
        let age = (self.now - attempt.created_on).to_std().unwrap_or_default();
        !self.by_schedule && age > self.settings.give_up_after
    }

    fn wait(&self, attempt: &Attempt, attempts: u32) -> Option<Duration> {
        if self.by_schedule {
            return (self.settings.schedule)(attempts, (self.random)());
        }
        (!self.is_too_old(attempt))
            .then(|| backoff(self.settings.first_pause, LONGEST_PAUSE, attempts, (self.random)()))
    }

    /// The progress of an event; none if it stays as it is.
    fn progress(&self, attempt: &Attempt, result: AttemptResult) -> Option<Progress> {
        let attempts = attempt.before + 1;
        let outcome = match result {
            AttemptResult::Filtered => return Some(Progress::Done),
            AttemptResult::Held => return Some(Progress::Held),
            AttemptResult::Unreadable => return Some(parked(attempts, "the event cannot be parsed")),
            AttemptResult::Sent(outcome) => outcome,
        };
        Some(match outcome {
            Outcome::Delivered => Progress::Done,
            Outcome::Held => Progress::Held,
            Outcome::Refused { reason } => parked(attempts, reason.as_str()),
            Outcome::Retry { reason, not_before } | Outcome::Unavailable { reason, not_before } => {
                match self.wait(attempt, attempts) {
                    Some(wait) => {
                        let due = self.now + TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
                        let due = not_before.map_or(due, |not_before| due.max(not_before));
                        waiting(attempts, due, reason.as_str())
                    }
                    None => parked(attempts, reason.as_str()),
                }
            }
            Outcome::Down { reason } if self.is_too_old(attempt) => parked(attempts, reason.as_str()),
            Outcome::Down { .. } => return None,
            // Neither is an attempt.
            Outcome::Deferred { not_before } => waiting(
                attempt.before,
                not_before,
                "deferred: the destination asked for a pause",
            ),
            Outcome::Gone => waiting(attempt.before, self.now, "the endpoint responded 410 Gone"),
        })
    }

    /// The progress of due events and of new ones, and counts of the attempts.
    ///
    /// If the destination went down, new events without a result stay new, as far as the cursor allows: those before one
    /// that is done are saved as waiting.
    pub(super) fn advance(
        &self,
        due: Vec<(Attempt, AttemptResult)>,
        new: Vec<(Attempt, AttemptResult)>,
    ) -> (Advance, Sent) {
        let mut sent = Sent::default();
        let mut advance = Advance::default();
        for (attempt, result) in due {
            let progress = self.counted(&attempt, result, &mut sent);
            // An event behind a failed one is held by that; if the destination is down, both stay as they are.
            let progress = progress.filter(|progress| *progress != Progress::Held);
            advance
                .results
                .extend(progress.map(|progress| (attempt.number, progress)));
        }
        let is_down = new
            .iter()
            .any(|(_, result)| matches!(result, AttemptResult::Sent(Outcome::Down { .. })));
        let new: Vec<_> = (new.into_iter())
            .map(|(attempt, result)| {
                let stays = matches!(
                    &result,
                    AttemptResult::Filtered | AttemptResult::Held | AttemptResult::Sent(Outcome::Held)
                );
                let progress = self.counted(&attempt, result, &mut sent);
                let stays = is_down && (stays || progress.is_none());
                (attempt, progress, stays)
            })
            .collect();
        let done_with = new.iter().rposition(|(_, _, stays)| !stays).map_or(0, |last| last + 1);
        for (attempt, progress, _) in new.into_iter().take(done_with) {
            let number = attempt.number;
            advance.cursor = number;
            match progress {
                // Implied by the cursor.
                Some(Progress::Done) => {}
                Some(progress) => advance.results.push((number, progress)),
                None => {
                    let waits = waiting(attempt.before, self.now, "the destination was down");
                    advance.results.push((number, waits));
                }
            }
        }
        (advance, sent)
    }

    fn counted(&self, attempt: &Attempt, result: AttemptResult, sent: &mut Sent) -> Option<Progress> {
        let (delivered, failed) = match &result {
            AttemptResult::Sent(Outcome::Delivered) => (1, 0),
            AttemptResult::Sent(Outcome::Deferred { .. } | Outcome::Held)
            | AttemptResult::Filtered
            | AttemptResult::Held => (0, 0),
            AttemptResult::Sent(_) | AttemptResult::Unreadable => (0, 1),
        };
        let progress = self.progress(attempt, result);
        sent.delivered += delivered;
        sent.failed += failed;
        sent.parked += u64::from(matches!(progress, Some(Progress::Parked { .. })));
        progress
    }
}

fn waiting(attempts: u32, due: DateTime<Utc>, reason: &str) -> Progress {
    Progress::Waiting {
        attempts,
        due,
        reason: reason.to_owned(),
    }
}

fn parked(attempts: u32, reason: &str) -> Progress {
    Progress::Parked {
        attempts,
        reason: reason.to_owned(),
    }
}

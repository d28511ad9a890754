//! Converts the outcomes of a batch to the progress to save.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_store::{Advance, AttemptOutcome, DeliveryAttempt, PendingEvent, Progress};

use super::observer::Sent;
use super::settings::DispatchSettings;
use super::shared::LONGEST_PAUSE;
use crate::{Attempted, Outcome, ResponseSummary, backoff};

const UNREADABLE: &str = "the event cannot be parsed";
const GONE: &str = "the endpoint responded 410 Gone";

/// An event of a batch, without the data that is only sent.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// Number in the log.
    pub(super) number: i64,
    pub(super) created_on: DateTime<Utc>,
    /// Earlier attempts.
    pub(super) before: u32,
    /// Time of its begin.
    pub(super) began: DateTime<Utc>,
    pub(super) duration: Duration,
    pub(super) response: Option<ResponseSummary>,
}

impl Attempt {
    /// Attempt for a pending event. `began` is the time when sending the batch began.
    pub(super) fn at(pending: &PendingEvent, began: DateTime<Utc>) -> Self {
        Self {
            number: pending.event.number,
            created_on: pending.event.created_on,
            before: pending.attempts,
            began,
            duration: Duration::ZERO,
            response: None,
        }
    }

    /// Records the details of the attempt. Returns its outcome.
    pub(super) fn saw(&mut self, attempted: Attempted) -> Outcome {
        self.began += TimeDelta::from_std(attempted.began_after).unwrap_or_default();
        self.duration = attempted.duration;
        self.response = attempted.response;
        attempted.outcome
    }

    /// The record of it, if it was an attempt: a part of the event was sent, or it is parked.
    fn kept(&self, result: &AttemptResult, progress: Option<&Progress>, every: bool) -> Option<DeliveryAttempt> {
        let is_parked = matches!(progress, Some(Progress::Parked { .. }));
        let (outcome, reason) = match result {
            AttemptResult::Sent(Outcome::Delivered) if every || self.before > 0 => (AttemptOutcome::Delivered, None),
            AttemptResult::Sent(Outcome::Gone) if self.response.is_some() => (AttemptOutcome::Failed, Some(GONE)),
            AttemptResult::Unreadable => (AttemptOutcome::Undelivered, Some(UNREADABLE)),
            AttemptResult::Sent(Outcome::Down { reason } | Outcome::Refused { reason }) if is_parked => {
                (AttemptOutcome::Undelivered, Some(reason.as_str()))
            }
            AttemptResult::Sent(Outcome::Retry { reason, .. } | Outcome::Unavailable { reason, .. }) => {
                let outcome = match is_parked {
                    true => AttemptOutcome::Undelivered,
                    false => AttemptOutcome::Failed,
                };
                (outcome, Some(reason.as_str()))
            }
            _ => return None,
        };
        let response = self.response.as_ref();
        Some(DeliveryAttempt {
            attempt: self.before + 1,
            attempted_on: self.began,
            duration: self.duration,
            outcome,
            status: response.map(|response| response.status),
            reason: reason.map(str::to_owned),
            content_type: response.and_then(|response| response.content_type.clone()),
            content_length: response.and_then(|response| response.content_length),
        })
    }
}

/// The result for one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AttemptResult {
    /// The event does not pass the filter.
    Filtered,
    /// An earlier event of the user is not delivered yet.
    Held,
    /// The payload cannot be parsed.
    Unreadable,
    /// The event was passed to the destination.
    Sent(Outcome),
}

/// Schedule of retries of failed events.
pub(super) struct RetryPolicy<'a> {
    pub(super) settings: &'a DispatchSettings,
    /// True if to use the schedule of webhooks, rather than the age of an event, and to keep every attempt, rather than
    /// those that failed and the delivery after them.
    pub(super) is_webhook: bool,
    pub(super) now: DateTime<Utc>,
    pub(super) random: fn() -> f64,
}

impl RetryPolicy<'_> {
    fn is_too_old(&self, attempt: &Attempt) -> bool {
        let age = (self.now - attempt.created_on).to_std().unwrap_or_default();
        !self.is_webhook && age > self.settings.give_up_after
    }

    fn wait(&self, attempt: &Attempt, attempts: u32) -> Option<Duration> {
        if self.is_webhook {
            return (self.settings.schedule)(attempts, (self.random)());
        }
        (!self.is_too_old(attempt))
            .then(|| backoff(self.settings.first_pause, LONGEST_PAUSE, attempts, (self.random)()))
    }

    /// The progress of an event. None if it stays as it is.
    fn progress(&self, attempt: &Attempt, result: &AttemptResult) -> Option<Progress> {
        let attempts = attempt.before + 1;
        let outcome = match result {
            AttemptResult::Filtered => return Some(Progress::Done),
            AttemptResult::Held => return Some(Progress::Held),
            AttemptResult::Unreadable => return Some(parked(attempts, UNREADABLE)),
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
            // Not an attempt.
            Outcome::Deferred { not_before } => waiting(
                attempt.before,
                *not_before,
                "deferred: the destination asked for a pause",
            ),
            // An event with a response was attempted; those that were not sent since then were not.
            Outcome::Gone if attempt.response.is_some() => waiting(attempts, self.now, GONE),
            Outcome::Gone => waiting(attempt.before, self.now, GONE),
        })
    }

    /// The progress of due events and of new ones, and counts of the attempts.
    ///
    /// If the destination went down, new events without a result stay new, as far as the cursor allows: those before
    /// a completed one are saved as waiting.
    pub(super) fn advance(
        &self,
        due: Vec<(Attempt, AttemptResult)>,
        new: Vec<(Attempt, AttemptResult)>,
    ) -> (Advance, Sent) {
        let mut sent = Sent::default();
        let mut advance = Advance::default();
        for (attempt, result) in due {
            let progress = self.counted(&attempt, result, &mut sent, &mut advance.attempts);
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
                let progress = self.counted(&attempt, result, &mut sent, &mut advance.attempts);
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

    fn counted(
        &self,
        attempt: &Attempt,
        result: AttemptResult,
        sent: &mut Sent,
        kept: &mut Vec<(i64, DeliveryAttempt)>,
    ) -> Option<Progress> {
        let (delivered, failed) = match &result {
            AttemptResult::Sent(Outcome::Delivered) => (1, 0),
            AttemptResult::Sent(Outcome::Deferred { .. } | Outcome::Held)
            | AttemptResult::Filtered
            | AttemptResult::Held => (0, 0),
            AttemptResult::Sent(_) | AttemptResult::Unreadable => (0, 1),
        };
        let progress = self.progress(attempt, &result);
        let attempted = attempt.kept(&result, progress.as_ref(), self.is_webhook);
        kept.extend(attempted.map(|attempted| (attempt.number, attempted)));
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

//! Recorded progress of the outcomes of a batch.

use std::time::Duration;

use chrono::{DateTime, Utc};
use wearlab_store::{AttemptOutcome, Progress};

use super::world::{impatient, next_week};
use crate::dispatch::attempt::{Attempt, AttemptResult, RetryPolicy};
use crate::{Check, Delivery, Destination, Message, Outcome, Reason, ResponseSummary};

/// A destination that is down.
pub(super) struct Down;

impl Destination for Down {
    fn ordered(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        10
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(async { messages.iter().map(|_| down()).collect() })
    }

    fn check<'a>(&'a self, _: &'a Message) -> Check<'a> {
        Box::pin(async { Vec::new() })
    }
}

fn down() -> Outcome {
    Outcome::Down {
        reason: Reason::new("down"),
    }
}

fn refused() -> Outcome {
    Outcome::Refused {
        reason: Reason::new("refused"),
    }
}

fn attempt(number: i64) -> Attempt {
    Attempt {
        number,
        created_on: Utc::now(),
        before: 0,
        began: DateTime::UNIX_EPOCH,
        duration: Duration::ZERO,
        response: None,
    }
}

/// The cursor, and the name of the recorded progress of each event.
fn advance(due: Vec<AttemptResult>, new: Vec<AttemptResult>) -> (i64, Vec<(i64, &'static str)>) {
    let settings = impatient();
    let policy = RetryPolicy {
        settings: &settings,
        is_webhook: false,
        now: DateTime::UNIX_EPOCH,
        random: || 0.5,
    };
    let numbered = |results: Vec<AttemptResult>, from: i64| -> Vec<_> { (from..).map(attempt).zip(results).collect() };
    let (advance, _) = policy.advance(numbered(due, 1), numbered(new, 11));
    let name = |progress: &Progress| match progress {
        Progress::Done => "done",
        Progress::Waiting { .. } => "waiting",
        Progress::Held => "held",
        Progress::Parked { .. } => "parked",
    };
    let results = advance
        .results
        .iter()
        .map(|(number, progress)| (*number, name(progress)));
    (advance.cursor, results.collect())
}

/// Recorded attempts, of webhooks or of another kind: their numbers and outcomes.
fn kept(is_webhook: bool, before: u32, results: Vec<AttemptResult>) -> Vec<(u32, AttemptOutcome)> {
    let settings = impatient();
    let policy = RetryPolicy {
        settings: &settings,
        is_webhook,
        now: Utc::now(),
        random: || 0.5,
    };
    let attempts = (1..).map(|number| Attempt {
        before,
        ..attempt(number)
    });
    let (advance, _) = policy.advance(attempts.zip(results).collect(), Vec::new());
    let kept = advance.attempts.iter();
    kept.map(|(_, kept)| (kept.attempt, kept.outcome)).collect()
}

#[test]
fn attempts_of_webhooks_are_kept_and_of_brokers_those_that_failed_with_the_delivery_after_them() {
    use AttemptResult::{Filtered, Sent, Unreadable};
    let all = || {
        let deferred = Outcome::Deferred { not_before: Utc::now() };
        let retry = Outcome::Retry {
            reason: Reason::new("again"),
            not_before: None,
        };
        // None of the last ones is an attempt. Neither are those that were not sent after the endpoint was gone.
        vec![
            Sent(Outcome::Delivered),
            Sent(retry),
            Sent(refused()),
            Unreadable,
            Filtered,
            AttemptResult::Held,
            Sent(Outcome::Held),
            Sent(deferred),
            Sent(down()),
            Sent(Outcome::Gone),
        ]
    };
    let failed = |attempt| {
        [
            (attempt, AttemptOutcome::Failed),
            (attempt, AttemptOutcome::Undelivered),
            (attempt, AttemptOutcome::Undelivered),
        ]
    };
    assert_eq!(kept(false, 0, all()), failed(1), "an ordinary delivery costs nothing");
    for (is_webhook, before) in [(true, 0), (true, 3), (false, 3)] {
        let mut expected = vec![(before + 1, AttemptOutcome::Delivered)];
        expected.extend(failed(before + 1));
        assert_eq!(kept(is_webhook, before, all()), expected, "{is_webhook} {before}");
    }
    assert_eq!(kept(true, 0, Vec::new()), []);
}

#[test]
fn the_event_that_a_410_answers_was_attempted_and_no_other() {
    let settings = impatient();
    let policy = RetryPolicy {
        settings: &settings,
        is_webhook: true,
        now: Utc::now(),
        random: || 0.5,
    };
    let response = ResponseSummary {
        status: 410,
        content_type: None,
        content_length: None,
    };
    let answered = Attempt {
        before: 2,
        response: Some(response),
        ..attempt(1)
    };
    let gone = || AttemptResult::Sent(Outcome::Gone);
    let (advance, _) = policy.advance(vec![(answered, gone()), (attempt(2), gone())], Vec::new());
    let attempts = advance.results.iter().map(|(number, progress)| match progress {
        Progress::Waiting { attempts, .. } => (*number, *attempts),
        other => panic!("{other:?}"),
    });
    assert_eq!(attempts.collect::<Vec<_>>(), [(1, 3), (2, 0)]);
    let kept: Vec<_> = advance
        .attempts
        .iter()
        .map(|(number, kept)| (*number, kept.attempt))
        .collect();
    assert_eq!(kept, [(1, 3)]);
}

#[test]
fn an_old_event_at_a_destination_that_is_down_was_attempted_for_the_last_time() {
    let settings = impatient();
    let policy = RetryPolicy {
        settings: &settings,
        is_webhook: false,
        now: next_week(),
        random: || 0.5,
    };
    let new = vec![(attempt(1), AttemptResult::Sent(down()))];
    let (advance, _) = policy.advance(Vec::new(), new);
    let kept: Vec<_> = advance
        .attempts
        .iter()
        .map(|(number, kept)| (*number, kept.outcome))
        .collect();
    assert_eq!(kept, [(1, AttemptOutcome::Undelivered)]);
}

#[test]
fn the_cursor_passes_what_is_done_with_and_no_more() {
    use AttemptResult::{Filtered, Sent};
    use Outcome::{Delivered, Held};
    let retry = || Outcome::Retry {
        reason: Reason::new("again"),
        not_before: None,
    };
    for (due, new, expected) in [
        (vec![], vec![], (0, vec![])),
        (
            vec![Sent(Delivered), Sent(down()), Sent(Held)],
            vec![],
            (0, vec![(1, "done")]),
        ),
        (vec![], vec![Sent(Delivered), Filtered, Sent(Delivered)], (13, vec![])),
        (vec![], vec![Sent(Delivered), Filtered], (12, vec![])),
        (
            vec![],
            vec![Sent(retry()), Sent(Held), AttemptResult::Held],
            (13, vec![(11, "waiting"), (12, "held"), (13, "held")]),
        ),
        // All of it stays new.
        (
            vec![],
            vec![Filtered, Sent(down()), Sent(Held), AttemptResult::Held, Filtered],
            (0, vec![]),
        ),
        // The progress of an event before a completed one is recorded.
        (
            vec![],
            vec![Filtered, Sent(down()), Sent(Held), Sent(refused()), Sent(down())],
            (14, vec![(12, "waiting"), (13, "held"), (14, "parked")]),
        ),
        (
            vec![],
            vec![AttemptResult::Unreadable, Sent(down())],
            (11, vec![(11, "parked")]),
        ),
    ] {
        assert_eq!(advance(due.clone(), new.clone()), expected, "{due:?} {new:?}");
    }
}

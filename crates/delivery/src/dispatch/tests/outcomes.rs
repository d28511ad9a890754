//! What is written down of what became of a batch.

use chrono::{DateTime, Utc};
use wearlab_store::Progress;

use super::world::impatient;
use crate::dispatch::attempt::{Attempt, AttemptResult, RetryPolicy};
use crate::{Check, Delivery, Destination, Message, Outcome, Reason};

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
    }
}

/// The cursor, and the name of what is written down of each event.
fn advance(due: Vec<AttemptResult>, new: Vec<AttemptResult>) -> (i64, Vec<(i64, &'static str)>) {
    let settings = impatient();
    let policy = RetryPolicy {
        settings: &settings,
        by_schedule: false,
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
        // What is before something that is done with is written down.
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

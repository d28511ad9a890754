//! Sending without order: several at once, until an answer is about all of them.

use std::sync::OnceLock;

use futures_util::{StreamExt, stream};

use crate::{Message, Outcome};

/// Sends messages side by side, at most `in_flight` at a time. Those that are not sent yet when an answer concerns them
/// too are not sent.
pub(crate) async fn side_by_side<'a, F>(
    messages: &'a [Message],
    in_flight: usize,
    send: impl Fn(&'a Message) -> F,
) -> Vec<Outcome>
where
    F: Future<Output = Outcome>,
{
    let (rest, send) = (OnceLock::new(), &send);
    let rest = &rest;
    let one = |index: usize| async move {
        if let Some(outcome) = rest.get() {
            return (index, Outcome::clone(outcome));
        }
        let outcome = send(&messages[index]).await;
        if let Some(outcome) = of_the_rest(&outcome) {
            rest.get_or_init(|| outcome);
        }
        (index, outcome)
    };
    let sent = stream::iter(0..messages.len()).map(one);
    let mut outcomes: Vec<_> = sent.buffer_unordered(in_flight.max(1)).collect().await;
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// What the outcome of one message means to those after it.
fn of_the_rest(outcome: &Outcome) -> Option<Outcome> {
    match outcome {
        Outcome::Gone | Outcome::Down { .. } => Some(outcome.clone()),
        Outcome::Retry {
            not_before: Some(not_before),
            ..
        }
        | Outcome::Unavailable {
            not_before: Some(not_before),
            ..
        } => Some(Outcome::Deferred {
            not_before: *not_before,
        }),
        _ => None,
    }
}

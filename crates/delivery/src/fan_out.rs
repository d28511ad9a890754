//! Sends the messages of one call concurrently, with or without the order of users.

use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, sleep};

use crate::{Message, Outcome};

/// Sends groups of messages concurrently, at most `in_flight` at a time, and sorts the outcomes by the indices that
/// `send` returns with them.
pub(crate) async fn fan_out<G, F, T>(
    groups: impl IntoIterator<Item = G>,
    in_flight: usize,
    send: impl Fn(G) -> F,
) -> Vec<T>
where
    F: Future<Output = Vec<(usize, T)>>,
{
    let sent = stream::iter(groups).map(send).buffer_unordered(in_flight.max(1));
    let sent: Vec<_> = sent.collect().await;
    let mut outcomes: Vec<_> = sent.into_iter().flatten().collect();
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// The number of messages of a call in flight.
#[derive(Clone, Copy)]
pub(crate) struct Concurrency {
    /// Initial number.
    pub(crate) at_first: usize,
    /// Maximum number, once messages have waited.
    pub(crate) most: usize,
}

impl Concurrency {
    /// A constant number.
    pub(crate) fn fixed(in_flight: usize) -> Self {
        Self {
            at_first: in_flight,
            most: in_flight,
        }
    }
}

/// Time that messages wait before another one is sent concurrently, while few calls send.
const STEP: Duration = Duration::from_millis(20);
/// Maximum of that time: senders may also wait for a destination that does not respond.
const LONGEST_STEP: Duration = Duration::from_millis(500);
/// Maximum number of calls that are few. With more of them messages wait for this process rather than for destinations.
const FEW: usize = 32;

/// Number of sending calls of this process.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Counts a sending call until it is dropped.
struct Call;

impl Call {
    fn begin() -> Self {
        CALLS.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the time that messages wait before another one is sent concurrently, for a number of sending calls.
fn step(calls: usize) -> Duration {
    let times = calls.div_ceil(FEW).max(1);
    STEP.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX))
        .min(LONGEST_STEP)
}

/// Sends messages in any order. After an outcome about the destination, the unsent ones get the same.
pub(crate) async fn unordered<'a, F, T>(
    messages: &'a [Message],
    concurrency: Concurrency,
    send: impl Fn(&'a Message) -> F,
) -> Vec<T>
where
    F: Future<Output = T>,
    T: AsRef<Outcome> + From<Outcome>,
{
    let (rest, send) = (&OnceLock::new(), &send);
    let send = |index: usize| async move {
        if let Some(outcome) = rest.get() {
            return (index, Outcome::clone(outcome).into());
        }
        let sent: T = send(&messages[index]).await;
        if let Some(outcome) = of_the_rest(sent.as_ref()) {
            rest.get_or_init(|| outcome);
        }
        (index, sent)
    };
    let _call = Call::begin();
    let until_next = || step(CALLS.load(Ordering::Relaxed));
    let Concurrency { at_first, most } = concurrency;
    let mut limit = at_first.min(most).max(1);
    let mut next = 0;
    let mut in_flight = FuturesUnordered::new();
    let mut outcomes = Vec::with_capacity(messages.len());
    let mut waited = pin!(sleep(until_next()));
    while outcomes.len() < messages.len() {
        while next < messages.len() && in_flight.len() < limit {
            in_flight.push(send(next));
            next += 1;
        }
        tokio::select! {
            biased;
            sent = in_flight.next() => outcomes.extend(sent),
            () = waited.as_mut(), if limit < most && next < messages.len() => {
                limit += 1;
                waited.as_mut().reset(Instant::now() + until_next());
            }
        }
    }
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Consequence of the outcome of one message for those after it.
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

/// Sends the messages of each user in order. After one that may not have arrived, the user's others are not sent.
pub(crate) async fn in_order<'a, F>(
    messages: &'a [Message],
    in_flight: usize,
    send: impl Fn(&'a Message) -> F,
) -> Vec<Outcome>
where
    F: Future<Output = Outcome>,
{
    let send = &send;
    fan_out(user_queues(messages), in_flight, |queue| async move {
        let mut outcomes = Vec::with_capacity(queue.len());
        let mut held = false;
        for index in queue {
            let outcome = match held {
                true => Outcome::Held,
                false => send(&messages[index]).await,
            };
            // A message that has arrived, or never will, blocks nothing.
            held |= !matches!(outcome, Outcome::Delivered | Outcome::Refused { .. });
            outcomes.push((index, outcome));
        }
        outcomes
    })
    .await
}

/// The indices of each user's messages, in their order. A message without a user has a queue of its own.
pub(crate) fn user_queues(messages: &[Message]) -> Vec<Vec<usize>> {
    let mut queues: Vec<Vec<usize>> = Vec::new();
    let mut by_user = std::collections::HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        let queue = match message.user_id {
            Some(user) => *by_user.entry(user).or_insert(queues.len()),
            None => queues.len(),
        };
        match queues.get_mut(queue) {
            Some(queue) => queue.push(index),
            None => queues.push(vec![index]),
        }
    }
    queues
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use tokio::sync::Barrier;
    use wearlab_models::Uuid;

    use super::{Concurrency, FEW, LONGEST_STEP, STEP, in_order, step, unordered};
    use crate::{Message, Outcome, Reason};

    fn message(user: Option<u128>, event_id: &str) -> Message {
        Message {
            event_id: event_id.to_owned(),
            event_type: "daily.data.steps.created".to_owned(),
            team_id: Uuid::from_u128(1),
            user_id: user.map(Uuid::from_u128),
            created_on: chrono::DateTime::UNIX_EPOCH.fixed_offset(),
            payload: Bytes::from_static(b"{}"),
        }
    }

    #[tokio::test]
    async fn users_wait_for_their_own_messages_alone() {
        let messages = [
            message(Some(1), "a1"),
            message(Some(2), "b1"),
            message(Some(1), "a2 fails"),
            message(None, "c fails"),
            message(Some(1), "a3"),
            message(Some(2), "b2 never"),
            message(Some(2), "b3"),
            message(None, "d"),
        ];
        let sent = Mutex::new(Vec::new());
        let outcomes = in_order(&messages, 8, |message| {
            sent.lock().expect("no panic").push(message.event_id.clone());
            let reason = Reason::new("broken");
            async move {
                match message.event_id.split_once(' ') {
                    Some((_, "fails")) => Outcome::Down { reason },
                    Some(_) => Outcome::Refused { reason },
                    None => Outcome::Delivered,
                }
            }
        })
        .await;
        let down = Outcome::Down {
            reason: Reason::new("broken"),
        };
        let refused = Outcome::Refused {
            reason: Reason::new("broken"),
        };
        let expected = [
            Outcome::Delivered,
            Outcome::Delivered,
            down.clone(),
            down,
            Outcome::Held,
            refused,
            Outcome::Delivered,
            Outcome::Delivered,
        ];
        assert_eq!(outcomes, expected);
        let sent = sent.into_inner().expect("no panic");
        assert_eq!(
            sent.iter().filter(|id| id.starts_with('a')).collect::<Vec<_>>(),
            ["a1", "a2 fails"]
        );
        assert_eq!(sent.len(), 7);
    }

    /// Returns the maximum number of messages in flight, if each waits for `together` of them.
    async fn most_in_flight(count: usize, together: usize) -> usize {
        let messages: Vec<_> = (0..count).map(|_| message(None, "evt")).collect();
        let (all, now, most) = (Barrier::new(together), AtomicUsize::new(0), AtomicUsize::new(0));
        let concurrency = Concurrency { at_first: 1, most: 8 };
        let outcomes: Vec<Outcome> = unordered(&messages, concurrency, |_| async {
            most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            all.wait().await;
            now.fetch_sub(1, Ordering::Relaxed);
            Outcome::Delivered
        })
        .await;
        assert_eq!(outcomes, vec![Outcome::Delivered; count]);
        most.into_inner()
    }

    #[test]
    fn the_more_calls_send_the_longer_messages_wait() {
        assert_eq!([0, 1, FEW].map(step), [STEP; 3]);
        assert_eq!([FEW + 1, 10 * FEW].map(step), [2 * STEP, 10 * STEP]);
        assert_eq!([1000 * FEW, usize::MAX].map(step), [LONGEST_STEP; 2]);
    }

    #[tokio::test]
    async fn more_are_in_flight_where_messages_wait() {
        assert_eq!(most_in_flight(20, 1).await, 1, "none waits");
        assert_eq!(most_in_flight(9, 3).await, 3);
        assert_eq!(most_in_flight(16, 8).await, 8);
    }
}

//! Order by user, within what is sent together.

use std::collections::HashMap;

#[cfg(any(test, feature = "rabbitmq"))]
use futures_util::{StreamExt, stream};

use crate::Message;
#[cfg(any(test, feature = "rabbitmq"))]
use crate::Outcome;

/// Sends messages side by side, at most `in_flight` at a time, but those of one user one after the other. After one
/// that may not have arrived, the user's others are not sent.
#[cfg(any(test, feature = "rabbitmq"))]
pub(crate) async fn in_order<'a, F>(
    messages: &'a [Message],
    in_flight: usize,
    send: impl Fn(&'a Message) -> F,
) -> Vec<Outcome>
where
    F: Future<Output = Outcome>,
{
    let send = &send;
    let lanes = stream::iter(lanes(messages)).map(|lane| async move {
        let mut outcomes = Vec::with_capacity(lane.len());
        let mut held = false;
        for index in lane {
            let outcome = match held {
                true => Outcome::Behind,
                false => send(&messages[index]).await,
            };
            held |= !is_final(&outcome);
            outcomes.push((index, outcome));
        }
        outcomes
    });
    let sent: Vec<_> = lanes.buffer_unordered(in_flight.max(1)).collect().await;
    let mut outcomes: Vec<_> = sent.into_iter().flatten().collect();
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Whether the user's next message may be sent: this one has arrived, or never will.
#[cfg(any(test, feature = "rabbitmq"))]
fn is_final(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Delivered | Outcome::Refused { .. })
}

/// The places of each user's messages, in the order of the first. A message about no user is alone.
pub(crate) fn lanes(messages: &[Message]) -> Vec<Vec<usize>> {
    let mut lanes: Vec<Vec<usize>> = Vec::new();
    let mut by_user = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        match message.user_id {
            Some(user) => {
                let lane = *by_user.entry(user).or_insert(lanes.len());
                match lanes.get_mut(lane) {
                    Some(lane) => lane.push(index),
                    None => lanes.push(vec![index]),
                }
            }
            None => lanes.push(vec![index]),
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use bytes::Bytes;
    use wearlab_models::Uuid;

    use super::in_order;
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
            Outcome::Behind,
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
}
